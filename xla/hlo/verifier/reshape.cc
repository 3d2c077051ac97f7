// SPDX-License-Identifier: Apache-2.0
// Verifier rules for operations that move elements.
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {

// A bitcast must preserve the number of bytes, either with or without padding.
absl::Status CheckBitcast(const HloInstruction& instruction, const Context&) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (!from.IsArray() || !to.IsArray()) {
    if (ShapeUtil::Compatible(from, to)) return absl::OkStatus();
    return InvalidArgument("Bitcast of anything but arrays cannot change the shape");
  }
  if (!from.is_static() || !to.is_static() || !from.has_layout() || !to.has_layout())
    return absl::OkStatus();
  if (ShapeUtil::ArraySize(from) == ShapeUtil::ArraySize(to) ||
      ShapeUtil::ArrayDataSize(from) == ShapeUtil::ArrayDataSize(to)) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "Bitcast cannot have different shape sizes of output (%d) and operand (%d) (%s) (%s)",
      ShapeUtil::ArraySize(to), ShapeUtil::ArraySize(from), to.ToString(true), from.ToString(true));
}

}  // namespace xla::verifier
