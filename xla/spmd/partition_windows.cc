// SPDX-License-Identifier: Apache-2.0
// Windows of reductions and dilated rows along divided dimensions: each shard takes the rows of its
// neighbors that its windows reach.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/reduction_start.h"
#include "xla/spmd/row_window.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

}  // namespace

// Of windows over rows, those that the results of each shard need.
Partitioner::WindowRows Partitioner::WindowRange(const WindowDim& dim, int64_t dimension,
                                                 int64_t size, int64_t results, int64_t count) {
  const int64_t shard = CeilOfRatio(results, count), base = dim.base_dilation;
  const int64_t length = (shard - 1) * dim.stride + (dim.size - 1) * dim.window_dilation + 1;
  WindowRows rows;
  rows.range.dimension = dimension;
  rows.range.limit = size;
  rows.local = dim;
  rows.local.padding_low = rows.local.padding_high = 0;
  // With zeros between rows, windows of all shards begin at the same place between two rows; else
  // the zeros become rows.
  rows.is_dilated = base > 1 && (shard * dim.stride) % base != 0;
  if (rows.is_dilated) rows.local.base_dilation = 1;
  const auto floor = [&](int64_t row) { return row >= 0 ? row / base : -CeilOfRatio(-row, base); };
  int64_t most = 1;
  for (int64_t q = 0; q < count; ++q) {
    const int64_t start = q * shard * dim.stride - dim.padding_low;
    const int64_t end = start + length - 1;  // included
    const int64_t own = std::clamp<int64_t>(results - q * shard, 0, shard);
    const int64_t own_end = end - (shard - own) * dim.stride;
    rows.range.needed.emplace_back(-floor(-start), own == 0 ? -floor(-start) : floor(own_end) + 1);
    const int64_t first = rows.is_dilated ? floor(start) : -floor(-start);
    const int64_t last = floor(end);
    rows.range.starts.push_back(first);
    rows.offsets.push_back(start - first * base);
    most = std::max(most, last - first + 1);
    if (rows.is_dilated) continue;
    rows.local.padding_low = first * base - start;
    // Windows between two rows leave out the one row that there is.
    rows.local.padding_high = end - std::max(first, last) * base;
  }
  rows.window_length = length;
  rows.range.length = most;
  return rows;
}

HloInstruction* Partitioner::RowsOfWindow(HloInstruction* shard, const ShardLayout& layout,
                                          int64_t dimension, int64_t size, int64_t results,
                                          HloInstruction* fill, WindowDim& dim) {
  const auto d = static_cast<size_t>(dimension);
  const WindowRows rows = WindowRange(dim, dimension, size, results, layout.counts[d]);
  const int64_t base = dim.base_dilation;
  dim = rows.local;
  HloInstruction* own = emit_.Rows(shard, rows.range, layout, fill);
  if (!rows.is_dilated) return own;
  PadAttributes padding;
  padding.padding.resize(static_cast<size_t>(own->shape().rank()));
  padding.padding[d] = {0, rows.window_length + base, base - 1};
  Shape shape = own->shape();
  const int at = static_cast<int>(dimension);
  shape.set_dimensions(at, (rows.range.length - 1) * base + 1 + rows.window_length + base);
  HloInstruction* dilated =
      Add(own->parent(), HloOpcode::kPad, shape, {own, fill}, std::move(padding));
  shape.set_dimensions(at, rows.window_length);
  Instructions operands = {dilated};
  for (size_t e = 0; e < layout.counts.size(); ++e) {
    operands.push_back(e == d ? ValueAtPosition(own->parent(), layout, d, rows.offsets)
                              : ScalarS32(own->parent(), 0));
  }
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  return Add(own->parent(), HloOpcode::kDynamicSlice, shape, operands, std::move(attributes));
}

absl::StatusOr<bool> Partitioner::PartitionReduceWindow(HloInstruction* reduce_window) {
  const auto inputs = static_cast<size_t>(reduce_window->operand_count()) / 2;
  Source leading;
  for (size_t i = 0; i < inputs && leading.shard == nullptr; ++i) {
    leading = SourceOf(reduce_window->mutable_operand(static_cast<int64_t>(i)));
  }
  const Shape& full = reduce_window->operand(0)->shape();
  const Shape& result = reduce_window->shape().IsTuple() ? reduce_window->shape().tuple_shapes(0)
                                                         : reduce_window->shape();
  if (leading.shard == nullptr || ShapeUtil::IsZeroElementArray(result) ||
      ShapeUtil::IsZeroElementArray(full))
    return false;
  WindowAttributes local = reduce_window->attributes<WindowAttributes>();
  Instructions operands;
  for (size_t i = 0; i < inputs; ++i) {
    XLA_ASSIGN_OR_RETURN(
        HloInstruction * rows,
        ShardOf(reduce_window->mutable_operand(static_cast<int64_t>(i)), leading.layout));
    local = reduce_window->attributes<WindowAttributes>();
    for (size_t d = 0; d < local.window.size(); ++d) {
      WindowDim& dim = local.window[d];
      if (leading.layout.counts[d] == 1 || dim == WindowDim()) continue;
      rows = RowsOfWindow(
          rows, leading.layout, static_cast<int64_t>(d), full.dimensions(static_cast<int>(d)),
          result.dimensions(static_cast<int>(d)), NeutralElement(*reduce_window, i), dim);
    }
    operands.push_back(rows);
  }
  for (size_t i = 0; i < inputs; ++i) {
    operands.push_back(reduce_window->mutable_operand(static_cast<int64_t>(inputs + i)));
  }
  Shape shape = ResultShardShape(result, leading.layout);
  if (reduce_window->shape().IsTuple()) {
    std::vector<Shape> shapes;
    for (const Shape& element : reduce_window->shape().tuple_shapes()) {
      shapes.push_back(ResultShardShape(element, leading.layout));
    }
    shape = ShapeUtil::MakeTupleShape(shapes);
  }
  HloInstruction* shard =
      reduce_window->parent()->AddInstruction(reduce_window->CloneWithNewOperands(shape, operands));
  *shard->mutable_attributes<WindowAttributes>() = std::move(local);
  if (reduce_window->shape().IsTuple()) {
    sharded_tuples_[reduce_window] =
        ShardedTuple{shard, std::vector<ShardLayout>(inputs, leading.layout)};
  } else {
    SetShard(reduce_window, shard, leading.layout);
  }
  return true;
}

}  // namespace xla::spmd
