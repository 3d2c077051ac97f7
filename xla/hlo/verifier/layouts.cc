// SPDX-License-Identifier: Apache-2.0
// Verifier rules about layouts, memory spaces and unbounded sizes that hold for all operations.
#include "absl/status/status.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

absl::Status CheckNoHostMemory(const HloInstruction& instruction) {
  bool has_host_memory = false;
  ShapeUtil::ForEachSubshape(instruction.shape(), [&](const Shape& part, const ShapeIndex&) {
    has_host_memory |= part.IsArray() && part.has_layout() &&
                       part.layout().memory_space() == Layout::kHostMemorySpace;
  });
  if (!has_host_memory) return absl::OkStatus();
  return InvalidArgument("Instruction shouldn't have the layout of host memory space: %s",
                         instruction.ToShortString());
}

// Which moves between memory spaces slices and copies may make.
absl::Status CheckMove(const HloInstruction& instruction, int64_t from, int64_t to) {
  if (from == Layout::kGenericFastMemorySpace && to != Layout::kGenericFastMemorySpace) {
    return InvalidArgument(
        "Instruction shouldn't change layout memory space between generic fast memory space and "
        "others for instruction: %s",
        instruction.ToShortString());
  }
  if (instruction.opcode() == HloOpcode::kDynamicSlice && from == Layout::kDefaultMemorySpace &&
      to == Layout::kHostMemorySpace) {
    return InvalidArgument(
        "DynamicSlice instruction shouldn't change layout memory space from device to host: %s",
        instruction.ToShortString());
  }
  if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice && from == Layout::kHostMemorySpace &&
      to == Layout::kDefaultMemorySpace) {
    return InvalidArgument(
        "DynamicUpdateSlice instruction shouldn't change layout memory space from host to device: "
        "%s",
        instruction.ToShortString());
  }
  return absl::OkStatus();
}

bool CanChangeElementSize(const HloInstruction& instruction, const Shape& operand) {
  switch (instruction.opcode()) {
    case HloOpcode::kConvert:
    case HloOpcode::kCompare:
    case HloOpcode::kIsFinite:
    case HloOpcode::kScatter:
      return true;
    case HloOpcode::kSelect:
      return operand.element_type() == PRED;
    default:
      return false;
  }
}

bool Moves(HloOpcode opcode) {
  return opcode == HloOpcode::kDynamicSlice || opcode == HloOpcode::kDynamicUpdateSlice ||
         opcode == HloOpcode::kCopy;
}

}  // namespace

absl::Status CheckOwnLayout(const HloInstruction& instruction, const HloVerifierOptions& options) {
  const Shape& shape = instruction.shape();
  if (!options.allow_unbounded_dynamism && shape.is_unbounded_dynamic()) {
    return InvalidArgument("Unbounded dynamism is disabled for instruction: %s",
                           instruction.ToShortString());
  }
  if (shape.IsArray() && shape.has_layout() &&
      static_cast<int64_t>(shape.layout().minor_to_major().size()) != shape.rank()) {
    return InvalidArgument("Instruction has mismatched minor-to-major size and dimension size: %s",
                           instruction.name());
  }
  return absl::OkStatus();
}

absl::Status CheckLayoutKept(const HloInstruction& instruction, const HloVerifierOptions& options) {
  if (options.verify_no_host_memory_space) {
    XLA_RETURN_IF_ERROR(CheckNoHostMemory(instruction));
  }
  const Shape& shape = instruction.shape();
  if (!options.instruction_can_change_layout ||
      options.instruction_can_change_layout(&instruction) || !shape.IsArray() ||
      !shape.has_layout()) {
    return absl::OkStatus();
  }
  for (const HloInstruction* operand : instruction.operands()) {
    const Shape& from = operand->shape();
    if (!from.IsArray() || from.rank() != shape.rank() || !from.has_layout()) continue;
    Layout::Equal equal;
    equal.IgnoreTiles().IgnoreMemorySpace();
    if (CanChangeElementSize(instruction, from)) equal.IgnoreElementSize();
    if (Moves(instruction.opcode())) {
      XLA_RETURN_IF_ERROR(
          CheckMove(instruction, from.layout().memory_space(), shape.layout().memory_space()));
    }
    if (equal(shape.layout(), from.layout())) continue;
    return InvalidArgument("Instruction shouldn't change layouts %s From %s To %s",
                           instruction.ToShortString(), shape.ToString(true), from.ToString(true));
  }
  return absl::OkStatus();
}

bool IsValidCopy(const Shape& copy, const Shape& operand, const HloVerifierOptions& options) {
  if (!options.layout_sensitive || !copy.IsArray() || !operand.IsArray() || !copy.has_layout() ||
      !operand.has_layout()) {
    return true;
  }
  const int64_t to = copy.layout().memory_space();
  const int64_t from = operand.layout().memory_space();
  if (to == from || (to != Layout::kHostMemorySpace && from != Layout::kHostMemorySpace)) {
    return true;
  }
  // Before memory spaces are propagated, this may be a copy within the host's memory.
  if (to == Layout::kHostMemorySpace) return copy.element_type() == operand.element_type();
  return Shape::Equal().IgnoreMemorySpaceInLayout()(copy, operand);
}

}  // namespace xla::verifier
