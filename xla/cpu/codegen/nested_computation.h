// SPDX-License-Identifier: Apache-2.0
// Computations that are applied to elements: of reduce, map, scatter, sort, all-reduce and kin.
//
// Those of elementwise operations are code in the loops that apply them, vectors of elements at a
// time; conditionals choose between results there. Loops over scalars are code as well, an element
// at a time. All others (arrays, sorts, library calls) are programs: they have a schedule and steps
// like the whole program, and the loops call them for each element.
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

// How a computation on scalars is applied. The same before and after fusion.
NestedKind KindOfNested(const HloComputation& computation);

// Whether the instruction applies its computations to elements, as opposed to calling them.
bool AppliesComputations(const HloInstruction& instruction);

// Whether nothing that the instruction, or those of the computation, apply needs more than code on
// vectors.
bool AppliesVectors(const HloInstruction& instruction);
bool AppliesVectors(const HloComputation& computation);

// Nanoseconds that it takes to apply a computation once, roughly, beyond those of code on vectors.
double CostOfNested(const HloComputation& computation);

// Whether applying the computation changes the state of the run, as random numbers do: in order,
// on one thread.
bool HasOrder(const HloComputation& computation);

// Computations that no program of its own stands for: whatever applied code consists of.
std::vector<const HloComputation*> ComputationsOfNestedCode(const HloModule& module);

// INVALID_ARGUMENT if a computation that is applied to elements communicates with the host or with
// other devices, of which there is no order.
absl::Status CheckNestedComputations(const HloModule& module);

// Bytes from each argument and result of a computation that is applied as a program to the next.
inline constexpr int64_t kCellBytes = 16;

// The number of each computation that is applied as a program; equal ones share one.
class NestedPrograms {
 public:
  NestedPrograms() = default;
  explicit NestedPrograms(const HloModule& module);
  // By number.
  const std::vector<const HloComputation*>& computations() const { return computations_; }
  // -1 if there is none.
  int64_t NumberOf(const HloComputation& computation) const;

 private:
  std::vector<const HloComputation*> computations_;
  absl::flat_hash_map<const HloComputation*, int64_t> numbers_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_NESTED_COMPUTATION_H_
