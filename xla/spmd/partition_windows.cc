// SPDX-License-Identifier: Apache-2.0
// Instructions whose results need rows of neighboring shards: slices, pads, concatenations, windows
// of reductions and convolutions, along dimensions that are divided.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/reshape_rules.h"
#include "xla/spmd/shift_calls.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// How the rows of a result follow from those of an operand, along one dimension of both: row r
// needs rows from first + r * stride on, `size` of them.
struct RowWindow {
  int64_t dimension = 0;  // of the operand
  int64_t result_dimension = 0;
  int64_t first = 0, stride = 1, size = 1;
};

int64_t ShardSize(const Shape& full, int64_t dimension, int64_t count) {
  return CeilOfRatio(full.dimensions(static_cast<int>(dimension)), count);
}

RowRange RangeOf(const RowWindow& window, const Shape& operand, const Shape& result,
                 const ShardLayout& layout) {
  const int64_t count = layout.counts[static_cast<size_t>(window.dimension)];
  const int64_t rows = ShardSize(result, window.result_dimension, count);
  RowRange range;
  range.dimension = window.dimension;
  range.length = (rows - 1) * window.stride + window.size;
  range.limit = operand.dimensions(static_cast<int>(window.dimension));
  const int64_t results = result.dimensions(static_cast<int>(window.result_dimension));
  for (int64_t q = 0; q < count; ++q) {
    const int64_t start = window.first + q * rows * window.stride;
    range.starts.push_back(start);
    // The padding of the result needs none.
    const int64_t own = std::clamp<int64_t>(results - q * rows, 0, rows);
    range.needed.emplace_back(start,
                              own == 0 ? start : start + (own - 1) * window.stride + window.size);
  }
  return range;
}

// The shape of a result of which dimensions are divided as `layout` says.
Shape ResultShardShape(const Shape& result, const ShardLayout& layout) {
  Shape shape = ShapeUtil::MakeShape(result.element_type(), result.dimensions());
  for (int d = 0; d < shape.rank(); ++d) {
    shape.set_dimensions(d, ShardSize(result, d, layout.counts[static_cast<size_t>(d)]));
  }
  return shape;
}

// Whether windows are worth it: ranges of rows that others have should be less than the array.
bool HasElements(const Shape& shape) { return !ShapeUtil::IsZeroElementArray(shape); }

bool IsFull(const SliceDim& slice, int64_t size) {
  return slice.start == 0 && slice.limit == size && slice.stride == 1;
}

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

// Where a slice of rows along one dimension begins; none if it is something else.
std::optional<int64_t> SlicedAlong(const HloInstruction& slice, int64_t dimension) {
  if (slice.opcode() != HloOpcode::kSlice) return std::nullopt;
  const auto& dims = slice.attributes<SliceAttributes>().slice;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (static_cast<int64_t>(d) == dimension) continue;
    if (!IsFull(dims[d], slice.operand(0)->shape().dimensions(static_cast<int>(d)))) {
      return std::nullopt;
    }
  }
  const SliceDim& rows = dims[static_cast<size_t>(dimension)];
  return rows.stride == 1 ? std::optional(rows.start) : std::nullopt;
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
  Instructions results;
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
  if (source.shard == nullptr || !HasElements(slice->shape())) return false;
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

HloInstruction* Partitioner::ReshapeRows(const HloInstruction& reshape, HloInstruction* shard,
                                         const ShardingStrategy& strategy) {
  const Shape &from = reshape.operand(0)->shape(), &to = reshape.shape();
  const ShardLayout &before = *strategy.operands[0], &after = strategy.result;
  if (IsEven(from, before) && IsEven(to, after)) return shard;
  // Each group of dimensions as one, whose chunks may be of other sizes afterwards.
  const std::vector<ReshapeGroup> groups = ReshapeGroups(from, to);
  const auto plan = PlanReshape(from, to, before, partitions_);
  const auto layout = plan.has_value() ? ShardLayoutFrom(plan->chunks, partitions_) : std::nullopt;
  if (!layout.has_value()) return shard;
  std::vector<int64_t> sizes;
  for (const ReshapeGroup& group : groups) {
    sizes.push_back(ChunkSize(from, before, group.from_begin, group.from_end));
  }
  HloInstruction* rows = Reshape(shard, sizes);
  for (size_t g = 0; g < groups.size(); ++g) {
    const int64_t size = ChunkSize(to, after, groups[g].to_begin, groups[g].to_end);
    if (layout->counts[g] == 1 || size == sizes[g]) continue;
    RowRange range{.dimension = static_cast<int64_t>(g), .length = size, .limit = 1};
    for (int d = groups[g].from_begin; d < groups[g].from_end; ++d) {
      range.limit *= from.dimensions(d);
    }
    for (int64_t q = 0; q < layout->counts[g]; ++q) range.starts.push_back(q * size);
    rows = emit_.Rows(rows, range, *layout, nullptr);
  }
  return rows;
}

bool Partitioner::PartitionPad(HloInstruction* pad) {
  const Source source = SourceOf(pad->mutable_operand(0));
  if (source.shard == nullptr || !HasElements(pad->shape()) ||
      !HasElements(pad->operand(0)->shape())) {
    return false;
  }
  const auto& padding = pad->attributes<PadAttributes>().padding;
  PadAttributes local;
  HloInstruction* rows = source.shard;
  bool needs_rows = false;
  for (size_t d = 0; d < padding.size(); ++d) {
    const PadDim& dim = padding[d];
    const bool is_kept = dim == PadDim();
    local.padding.push_back(source.layout.counts[d] == 1 ? dim : PadDim());
    if (source.layout.counts[d] == 1 || is_kept) continue;
    needs_rows = true;
    if (dim.interior != 0) {
      // As a window of one row over rows with gaps.
      WindowDim window{
          .padding_low = dim.low, .padding_high = dim.high, .base_dilation = dim.interior + 1};
      const int at = static_cast<int>(d);
      rows = RowsOfWindow(rows, source.layout, static_cast<int64_t>(d),
                          pad->operand(0)->shape().dimensions(at), pad->shape().dimensions(at),
                          pad->mutable_operand(1), window);
      local.padding[d] = {window.padding_low, window.padding_high, window.base_dilation - 1};
      continue;
    }
    const RowWindow window = {static_cast<int64_t>(d), static_cast<int64_t>(d), -dim.low, 1, 1};
    rows = emit_.Rows(rows, RangeOf(window, pad->operand(0)->shape(), pad->shape(), source.layout),
                      source.layout, pad->mutable_operand(1));
  }
  if (!needs_rows) return false;
  const Shape shape = ResultShardShape(pad->shape(), source.layout);
  HloInstruction* shard = rows;
  // Padding on one side may be taken off on the other.
  if (std::any_of(local.padding.begin(), local.padding.end(),
                  [](const PadDim& dim) { return dim != PadDim(); })) {
    shard = Add(pad->parent(), HloOpcode::kPad, shape, {rows, pad->mutable_operand(1)},
                std::move(local));
  }
  SetShard(pad, shard, source.layout);
  return true;
}

absl::StatusOr<bool> Partitioner::PartitionConcatenate(HloInstruction* concatenate) {
  const int64_t d = concatenate->attributes<DimensionListAttributes>().dimensions[0];
  const auto dim = static_cast<size_t>(d);
  if (!HasElements(concatenate->shape())) return false;
  // As the largest operand that is divided there.
  Source leading;
  int64_t largest = 0;
  for (HloInstruction* operand : concatenate->operands()) {
    Source source;
    if (SlicedAlong(*operand, d).has_value()) source = SourceOf(operand->mutable_operand(0));
    if (source.shard == nullptr) source = SourceOf(operand);
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    if (source.shard == nullptr || source.layout.counts[dim] == 1 || size <= largest) continue;
    leading = source;
    largest = size;
  }
  if (leading.shard == nullptr) return false;
  const Shape shape = ResultShardShape(concatenate->shape(), leading.layout);
  HloInstruction* result = nullptr;
  int64_t offset = 0;
  for (HloInstruction* operand :
       Instructions(concatenate->operands().begin(), concatenate->operands().end())) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    const int64_t before = std::exchange(offset, offset + size);
    if (size == 0) continue;
    // Rows of a slice are those of what it is a slice of.
    int64_t begin = 0;
    Source source;
    if (const auto sliced = SlicedAlong(*operand, d); sliced.has_value()) {
      source = SourceOf(operand->mutable_operand(0));
      if (source.shard != nullptr && source.layout == leading.layout) begin = *sliced;
    }
    if (source.shard == nullptr || source.layout != leading.layout) source = SourceOf(operand);
    if (source.shard == nullptr || source.layout != leading.layout) {
      XLA_ASSIGN_OR_RETURN(source.shard, ShardOf(operand, leading.layout));
      source.layout = leading.layout;
    }
    const RowWindow window = {d, d, begin - before, 1, 1};
    RowRange range = RangeOf(window, operand->shape(), concatenate->shape(), source.layout);
    range.begin = begin;
    range.limit = begin + size;
    HloInstruction* own = emit_.Rows(source.shard, range, source.layout, nullptr);
    if (result == nullptr) {
      result = own;
      continue;
    }
    HloInstruction* start =
        ValueAtPosition(concatenate->parent(), source.layout, dim, range.starts);
    HloInstruction* mask = emit_.ValidRows(shape, d, start, size);
    result = Add(concatenate->parent(), HloOpcode::kSelect, shape, {mask, own, result});
  }
  SetShard(concatenate, result, leading.layout);
  return true;
}

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
  if (leading.shard == nullptr || !HasElements(result) || !HasElements(full)) return false;
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
      rows =
          RowsOfWindow(rows, leading.layout, static_cast<int64_t>(d),
                       full.dimensions(static_cast<int>(d)), result.dimensions(static_cast<int>(d)),
                       reduce_window->mutable_operand(static_cast<int64_t>(inputs + i)), dim);
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

absl::StatusOr<bool> Partitioner::PartitionAlongDividedDimension(HloInstruction* instruction) {
  switch (instruction->opcode()) {
    case HloOpcode::kSlice:
      return PartitionSlice(instruction);
    case HloOpcode::kPad:
      return PartitionPad(instruction);
    case HloOpcode::kConcatenate:
      return PartitionConcatenate(instruction);
    case HloOpcode::kReduceWindow:
      if (PartitionCumulative(instruction)) return true;
      return PartitionReduceWindow(instruction);
    case HloOpcode::kSelectAndScatter:
      return PartitionSelectAndScatter(instruction);
    case HloOpcode::kConvolution:
      return PartitionConvolution(instruction);
    case HloOpcode::kRaggedDot:
      return PartitionRaggedDot(instruction);
    case HloOpcode::kDynamicSlice:
      return PartitionDynamicSlice(instruction);
    case HloOpcode::kDynamicUpdateSlice:
      return PartitionDynamicUpdateSlice(instruction);
    case HloOpcode::kGather:
      return PartitionGather(instruction);
    case HloOpcode::kScatter:
      return PartitionScatter(instruction);
    case HloOpcode::kReduce:
      return PartitionVariadicReduce(instruction);
    case HloOpcode::kCustomCall:
      return PartitionShifts(instruction);
    default:
      return false;
  }
}

}  // namespace xla::spmd
