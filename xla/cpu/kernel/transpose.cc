// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/transpose.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/transpose_tiles.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

class Transpose final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  void EmitUnits(KernelCode& code) const override {
    const auto source = code.buffers().find(root().operand(0));
    ElementEmitter rows = code.MakeEmitter(tiles.lanes);
    EmitTranspose(root(), tiles, code.ops(), rows,
                  source == code.buffers().end() ? nullptr : source->second[0].pointer,
                  code.results()[0], code.begin(), code.end());
    code.Check(rows);
  }

  PlanDescription Describe() const override {
    std::string loops = absl::StrCat(" [] lanes ", tiles.lanes, " of transpose");
    if (tiles.block_a != 0) {
      absl::StrAppend(&loops, " blocks ", tiles.block_a, " by ", tiles.block_b, " tiles ",
                      tiles.tile, tiles.blocks_are_outer ? " outer" : "",
                      tiles.pads ? " padded" : "");
    }
    absl::StrAppend(&loops, " units ", units);
    return {absl::StrCat(tiles.interleaves ? "interleaves " : "", "transposes "), "", loops};
  }

  int64_t lanes() const override { return tiles.lanes; }

  TransposeTiles tiles;
};

// Rows of a transpose's result up to this length are stored interleaved.
constexpr int64_t kFewInterleaved = 4;

// Returns the dimension of the result that is minor in the operand.
int MinorOfOperand(const HloInstruction& transpose) {
  const int rank = static_cast<int>(transpose.shape().rank());
  for (int d = 0; d < rank; ++d) {
    if (transpose.dimensions()[static_cast<size_t>(d)] == rank - 1) return d;
  }
  return rank - 1;
}

// Returns the size of that dimension.
int64_t OperandRowOf(const HloInstruction& transpose) {
  return transpose.shape().rank() == 0 ? 1
                                       : transpose.shape().dimensions(MinorOfOperand(transpose));
}

// Whether the operand's rows, which are columns of the result, are adjacent there: all elements of
// a few rows are contiguous.
bool InterleavesRows(const HloInstruction& transpose, int64_t lanes) {
  const Shape& shape = transpose.shape();
  const int64_t rank = shape.rank();
  return shape.dimensions().back() <= kFewInterleaved && shape.dimensions().back() < lanes &&
         shape.dimensions(static_cast<int>(rank) - 2) >= lanes &&
         transpose.dimensions()[static_cast<size_t>(rank) - 2] == rank - 1;
}

// Elements between neighbors in each dimension of the shape.
std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t d = strides.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape.dimensions(static_cast<int>(d));
  return strides;
}

// Whether blocks at neighboring indices of the other dimensions are closer to each other in memory
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

// Chooses square blocks, whose pages and cache lines stay in the caches while their tiles are read
// and written; blocks of as many elements if one side is short.
void ChooseBlocks(int64_t size_a, int64_t size_b, int64_t bytes, TransposeTiles& tiles) {
  const int64_t side = std::max<int64_t>(bytes == 1 ? 128 : 64, tiles.tile);
  const auto in_tiles = [&](int64_t size) {
    return CeilOfRatio<int64_t>(size, tiles.tile) * tiles.tile;
  };
  tiles.block_a = std::min(in_tiles(size_a), side);
  tiles.block_b = std::min(in_tiles(size_b), in_tiles(side * side / tiles.block_a));
  tiles.block_a = std::min(in_tiles(size_a), in_tiles(side * side / tiles.block_b));
}

// Whether the operand is fused into the kernel rather than materialized.
bool Computes(const HloInstruction& transpose) {
  return transpose.operand(0)->opcode() != HloOpcode::kParameter;
}

// Returns tiles of one lane if none suits.
TransposeTiles TilesOf(const HloInstruction& transpose, int vector_bytes) {
  const int64_t size_b = transpose.shape().dimensions().back(), size_a = OperandRowOf(transpose);
  const bool computes = Computes(transpose);
  const int64_t bytes = primitive_util::ByteWidth(transpose.shape().element_type());
  const int64_t width = computes ? std::max<int64_t>(bytes, 4) : bytes;
  const int64_t most_lanes = std::min<int64_t>(16, vector_bytes / width);
  TransposeTiles tiles;
  tiles.lanes = static_cast<int>(most_lanes);
  tiles.interleaves = size_b > 1 && InterleavesRows(transpose, tiles.lanes);
  tiles.pads =
      !tiles.interleaves && size_b > 4 && size_b < most_lanes && (size_b & (size_b - 1)) != 0;
  while (tiles.pads && tiles.lanes / 2 > size_b) tiles.lanes /= 2;
  tiles.pads &= size_a >= tiles.lanes;
  while (!tiles.interleaves && !tiles.pads && tiles.lanes > 1 &&
         (tiles.lanes > size_a || tiles.lanes > size_b)) {
    tiles.lanes /= 2;
  }
  tiles.tile = tiles.lanes;
  if (tiles.interleaves || tiles.pads) {
    constexpr int64_t kSegmentTiles = 64;
    tiles.block_a =
        std::min<int64_t>(kSegmentTiles, CeilOfRatio<int64_t>(size_a, tiles.lanes)) * tiles.lanes;
    tiles.block_b = size_b;
    return tiles;
  }
  const int64_t wide = vector_bytes / bytes;
  if (!computes && tiles.lanes == most_lanes && wide <= std::min(size_a, size_b))
    tiles.tile = static_cast<int>(std::max(wide, most_lanes));
  ChooseBlocks(size_a, size_b, bytes, tiles);
  tiles.blocks_are_outer = BlocksAreOuter(transpose);
  return tiles;
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
  if (IsView(operand->opcode())) {
    // Vectors must stay within rows of the reshaped array.
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

bool FitsTranspose(const KernelRequest& request) {
  const HloInstruction& transpose = request.root();
  const Shape& shape = transpose.shape();
  return transpose.opcode() == HloOpcode::kTranspose && shape.rank() >= 2 && CountOf(shape) > 0 &&
         shape.element_type() != C128 && transpose.dimensions().back() != shape.rank() - 1 &&
         !PicksFromShortRows(transpose) &&
         (!Computes(transpose) || TransposesComputedRows(transpose)) &&
         TilesOf(transpose, request.target->machine.vector_bytes).lanes >= 2;
}

std::unique_ptr<const KernelPlan> PlanTranspose(const KernelRequest& request) {
  const HloInstruction& transpose = request.root();
  const Shape& shape = transpose.shape();
  const int64_t size_b = shape.dimensions().back(), size_a = OperandRowOf(transpose);
  auto plan = std::make_unique<Transpose>(request);
  TransposeTiles& tiles = plan->tiles;
  tiles = TilesOf(transpose, request.target->machine.vector_bytes);
  const int64_t elements = CountOf(shape);
  plan->units = elements / size_a / size_b * CeilOfRatio(size_a, tiles.block_a) *
                CeilOfRatio(size_b, tiles.block_b);
  const int64_t bytes = elements * primitive_util::ByteWidth(shape.element_type());
  plan->bytes = static_cast<double>(2 * bytes);
  const Machine& machine = request.target->machine;
  plan->streams = machine.ExceedsCaches(static_cast<double>(bytes)) && !tiles.pads &&
                  size_b % tiles.tile == 0 && size_a % tiles.tile == 0;
  tiles.streams = plan->streams;
  plan->chunk =
      machine.IsWorthAThread(machine.Nanoseconds(plan->bytes, 0))
          ? machine.UnitsOfTask(plan->units, plan->bytes / machine.memory_bytes_per_nanosecond)
          : std::max<int64_t>(1, plan->units);
  return plan;
}

}  // namespace xla::cpu
