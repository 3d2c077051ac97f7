// SPDX-License-Identifier: Apache-2.0
// How transposes are cut into tiles and units.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "xla/cpu/kernel_shapes.h"
#include "xla/cpu/transpose_emitter.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Rows of a transpose's result that are stored side by side, if they are this short.
constexpr int64_t kFewInterleaved = 4;

// The dimension of the result that is minor in the operand.
int MinorOfOperand(const HloInstruction& transpose) {
  const int rank = static_cast<int>(transpose.shape().rank());
  for (int d = 0; d < rank; ++d) {
    if (transpose.dimensions()[static_cast<size_t>(d)] == rank - 1) return d;
  }
  return rank - 1;
}

// The size of that dimension.
int64_t OperandRowOf(const HloInstruction& transpose) {
  return transpose.shape().rank() == 0 ? 1
                                       : transpose.shape().dimensions(MinorOfOperand(transpose));
}

// Whether rows of the operand, as columns of the result, are next to each other: all elements of a
// few rows follow each other.
bool InterleavesRows(const HloInstruction& transpose, int64_t lanes) {
  const Shape& shape = transpose.shape();
  const int64_t rank = shape.rank();
  return shape.dimensions().back() <= kFewInterleaved && shape.dimensions().back() < lanes &&
         shape.dimensions(static_cast<int>(rank) - 2) >= lanes &&
         transpose.dimensions()[static_cast<size_t>(rank) - 2] == rank - 1;
}

// Elements between neighbours in each dimension of the shape.
std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t d = strides.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape.dimensions(static_cast<int>(d));
  return strides;
}

// Whether blocks at neighbouring indices of the other dimensions are closer to each other in memory
// than the rows of a block.
bool BlocksAreOuter(const HloInstruction& transpose) {
  const int rank = static_cast<int>(transpose.shape().rank());
  const int a = MinorOfOperand(transpose), b = rank - 1;
  int other = b - 1;
  while (other >= 0 && (other == a || transpose.shape().dimensions(other) == 1)) --other;
  if (other < 0) return false;
  const std::vector<int64_t> from = StridesOf(transpose.operand(0)->shape()),
                             to = StridesOf(transpose.shape());
  const auto from_of = [&](int d) {
    return from[static_cast<size_t>(transpose.dimensions()[static_cast<size_t>(d)])];
  };
  return std::max(from_of(other), to[static_cast<size_t>(other)]) <
         std::min(from_of(b), to[static_cast<size_t>(a)]);
}

// Square blocks, whose pages and cache lines the processor keeps while it reads and writes them by
// tiles; as many elements where one side is short.
void ChooseBlocks(int64_t size_a, int64_t size_b, int64_t bytes, KernelRegion& region) {
  const int64_t side = std::max<int64_t>(bytes == 1 ? 128 : 64, region.tile);
  const auto in_tiles = [&](int64_t size) {
    return CeilOfRatio<int64_t>(size, region.tile) * region.tile;
  };
  region.block_a = std::min(in_tiles(size_a), side);
  region.block_b = std::min(in_tiles(size_b), in_tiles(side * side / region.block_a));
  region.block_a = std::min(in_tiles(size_a), in_tiles(side * side / region.block_b));
}

}  // namespace

bool TransposesComputedRows(const HloInstruction& transpose) {
  constexpr int64_t kLeastRow = 16;
  const Shape& shape = transpose.shape();
  if (shape.rank() < 2 || shape.element_type() == PRED ||
      primitive_util::IsSubByteNonPredType(shape.element_type()) ||
      primitive_util::IsComplexType(shape.element_type()) || OperandRowOf(transpose) < kLeastRow) {
    return false;
  }
  const HloInstruction* operand = transpose.operand(0);
  if (operand->opcode() == HloOpcode::kReshape || operand->opcode() == HloOpcode::kBitcast) {
    // Vectors stay within rows of what is reshaped.
    const Shape& from = operand->operand(0)->shape();
    if (from.rank() == 0 || from.dimensions().back() % kLeastRow != 0 ||
        OperandRowOf(transpose) % kLeastRow != 0) {
      return false;
    }
  }
  return shape.dimensions().back() >= kLeastRow || InterleavesRows(transpose, kLeastRow);
}

bool PicksFromShortRows(const HloInstruction& transpose) {
  const int64_t rank = transpose.shape().rank();
  return rank >= 2 && OperandRowOf(transpose) <= kFewInterleaved &&
         transpose.dimensions().back() == rank - 2 &&
         !primitive_util::IsComplexType(transpose.shape().element_type());
}

bool PlanTranspose(const HloInstruction& transpose, const Target& target, KernelPlan& plan) {
  const Shape& shape = transpose.shape();
  const int64_t rank = shape.rank();
  const bool computes = transpose.operand(0)->opcode() != HloOpcode::kParameter;
  if (rank < 2 || shape.element_type() == C128 || transpose.dimensions().back() == rank - 1 ||
      PicksFromShortRows(transpose) || (computes && !TransposesComputedRows(transpose))) {
    return false;
  }
  KernelRegion region;
  region.source = &transpose;
  const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  const int64_t width = computes ? std::max<int64_t>(bytes, 4) : bytes;
  const int64_t most_lanes = std::min<int64_t>(16, target.vector_bytes / width);
  region.lanes = static_cast<int>(most_lanes);
  const int64_t size_b = shape.dimensions().back(), size_a = OperandRowOf(transpose);
  plan.interleaves = size_b > 1 && InterleavesRows(transpose, region.lanes);
  region.pads =
      !plan.interleaves && size_b > 4 && size_b < most_lanes && (size_b & (size_b - 1)) != 0;
  while (region.pads && region.lanes / 2 > size_b) region.lanes /= 2;
  region.pads &= size_a >= region.lanes;
  while (!plan.interleaves && !region.pads && region.lanes > 1 &&
         (region.lanes > size_a || region.lanes > size_b)) {
    region.lanes /= 2;
  }
  if (region.lanes < 2) return false;
  const int64_t elements = CountOf(shape);
  region.tile = region.lanes;
  if (plan.interleaves || region.pads) {
    constexpr int64_t kSegmentTiles = 64;
    region.block_a =
        std::min<int64_t>(kSegmentTiles, CeilOfRatio<int64_t>(size_a, region.lanes)) * region.lanes;
    region.block_b = size_b;
  } else {
    const int64_t wide = target.vector_bytes / bytes;
    if (!computes && region.lanes == most_lanes && wide <= std::min(size_a, size_b))
      region.tile = static_cast<int>(std::max(wide, most_lanes));
    ChooseBlocks(size_a, size_b, bytes, region);
    region.blocks_are_outer = BlocksAreOuter(transpose);
  }
  region.units = size_a == 0 || size_b == 0
                     ? 0
                     : elements / size_a / size_b * CeilOfRatio(size_a, region.block_a) *
                           CeilOfRatio(size_b, region.block_b);
  plan.transposes = true;
  plan.units = region.units;
  plan.bytes = static_cast<double>(2 * elements * bytes);
  plan.streams = static_cast<double>(elements * bytes) >= kStreamingBytes && !region.pads &&
                 size_b % region.tile == 0 && size_a % region.tile == 0;
  plan.chunk = plan.bytes < 400e3
                   ? std::max<int64_t>(1, plan.units)
                   : std::max<int64_t>(1, static_cast<int64_t>(500e3 / plan.bytes *
                                                               static_cast<double>(plan.units)));
  plan.regions.push_back(std::move(region));
  return true;
}

}  // namespace xla::cpu
