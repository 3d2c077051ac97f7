// SPDX-License-Identifier: Apache-2.0
// Verifier rules for operations that move elements.
#include <algorithm>

#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {

// A bitcast cannot move data between host and device; constants and their copies have no place yet.
static absl::Status CheckBitcastMemory(const HloInstruction& instruction,
                                       const HloVerifierOptions& options) {
  if (!options.layout_sensitive) return absl::OkStatus();
  const HloInstruction* origin = instruction.operand(0);
  while (origin->opcode() == HloOpcode::kCopy) origin = origin->operand(0);
  if (origin->opcode() == HloOpcode::kConstant) return absl::OkStatus();
  const int64_t from = instruction.operand(0)->shape().layout().memory_space();
  const int64_t to = instruction.shape().layout().memory_space();
  if ((from == Layout::kHostMemorySpace) == (to == Layout::kHostMemorySpace)) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "Bitcast cannot have different memory spaces of output (%d) and operand (%d)", to, from);
}

// A bitcast must preserve the number of bytes, either with or without padding.
absl::Status CheckBitcast(const HloInstruction& instruction, const Context& context) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (!from.IsArray() || !to.IsArray()) {
    if (ShapeUtil::Compatible(from, to)) return absl::OkStatus();
    return InvalidArgument("Bitcast of anything but arrays cannot change the shape");
  }
  if (!from.has_layout() || !to.has_layout()) return absl::OkStatus();
  const HloVerifierOptions& options = context.options;
  const auto size = [&](const Shape& shape) {
    if (options.shape_size) return options.shape_size(shape);
    return options.layout_sensitive ? ShapeUtil::ByteSizeOf(shape) : ShapeUtil::ArraySize(shape);
  };
  // With layouts, sizes count with their padding unless the options say otherwise.
  const bool is_static = from.is_static() && to.is_static();
  const bool same_data =
      is_static && ShapeUtil::ArrayDataSize(from) == ShapeUtil::ArrayDataSize(to);
  const bool relaxed = !options.layout_sensitive || options.allow_bitcast_to_have_different_size;
  if ((options.layout_sensitive || is_static) && size(from) != size(to) &&
      !(relaxed && same_data)) {
    return InvalidArgument(
        "Bitcast cannot have different shape sizes of output (%d) and operand (%d) (%s) (%s)",
        size(to), size(from), to.ToString(true), from.ToString(true));
  }
  return CheckBitcastMemory(instruction, options);
}

// The elements of a reshape stay where they are, if the options require this.
absl::Status CheckReshape(const HloInstruction& instruction, const Context& context) {
  const HloComputation* parent = instruction.parent();
  const bool is_fused = parent != nullptr && parent->IsFusionComputation();
  if (!context.options.verify_reshape_is_bitcast || is_fused ||
      ShapeUtil::ReshapeIsBitcast(instruction.operand(0)->shape(), instruction.shape())) {
    return absl::OkStatus();
  }
  return InvalidArgument("Reshape should be a physical bitcast, got: %s",
                         instruction.ToShortString());
}

absl::Status CheckBroadcast(const HloInstruction& instruction, const Context& context) {
  const absl::Span<const int64_t> dimensions = instruction.dimensions();
  if (!context.options.verify_broadcast_dimensions_order ||
      std::is_sorted(dimensions.begin(), dimensions.end())) {
    return absl::OkStatus();
  }
  return InvalidArgument("Broadcast dimensions should be ordered, got: %s",
                         instruction.ToShortString());
}

}  // namespace xla::verifier
