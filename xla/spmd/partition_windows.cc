// SPDX-License-Identifier: Apache-2.0
// Instructions whose results need rows of neighboring shards: slices, pads, concatenations, windows
// of reductions and convolutions, along dimensions that are divided.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
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
  for (int64_t q = 0; q < count; ++q) {
    range.starts.push_back(window.first + q * rows * window.stride);
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

}  // namespace

bool Partitioner::PartitionSlice(HloInstruction* slice) {
  HloInstruction* operand = WithoutAnnotations(slice->mutable_operand(0));
  HloInstruction* fill = nullptr;
  std::vector<int64_t> before(static_cast<size_t>(operand->shape().rank()), 0);
  // A slice of a pad takes rows of what is padded.
  if (operand->opcode() == HloOpcode::kPad && SourceOf(operand->mutable_operand(0)).shard) {
    const auto& padding = operand->attributes<PadAttributes>().padding;
    if (std::all_of(padding.begin(), padding.end(),
                    [](const PadDim& dim) { return dim.interior == 0; })) {
      for (size_t d = 0; d < before.size(); ++d) before[d] = padding[d].low;
      fill = operand->mutable_operand(1);
      operand = operand->mutable_operand(0);
    }
  }
  const Source source = SourceOf(operand);
  if (source.shard == nullptr || !HasElements(slice->shape())) return false;
  const auto& dims = slice->attributes<SliceAttributes>().slice;
  const Shape& full = slice->operand(0)->shape();
  SliceAttributes local;
  HloInstruction* rows = source.shard;
  bool needs_rows = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto dim = static_cast<int>(d);
    const bool is_kept = IsFull(dims[d], full.dimensions(dim)) && fill == nullptr;
    if (source.layout.counts[d] == 1) {
      if (fill != nullptr && !(IsFull(dims[d], full.dimensions(dim)) &&
                               full.dimensions(dim) == operand->shape().dimensions(dim))) {
        return false;
      }
      local.slice.push_back(dims[d]);
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
    if (dim.interior != 0) return false;
    needs_rows = true;
    const RowWindow window = {static_cast<int64_t>(d), static_cast<int64_t>(d), -dim.low, 1, 1};
    rows = emit_.Rows(rows, RangeOf(window, pad->operand(0)->shape(), pad->shape(), source.layout),
                      source.layout, pad->mutable_operand(1));
  }
  if (!needs_rows) return false;
  const Shape shape = ResultShardShape(pad->shape(), source.layout);
  HloInstruction* shard = rows;
  if (!ShapeUtil::Compatible(rows->shape(), shape)) {
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
    const Source source = SourceOf(operand);
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    if (source.shard == nullptr || source.layout.counts[dim] == 1 || size <= largest) continue;
    leading = source;
    largest = size;
  }
  if (leading.shard == nullptr) return false;
  const Shape shape = ResultShardShape(concatenate->shape(), leading.layout);
  const int64_t rows = shape.dimensions(static_cast<int>(d));
  HloInstruction* result = nullptr;
  int64_t offset = 0;
  for (HloInstruction* operand :
       Instructions(concatenate->operands().begin(), concatenate->operands().end())) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    const int64_t before = std::exchange(offset, offset + size);
    if (size == 0) continue;
    Source source = SourceOf(operand);
    if (source.shard == nullptr || source.layout != leading.layout) {
      XLA_ASSIGN_OR_RETURN(source.shard, ShardOf(operand, leading.layout));
      source.layout = leading.layout;
    }
    const RowWindow window = {d, d, -before, 1, 1};
    RowRange range = RangeOf(window, operand->shape(), concatenate->shape(), source.layout);
    HloInstruction* own = emit_.Rows(source.shard, range, source.layout, nullptr);
    if (result == nullptr) {
      result = own;
      continue;
    }
    std::vector<int64_t> starts;
    for (int64_t p = 0; p < partitions_; ++p) {
      starts.push_back(source.layout.Position(p, dim) * rows - before);
    }
    HloInstruction* mask = emit_.ValidRows(shape, d, starts, size, concatenate->parent());
    result = Add(concatenate->parent(), HloOpcode::kSelect, shape, {mask, own, result});
  }
  SetShard(concatenate, result, leading.layout);
  return true;
}

bool Partitioner::PartitionReduceWindow(HloInstruction* reduce_window) {
  if (reduce_window->operand_count() != 2 || !HasElements(reduce_window->shape())) return false;
  HloInstruction* operand = reduce_window->mutable_operand(0);
  const Source source = SourceOf(operand);
  if (source.shard == nullptr || !HasElements(operand->shape())) return false;
  WindowAttributes local = reduce_window->attributes<WindowAttributes>();
  HloInstruction* rows = source.shard;
  for (size_t d = 0; d < local.window.size(); ++d) {
    WindowDim& dim = local.window[d];
    if (source.layout.counts[d] == 1 || dim == WindowDim()) continue;
    if (dim.base_dilation != 1) return false;
    const int64_t size = (dim.size - 1) * dim.window_dilation + 1;
    const RowWindow window = {static_cast<int64_t>(d), static_cast<int64_t>(d), -dim.padding_low,
                              dim.stride, size};
    // Windows of most of the array are gathered as well.
    if (size > operand->shape().dimensions(static_cast<int>(d)) / 2) return false;
    rows =
        emit_.Rows(rows, RangeOf(window, operand->shape(), reduce_window->shape(), source.layout),
                   source.layout, reduce_window->mutable_operand(1));
    dim.padding_low = dim.padding_high = 0;
  }
  HloInstruction* shard = reduce_window->parent()->AddInstruction(
      reduce_window->CloneWithNewOperands(ResultShardShape(reduce_window->shape(), source.layout),
                                          {rows, reduce_window->mutable_operand(1)}));
  *shard->mutable_attributes<WindowAttributes>() = std::move(local);
  SetShard(reduce_window, shard, source.layout);
  return true;
}

bool Partitioner::PartitionConvolution(HloInstruction* convolution) {
  auto local = convolution->attributes<ConvolutionAttributes>();
  HloInstruction* input = convolution->mutable_operand(0);
  const Source source = SourceOf(input);
  if (source.shard == nullptr || local.batch_group_count != 1 ||
      !HasElements(convolution->shape()) || !HasElements(input->shape())) {
    return false;
  }
  const ConvDims& dims = local.dim_labels;
  if (source.layout.counts[static_cast<size_t>(dims.input_feature)] != 1) return false;
  DimensionShardings result(static_cast<size_t>(convolution->shape().rank()));
  const DimensionShardings given = DimensionShardingsOf(source.layout);
  result[static_cast<size_t>(dims.output_batch)] = given[static_cast<size_t>(dims.input_batch)];
  bool is_divided = false;
  for (size_t i = 0; i < dims.input_spatial.size(); ++i) {
    const DimensionSharding& sharding = given[static_cast<size_t>(dims.input_spatial[i])];
    result[static_cast<size_t>(dims.output_spatial[i])] = sharding;
    if (sharding.count == 1) continue;
    is_divided = true;
    if (local.window[i].base_dilation != 1) return false;
  }
  const std::optional<ShardLayout> layout = ShardLayoutFrom(result, partitions_);
  if (!is_divided || !layout.has_value()) return false;
  HloInstruction* zero =
      Zero(convolution->parent(), ShapeUtil::MakeShape(input->shape().element_type(), {}));
  HloInstruction* rows = source.shard;
  for (size_t i = 0; i < dims.input_spatial.size(); ++i) {
    const auto from = static_cast<size_t>(dims.input_spatial[i]);
    if (source.layout.counts[from] == 1) continue;
    WindowDim& dim = local.window[i];
    const RowWindow window = {dims.input_spatial[i], dims.output_spatial[i], -dim.padding_low,
                              dim.stride, (dim.size - 1) * dim.window_dilation + 1};
    rows = emit_.Rows(rows, RangeOf(window, input->shape(), convolution->shape(), source.layout),
                      source.layout, zero);
    dim.padding_low = dim.padding_high = 0;
  }
  HloInstruction* shard = convolution->parent()->AddInstruction(convolution->CloneWithNewOperands(
      ResultShardShape(convolution->shape(), *layout), {rows, convolution->mutable_operand(1)}));
  *shard->mutable_attributes<ConvolutionAttributes>() = std::move(local);
  SetShard(convolution, shard, *layout);
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
      return PartitionCumulative(instruction) || PartitionReduceWindow(instruction);
    case HloOpcode::kConvolution:
      return PartitionConvolution(instruction);
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
    default:
      return false;
  }
}

}  // namespace xla::spmd
