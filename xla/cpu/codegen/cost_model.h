// SPDX-License-Identifier: Apache-2.0
// What operations cost on a machine, roughly: work, nanoseconds, latencies, bytes of memory. All
// follows from the cost class of the operation (xla/hlo/ir/hlo_opcode.h), by the one table in
// cost_model.cc; how fast the machine itself is says xla/base/machine.h.
#ifndef XLA_CPU_CODEGEN_COST_MODEL_H_
#define XLA_CPU_CODEGEN_COST_MODEL_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Arithmetic operations on an element; of operations that combine elements, for each element
// combined. 0 for what only moves data.
int64_t ElementCost(const HloInstruction& instruction);

// Of what is computed where it is used: operations on an element, with those that find its place.
// At least kCostInMemory for what is in memory instead.
int64_t FusedCost(const HloInstruction& instruction);
inline constexpr int64_t kCostInMemory = 1000;

// Nanoseconds for an operation on a vector.
double VectorCost(const HloInstruction& instruction);

// The contraction that a fusion finishes, which its operations include; null if there is none.
using ContractionFinder = const HloInstruction* (*)(const HloInstruction& fusion);

// Arithmetic operations of a fusion, contraction, FFT or loop; 0 for others.
double EstimateOperations(const HloInstruction& instruction, ContractionFinder find);

// What a kernel reads, writes and computes, with the contraction that it finishes, if any.
struct KernelWork {
  double bytes = 0, operations = 0;
};
KernelWork EstimateWork(const HloInstruction& fusion, const HloInstruction* contraction);

// Cycles until results of operations on vectors can be used.
struct Latencies {
  int64_t longest = 0;        // of a chain of operations that wait for each other
  int64_t all = 0;            // the sum over all operations
  int64_t trigonometric = 0;  // functions, which have code for large arguments
};
// All zero for computations that are too large.
Latencies LatenciesOf(const HloComputation& computation);

// Whether the instruction is a dynamic-update-slice whose result is its computation's: it is in the
// memory of its first operand, of which it changes a part.
bool UpdatesInPlace(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_COST_MODEL_H_
