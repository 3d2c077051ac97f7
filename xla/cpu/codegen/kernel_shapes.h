// SPDX-License-Identifier: Apache-2.0
// Small functions on shapes for planning and emission of kernels.
#ifndef XLA_CPU_CODEGEN_KERNEL_SHAPES_H_
#define XLA_CPU_CODEGEN_KERNEL_SHAPES_H_

#include <algorithm>
#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla::cpu {

// Returns the number of elements of an array.
inline int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

// Returns the last dimension of more than one element; -1 if there is none.
inline int LastLongDimension(const Shape& shape) {
  int d = static_cast<int>(shape.rank()) - 1;
  while (d >= 0 && shape.dimensions(d) == 1) --d;
  return d;
}

// Returns the shape of the result, or of the first of several results.
inline const Shape& FirstShape(const HloInstruction& instruction) {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(0) : instruction.shape();
}

// Returns the number of results of an instruction: the elements of its tuple, or one.
inline int64_t ResultCount(const HloInstruction& instruction) {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shapes_size() : 1;
}
inline const Shape& ResultShape(const HloInstruction& instruction, int64_t result) {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(static_cast<int>(result))
                                       : instruction.shape();
}

// Returns how many elements a reduction combines for each result along the last dimensions, or
// along one dimension before a few minor elements; 0 for other instructions.
inline int64_t RowLengthOf(const HloInstruction& reduce) {
  constexpr int64_t kFewMinor = 8;
  const Shape& shape = reduce.operand(0)->shape();
  const auto& reduced = reduce.dimensions();
  const auto is_reduced = [&](int64_t d) {
    return std::find(reduced.begin(), reduced.end(), d) != reduced.end();
  };
  int64_t length = 1, minor = 1, d = shape.rank() - 1;
  for (; d >= 0 && !is_reduced(d); --d) minor *= shape.dimensions(static_cast<int>(d));
  if (minor > 1 && (minor >= kFewMinor || reduced.size() != 1)) return 0;
  size_t found = 0;
  for (; d >= 0 && is_reduced(d); --d, ++found) length *= shape.dimensions(static_cast<int>(d));
  return found == reduced.size() ? length : 0;
}

// Whether rows of the instruction are not in memory as they are in its operand.
inline bool TakesRowsApart(const HloInstruction& instruction) {
  if (instruction.shape().rank() == 0) return false;
  const int64_t minor = instruction.shape().rank() - 1;
  const int64_t length = instruction.shape().dimensions().back();
  const auto contains = [](const auto& dimensions, int64_t d) {
    return std::find(dimensions.begin(), dimensions.end(), d) != dimensions.end();
  };
  switch (instruction.opcode()) {
    case HloOpcode::kPad:
      return instruction.attributes<PadAttributes>().padding.back() != PadDim();
    case HloOpcode::kSlice:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
      return instruction.operand(0)->shape().dimensions().back() != length;
    case HloOpcode::kReverse:
      return contains(instruction.dimensions(), minor);
    case HloOpcode::kGather:
      return contains(instruction.attributes<GatherAttributes>().offset_dims, minor);
    default:
      return false;
  }
}

// Whether a broadcast repeats elements within rows: the operand's dimensions, except for those of
// one element, are the first of the result.
inline bool BroadcastsToOwnRows(const HloInstruction& broadcast) {
  const Shape &from = broadcast.operand(0)->shape(), &to = broadcast.shape();
  int next = 0;
  for (int d = 0; d < from.rank(); ++d) {
    if (from.dimensions(d) == 1) continue;
    while (next < to.rank() && to.dimensions(next) == 1) ++next;
    if (broadcast.dimensions()[static_cast<size_t>(d)] != next) return false;
    ++next;
  }
  return true;
}

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_KERNEL_SHAPES_H_
