// SPDX-License-Identifier: Apache-2.0
// Pads and concatenations along divided dimensions.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/row_window.h"

namespace xla::spmd {
namespace {

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

bool Partitioner::PartitionPad(HloInstruction* pad) {
  const Source source = SourceOf(pad->mutable_operand(0));
  if (source.shard == nullptr || ShapeUtil::IsZeroElementArray(pad->shape()) ||
      ShapeUtil::IsZeroElementArray(pad->operand(0)->shape())) {
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

std::optional<ShardLayout> Partitioner::LayoutOfConcatenation(
    const HloInstruction& concatenate) const {
  const int64_t d = concatenate.attributes<DimensionListAttributes>().dimensions[0];
  const auto dim = static_cast<size_t>(d);
  std::optional<ShardLayout> leading;
  std::vector<Source> sources;
  int64_t largest = 0;
  for (HloInstruction* operand : concatenate.operands()) {
    Source source;
    if (SlicedAlong(*operand, d).has_value()) source = SourceOf(operand->mutable_operand(0));
    if (source.shard == nullptr) source = SourceOf(operand);
    sources.push_back(source);
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    if (source.shard == nullptr || source.layout.counts[dim] == 1 || size <= largest) continue;
    leading = source.layout;
    largest = size;
  }
  std::optional<ShardLayout> wanted = WantedLayout(concatenate);
  if (!leading.has_value() || !wanted.has_value() || wanted->counts[dim] == 1) return leading;
  const auto bytes_of = [&](const ShardLayout& layout) {
    int64_t bytes = emit_.ReshardBytes(concatenate.shape(), layout, *wanted);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].shard == nullptr) continue;
      const Shape& shape = concatenate.operand(static_cast<int64_t>(i))->shape();
      bytes += emit_.ReshardBytes(shape, sources[i].layout, layout);
    }
    return bytes;
  };
  return bytes_of(*wanted) < bytes_of(*leading) ? wanted : leading;
}

absl::StatusOr<bool> Partitioner::PartitionConcatenate(HloInstruction* concatenate) {
  const int64_t d = concatenate->attributes<DimensionListAttributes>().dimensions[0];
  const auto dim = static_cast<size_t>(d);
  if (ShapeUtil::IsZeroElementArray(concatenate->shape())) return false;
  const std::optional<ShardLayout> layout = LayoutOfConcatenation(*concatenate);
  if (!layout.has_value()) return false;
  const Shape shape = ResultShardShape(concatenate->shape(), *layout);
  HloInstruction* result = nullptr;
  int64_t offset = 0;
  for (HloInstruction* operand : std::vector<HloInstruction*>(concatenate->operands().begin(),
                                                              concatenate->operands().end())) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    const int64_t before = std::exchange(offset, offset + size);
    if (size == 0) continue;
    // Rows of a slice are those of what it is a slice of.
    int64_t begin = 0;
    Source source;
    if (const auto sliced = SlicedAlong(*operand, d); sliced.has_value()) {
      source = SourceOf(operand->mutable_operand(0));
      if (source.shard != nullptr && source.layout == *layout) begin = *sliced;
    }
    if (source.shard == nullptr || source.layout != *layout) source = SourceOf(operand);
    if (source.shard == nullptr || source.layout != *layout) {
      XLA_ASSIGN_OR_RETURN(source.shard, ShardOf(operand, *layout));
      source.layout = *layout;
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
  SetShard(concatenate, result, *layout);
  return true;
}

}  // namespace xla::spmd
