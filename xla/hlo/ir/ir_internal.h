// SPDX-License-Identifier: Apache-2.0
// What the sources of xla/hlo/ir share. Internal to xla/hlo/ir.
#ifndef XLA_HLO_IR_IR_INTERNAL_H_
#define XLA_HLO_IR_IR_INTERNAL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::ir_internal {

// Everything of two instructions but operands, callees and control dependencies.
bool LocallyEqual(const HloInstruction& a, const HloInstruction& b, bool layout_sensitive);

// The computations that `roots` reach by calls, callees before callers: for each root in turn,
// callees in the order of instructions. Linear time, no recursion. A cycle of calls is an error
// that names it.
absl::StatusOr<std::vector<HloComputation*>> CallPostOrder(absl::Span<HloComputation* const> roots);

// Called after `dependent` came to use `dependency` (or to run after it): if the module is
// scheduled and the dependency comes later in the text order, moves it in front of the dependent,
// together with what it needs itself. Constant time where nothing moves.
void KeepScheduleValid(HloInstruction* dependency, HloInstruction* dependent);

// "a -> b -> c", cut short in the middle where it is long: for error messages about cycles.
std::string CycleToString(const std::vector<std::string>& names);

// OK if the computations of each pair, and all that they call, are equal; else a sentence about the
// first difference.
using ComputationPair = std::pair<const HloComputation*, const HloComputation*>;
absl::Status CheckComputationsEqual(std::vector<ComputationPair> pairs, bool layout_sensitive);

// The hash of each computation that `roots` reach, in the order of CallPostOrder, folded into one.
size_t HashOfComputations(absl::Span<HloComputation* const> roots);

}  // namespace xla::ir_internal

#endif  // XLA_HLO_IR_IR_INTERNAL_H_
