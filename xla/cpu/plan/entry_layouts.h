// SPDX-License-Identifier: Apache-2.0
// Layouts of arguments and results as transposes.
#ifndef XLA_CPU_PLAN_ENTRY_LAYOUTS_H_
#define XLA_CPU_PLAN_ENTRY_LAYOUTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Gives the entry computation parameters and results that are row-major: what another layout puts
// in another order in memory becomes an array of permuted dimensions, with a transpose to or from
// what the program says. Other passes fold these transposes. Only layouts that permute dimensions,
// of arrays that are parameters, the result, or elements of the tuple that is the result.
absl::StatusOr<bool> NormalizeEntryLayouts(HloModule* module);

// Which arrays of a program NormalizeEntryLayouts will permute: by parameter, and by element of the
// result (one if it is an array).
struct NormalizedLayouts {
  std::vector<bool> parameters, results;
};
NormalizedLayouts LayoutsToNormalize(const HloModule& module);

// A bitcast as a custom call: the operand's constraint is the shape, with its layout, that the
// bitcast is from, and the backend_config the ShapeProto that it is to, in hexadecimal.
inline constexpr char kBitcastTarget[] = "xylem.bitcast";
// The shape that such a call is to.
absl::StatusOr<Shape> BitcastResult(const HloInstruction& call);

// Bitcasts between layouts as transposes and reshapes; those that divide or join elements as calls
// of kBitcastTarget. Before NormalizeEntryLayouts: parameters must still have their layouts.
absl::StatusOr<bool> ExpandBitcasts(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_ENTRY_LAYOUTS_H_
