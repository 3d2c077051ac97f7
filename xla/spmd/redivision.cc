// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/redivision.h"

#include <algorithm>
#include <utility>

#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/shard_emitter.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

// The dimension that is divided differently, if it is only one.
std::optional<size_t> ChangedDimension(const ShardLayout& from, const ShardLayout& to) {
  std::optional<size_t> changed;
  for (size_t d = 0; d < from.counts.size(); ++d) {
    if (from.axes[d] == to.axes[d]) continue;
    if (changed.has_value()) return std::nullopt;
    changed = d;
  }
  return changed;
}

// Rows that a device receives in permutations.
int64_t RowsReceived(const RowRange& range, int64_t size, int64_t count) {
  int64_t rows = 0;
  for (const auto& [distance, piece] : PiecesOf(range, size, count)) {
    if (distance != 0) rows += piece.high - piece.low;
  }
  return rows;
}

}  // namespace

std::optional<Redivision> FindRedivision(const Shape& full, const ShardLayout& from,
                                         const ShardLayout& to) {
  if (from.IsUndivided() || !from.partial_groups.empty() || !to.partial_groups.empty() ||
      (!to.IsUndivided() && to.mesh != from.mesh) || ShapeUtil::IsZeroElementArray(full)) {
    return std::nullopt;
  }
  const std::optional<size_t> changed = ChangedDimension(from, to);
  if (!changed.has_value()) return std::nullopt;
  const size_t d = *changed;
  const int64_t before = from.counts[d], after = to.counts[d];
  const bool is_divided_more = after > before;
  const auto& fewer = is_divided_more ? from.axes[d] : to.axes[d];
  const auto& more = is_divided_more ? to.axes[d] : from.axes[d];
  if (!IsAxesPrefix(fewer, more)) return std::nullopt;
  const int64_t size = full.dimensions(static_cast<int>(d));
  const int64_t rows = CeilOfRatio(size, after), had = CeilOfRatio(size, before);
  const int64_t parts = is_divided_more ? after / before : before / after;
  if (rows * after == size && had * before == size) return std::nullopt;

  Redivision result;
  result.rows = rows;
  result.groups = {from.mesh, AxesAfterPrefix(more, std::min(before, after), from.mesh)};
  RowRange& range = result.range;
  range.dimension = static_cast<int64_t>(d);
  range.limit = size;
  Shape row = full;
  row.set_dimensions(static_cast<int>(d), 1);
  const int64_t row_bytes = BytesOfShard(row, [&] {
    ShardLayout others = from;
    others.counts[d] = 1;
    others.axes[d].clear();
    return others;
  }());
  if (is_divided_more) {
    range.length = rows * parts;
    for (int64_t p = 0; p < before; ++p) range.starts.push_back(p * range.length);
  } else {
    // Each partition of a group brings a part of the shard.
    range.length = CeilOfRatio(rows, parts);
    for (int64_t q = 0; q < before; ++q) {
      const int64_t begin = q % parts * range.length;
      range.starts.push_back(begin < rows ? q / parts * rows + begin : size);
    }
    result.kind = range.length == rows ? Redivision::Kind::kBroadcast : Redivision::Kind::kGather;
    result.bytes +=
        row_bytes *
        (result.kind == Redivision::Kind::kBroadcast ? rows : range.length * (parts - 1));
  }
  result.bytes += row_bytes * RowsReceived(range, had, before);
  return result;
}

HloInstruction* ShardEmitter::Redivide(HloInstruction* shard, const Redivision& redivision,
                                       const ShardLayout& from, const ShardLayout& to) {
  const int64_t d = redivision.range.dimension;
  const PartitionGroups& groups = redivision.groups;
  HloInstruction* rows = Rows(shard, redivision.range, from, nullptr);
  HloComputation* computation = rows->parent();
  switch (redivision.kind) {
    case Redivision::Kind::kBroadcast: {
      CollectiveAttributes attributes;
      attributes.replica_groups = GroupsAlong(groups.mesh, groups.axes);
      attributes.channel_id = next_channel_++;
      return WithCause(Add(computation, HloOpcode::kCollectiveBroadcast, rows->shape(), {rows},
                           std::move(attributes)));
    }
    case Redivision::Kind::kGather:
      rows = GatherAlong(rows, d, groups);
      break;
    case Redivision::Kind::kSlice: {
      Shape shape = rows->shape();
      shape.set_dimensions(static_cast<int>(d), redivision.rows);
      std::vector<HloInstruction*> operands = {rows};
      for (int64_t e = 0; e < shape.rank(); ++e) {
        HloInstruction* start = ScalarS32(computation, e == d ? redivision.rows : 0);
        if (e == d) {
          start = Add(computation, HloOpcode::kMultiply, start->shape(),
                      {PositionAlong(groups.mesh, groups.axes, computation), start});
        }
        operands.push_back(start);
      }
      DynamicSliceAttributes attributes;
      attributes.dynamic_slice_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
      return Add(computation, HloOpcode::kDynamicSlice, shape, operands, std::move(attributes));
    }
  }
  if (to.IsUndivided() || rows->shape().dimensions(static_cast<int>(d)) != redivision.rows) {
    return RowsOf(rows, d, 0, redivision.rows);
  }
  return rows;
}

}  // namespace xla::spmd
