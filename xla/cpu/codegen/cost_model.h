// SPDX-License-Identifier: Apache-2.0
// Estimates what operations cost on a machine: work, nanoseconds, latencies, bytes of memory.
// Everything follows from the cost class of the operation (xla/hlo/ir/hlo_opcode.h) through the one
// table in cost_model.cc; xla/base/machine.h describes how fast the machine itself is.
#ifndef XLA_CPU_CODEGEN_COST_MODEL_H_
#define XLA_CPU_CODEGEN_COST_MODEL_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the arithmetic operations for an element of the result or, for operations that combine
// elements, for each element combined. 0 for operations that only move data.
int64_t ElementCost(const HloInstruction& instruction);

// Returns the operations for an element of a fused producer, with those that find its operands. For
// instructions that are materialized instead, at least kCostInMemory.
int64_t FusedCost(const HloInstruction& instruction);
inline constexpr int64_t kCostInMemory = 1000;

// Returns the nanoseconds for an operation on a vector.
double VectorCost(const HloInstruction& instruction);

// Returns the contraction that a fusion finishes, whose operations count as the fusion's; null if
// there is none.
using ContractionFinder = const HloInstruction* (*)(const HloInstruction& fusion);

// Returns the arithmetic operations of a fusion, contraction, FFT or loop; 0 for others.
double EstimateOperations(const HloInstruction& instruction, ContractionFinder find);

// The bytes that a kernel reads and writes and the operations that it computes, with those of the
// contraction that it finishes, if any.
struct KernelWork {
  double bytes = 0, operations = 0;
};
KernelWork EstimateWork(const HloInstruction& fusion, const HloInstruction* contraction);

// Cycles until the results of operations on vectors can be used.
struct Latencies {
  int64_t longest = 0;        // of the longest chain of dependent operations
  int64_t all = 0;            // the sum over all operations
  int64_t trigonometric = 0;  // functions with separate code for large arguments
};
// Returns zeros for computations that are too large.
Latencies LatenciesOf(const HloComputation& computation);

// Whether the instruction is a dynamic-update-slice that is its computation's root: its result
// shares the memory of its first operand, a part of which it changes.
bool UpdatesInPlace(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_COST_MODEL_H_
