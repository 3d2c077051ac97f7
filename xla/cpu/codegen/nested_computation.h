// SPDX-License-Identifier: Apache-2.0
// Computations that are applied to elements: those of reduce, map, scatter, sort, all-reduce and
// similar operations.
//
// Computations of elementwise operations become code in the loops that apply them, on vectors of
// elements; conditionals become selections between results. Loops over scalars become code as well,
// for one element at a time. All others (with arrays, sorts, library calls) are programs: they have
// a schedule and thunks like the whole program, and the loops call them for each element.
#ifndef XLA_CPU_CODEGEN_NESTED_COMPUTATION_H_
#define XLA_CPU_CODEGEN_NESTED_COMPUTATION_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

enum class NestedKind : uint8_t {
  kVectors,  // code that takes vectors of elements
  kScalars,  // code that takes one element at a time
  kProgram,
};

// Returns how a computation on scalars is applied. Fusion does not change it.
NestedKind KindOfNested(const HloComputation& computation);

// Whether the instruction is a select-and-scatter, or the custom call of one with dynamic sizes.
bool IsSelectAndScatter(const HloInstruction& instruction);

// Whether the instruction applies its computations to elements, as opposed to calling them.
bool AppliesComputations(const HloInstruction& instruction);

// Whether all computations that the instruction, or the instructions of the computation, apply are
// code on vectors.
bool AppliesVectors(const HloInstruction& instruction);
bool AppliesVectors(const HloComputation& computation);

// Estimates the nanoseconds that applying a computation once takes beyond those of code on vectors.
double CostOfNested(const HloComputation& computation);

// Whether applying the computation changes the state of the run, as random numbers do, so that
// elements are computed in order, on one thread.
bool HasOrder(const HloComputation& computation);

// Returns the computations that are emitted as part of the code that applies them.
std::vector<const HloComputation*> ComputationsOfNestedCode(const HloModule& module);

// Returns INVALID_ARGUMENT if a computation that is applied to elements communicates with the host
// or with other devices: elements have no order.
absl::Status CheckNestedComputations(const HloModule& module);

// The distance in bytes between the arguments and results of a computation that is applied as a
// program.
inline constexpr int64_t kCellBytes = 16;

// Numbers the computations that are applied as programs; equal ones share a number.
class NestedPrograms {
 public:
  NestedPrograms() = default;
  explicit NestedPrograms(const HloModule& module);
  // By number.
  const std::vector<const HloComputation*>& computations() const { return computations_; }
  // Returns -1 if the computation has no number.
  int64_t NumberOf(const HloComputation& computation) const;

 private:
  std::vector<const HloComputation*> computations_;
  absl::flat_hash_map<const HloComputation*, int64_t> numbers_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_NESTED_COMPUTATION_H_
