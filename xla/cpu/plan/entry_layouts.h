// SPDX-License-Identifier: Apache-2.0
// Expresses layouts of arguments and results by transposes.
#ifndef XLA_CPU_PLAN_ENTRY_LAYOUTS_H_
#define XLA_CPU_PLAN_ENTRY_LAYOUTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Makes the parameters and results of the entry computation row-major: an array with another layout
// becomes one with permuted dimensions, and a transpose restores the dimensions that the program
// states. Other passes fold these transposes. Handles layouts that permute dimensions, of arrays
// that are parameters, the result, or elements of the result tuple.
absl::StatusOr<bool> NormalizeEntryLayouts(HloModule* module);

// The arrays of a program that NormalizeEntryLayouts will permute: by parameter, and by element of
// the result (one if it is an array).
struct NormalizedLayouts {
  std::vector<bool> parameters, results;
};
NormalizedLayouts LayoutsToNormalize(const HloModule& module);

// The custom call that represents a bitcast: its operand layout constraint is the shape, with
// layout, of the operand, and its backend_config is the ShapeProto of the result, in hexadecimal.
inline constexpr char kBitcastTarget[] = "xylem.bitcast";
// Returns the result shape of such a call.
absl::StatusOr<Shape> BitcastResult(const HloInstruction& call);

// Replaces bitcasts between layouts by transposes and reshapes, and those that split or join
// elements by calls of kBitcastTarget. Must run before NormalizeEntryLayouts: parameters must still
// have their layouts.
absl::StatusOr<bool> ExpandBitcasts(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_ENTRY_LAYOUTS_H_
