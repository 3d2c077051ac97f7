// SPDX-License-Identifier: Apache-2.0
// Slices along divided dimensions, and several shifted slices of one array at once.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/row_window.h"
#include "xla/spmd/shift_calls.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

// The slice of a shard along the dimensions that are not divided, so that no rows move that are not
// in it.
HloInstruction* SlicedWhereUndivided(HloInstruction* shard, absl::Span<const SliceDim> dims,
                                     const ShardLayout& layout) {
  SliceAttributes attributes;
  Shape shape = shard->shape();
  for (size_t d = 0; d < dims.size(); ++d) {
    const int dim = static_cast<int>(d);
    const bool is_divided = layout.counts[d] > 1;
    attributes.slice.push_back(is_divided ? SliceDim{0, shape.dimensions(dim), 1} : dims[d]);
    if (!is_divided) {
      shape.set_dimensions(dim, CeilOfRatio(dims[d].limit - dims[d].start, dims[d].stride));
    }
  }
  if (ShapeUtil::Compatible(shape, shard->shape())) return shard;
  return Add(shard->parent(), HloOpcode::kSlice, shape, {shard}, std::move(attributes));
}

}  // namespace

absl::StatusOr<bool> Partitioner::PartitionShifts(HloInstruction* call) {
  const auto shift = ShiftCallOf(*call);
  if (!shift.has_value()) return false;
  const Source source = SourceOf(call->mutable_operand(0));
  const auto d = static_cast<size_t>(shift->dimension);
  if (source.shard == nullptr || source.layout.counts[d] == 1) {
    return call->parent()->ReplaceInstruction(call, ExpandedShiftCall(*call, *shift)).ok();
  }
  // The rows of all results at once.
  const int dim = static_cast<int>(shift->dimension);
  const Shape& full = call->operand(0)->shape();
  const Shape& result = call->shape().tuple_shapes(0);
  const int64_t count = source.layout.counts[d];
  const int64_t rows = ShardSize(result, shift->dimension, count);
  RowRange range{.dimension = shift->dimension,
                 .length = rows + shift->results - 1,
                 .limit = full.dimensions(dim)};
  for (int64_t q = 0; q < count; ++q) range.starts.push_back(shift->first + q * rows);
  HloInstruction* fill =
      shift->kind == ShiftCall::Kind::kMultiPad ? call->mutable_operand(1) : nullptr;
  HloInstruction* all = emit_.Rows(source.shard, range, source.layout, fill);
  std::vector<HloInstruction*> results;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < shift->results; ++i) {
    results.push_back(RowsOf(all, shift->dimension, i, rows));
    shapes.push_back(results.back()->shape());
  }
  HloInstruction* tuple =
      Add(call->parent(), HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), results);
  sharded_tuples_[call] =
      ShardedTuple{tuple, std::vector<ShardLayout>(results.size(), source.layout)};
  return true;
}

bool Partitioner::PartitionSlice(HloInstruction* slice) {
  HloInstruction* operand = WithoutAnnotations(slice->mutable_operand(0));
  HloInstruction* fill = nullptr;
  std::vector<int64_t> before(static_cast<size_t>(operand->shape().rank()), 0);
  // A slice of a pad, or of a copy of it, takes rows of what is padded.
  HloInstruction* pad = operand;
  while (pad->opcode() == HloOpcode::kCopy) pad = WithoutAnnotations(pad->mutable_operand(0));
  if (pad->opcode() == HloOpcode::kPad) {
    const Source inner = SourceOf(pad->mutable_operand(0)), outer = SourceOf(operand);
    const auto& padding = pad->attributes<PadAttributes>().padding;
    if (inner.shard != nullptr &&
        (pad == operand || (outer.shard != nullptr && outer.layout == inner.layout)) &&
        std::all_of(padding.begin(), padding.end(),
                    [](const PadDim& dim) { return dim.interior == 0; })) {
      for (size_t d = 0; d < before.size(); ++d) before[d] = padding[d].low;
      fill = pad->mutable_operand(1);
      operand = pad->mutable_operand(0);
    }
  }
  const Source source = SourceOf(operand);
  if (source.shard == nullptr || ShapeUtil::IsZeroElementArray(slice->shape())) return false;
  const auto& dims = slice->attributes<SliceAttributes>().slice;
  const Shape& full = slice->operand(0)->shape();
  SliceAttributes local;
  HloInstruction* rows = source.shard;
  bool needs_rows = false;
  if (fill == nullptr) rows = SlicedWhereUndivided(rows, dims, source.layout);
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto dim = static_cast<int>(d);
    const bool is_kept = IsFull(dims[d], full.dimensions(dim)) && fill == nullptr;
    if (source.layout.counts[d] == 1) {
      if (fill != nullptr && !(IsFull(dims[d], full.dimensions(dim)) &&
                               full.dimensions(dim) == operand->shape().dimensions(dim))) {
        return false;
      }
      local.slice.push_back({0, rows->shape().dimensions(dim), 1});
      continue;
    }
    const int64_t size = ShardSize(slice->shape(), dim, source.layout.counts[d]);
    if (is_kept) {
      local.slice.push_back({0, rows->shape().dimensions(dim), 1});
      continue;
    }
    needs_rows = true;
    const RowWindow window = {static_cast<int64_t>(d), static_cast<int64_t>(d),
                              dims[d].start - before[d], dims[d].stride, 1};
    rows = emit_.Rows(rows, RangeOf(window, operand->shape(), slice->shape(), source.layout),
                      source.layout, fill);
    local.slice.push_back({0, (size - 1) * dims[d].stride + 1, dims[d].stride});
  }
  if (!needs_rows) return false;
  const Shape shape = ResultShardShape(slice->shape(), source.layout);
  HloInstruction* shard = rows;
  if (!ShapeUtil::Compatible(rows->shape(), shape)) {
    shard = Add(slice->parent(), HloOpcode::kSlice, shape, {rows}, std::move(local));
  }
  SetShard(slice, shard, source.layout);
  return true;
}

bool Partitioner::PartitionReverse(HloInstruction* reverse) {
  const Source source = SourceOf(reverse->mutable_operand(0));
  const Shape& full = reverse->shape();
  if (source.shard == nullptr || ShapeUtil::IsZeroElementArray(full)) return false;
  const auto& reversed = reverse->attributes<DimensionListAttributes>().dimensions;
  HloInstruction* rows = source.shard;
  for (const int64_t d : reversed) {
    const int64_t count = source.layout.counts[static_cast<size_t>(d)];
    const int64_t n = full.dimensions(static_cast<int>(d)), size = ShardSize(full, d, count);
    if (n % count == 0) continue;
    // The last rows of the result, and its padding, are before the first rows of the operand.
    RowRange range{.dimension = d, .length = size, .limit = n};
    for (int64_t q = 0; q < count; ++q) range.starts.push_back(n - (count - q) * size);
    rows = emit_.Rows(rows, range, source.layout, nullptr);
  }
  if (rows == source.shard) return false;
  HloInstruction* shard =
      reverse->parent()->AddInstruction(reverse->CloneWithNewOperands(rows->shape(), {rows}));
  SetShard(reverse, shard, ReversedLayout(source.layout, reversed));
  return true;
}

}  // namespace xla::spmd
