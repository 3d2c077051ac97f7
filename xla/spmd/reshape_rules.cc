// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/reshape_rules.h"

#include <utility>

#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

// The chunks of a group as its dimensions divide it. Dimensions behind one that is in several
// pieces are not part of chunks: they become undivided.
DimensionSharding ChunksOf(const Shape& shape, const ReshapeGroup& group,
                           DimensionShardings& dimensions) {
  DimensionSharding chunks;
  bool may_go_on = true;
  for (int d = group.from_begin; d < group.from_end; ++d) {
    DimensionSharding& dimension = dimensions[static_cast<size_t>(d)];
    const int64_t size = shape.dimensions(d);
    if (size == 1) {
      dimension = {};
      continue;
    }
    const bool is_uneven_within = chunks.count > 1 && size % dimension.count != 0;
    if (!may_go_on || is_uneven_within) dimension = {};
    const auto joined = JoinedSharding(chunks, dimension);
    if (joined.has_value()) {
      chunks = *joined;
    } else {
      dimension = {};
    }
    may_go_on = may_go_on && dimension.count == size;
  }
  return chunks;
}

// Dimensions of the result that have these chunks.
void Divide(const Shape& shape, const ReshapeGroup& group, DimensionSharding chunks,
            DimensionShardings& dimensions) {
  const auto put = [&](int d, DimensionSharding sharding) {
    dimensions[static_cast<size_t>(d)] = std::move(sharding);
  };
  int first = group.to_begin;
  while (first < group.to_end && shape.dimensions(first) == 1) ++first;
  DimensionSharding rest = chunks;
  for (int d = first; d < group.to_end && rest.count > 1; ++d) {
    const int64_t size = shape.dimensions(d);
    if (size == 1) continue;
    if (size % rest.count == 0) {
      put(d, std::exchange(rest, {}));
    } else {
      const auto parts =
          rest.count % size == 0 ? SplitSharding(rest, rest.count / size) : std::nullopt;
      if (!parts.has_value()) break;
      put(d, parts->first);
      rest = parts->second;
    }
  }
  if (rest.count == 1 || first == group.to_end) return;
  // Rows that do not divide evenly.
  for (int d = group.to_begin; d < group.to_end; ++d) put(d, {});
  put(first, std::move(chunks));
}

}  // namespace

std::vector<ReshapeGroup> ReshapeGroups(const Shape& from, const Shape& to) {
  std::vector<ReshapeGroup> groups;
  const int from_rank = static_cast<int>(from.rank()), to_rank = static_cast<int>(to.rank());
  int i = 0, j = 0;
  while (i < from_rank || j < to_rank) {
    ReshapeGroup group{i, i, j, j};
    int64_t left = 1, right = 1;
    // At least one dimension, and as many as it takes for both to have as many elements.
    do {
      if ((left <= right && i < from_rank) || j == to_rank) {
        left *= from.dimensions(i++);
      } else {
        right *= to.dimensions(j++);
      }
    } while (left != right && (i < from_rank || j < to_rank));
    // Sizes of 1 belong to the group before them, but for those of a dimension that stays.
    group.from_end = i;
    group.to_end = j;
    groups.push_back(group);
  }
  return groups;
}

std::optional<ReshapePlan> PlanReshape(const Shape& from, const Shape& to,
                                       const ShardLayout& layout, int64_t partitions) {
  if (ShapeUtil::IsZeroElementArray(from)) return std::nullopt;
  DimensionShardings given = DimensionShardingsOf(layout);
  DimensionShardings result(static_cast<size_t>(to.rank()));
  ReshapePlan plan;
  for (const ReshapeGroup& group : ReshapeGroups(from, to)) {
    DimensionSharding chunks = ChunksOf(from, group, given);
    Divide(to, group, chunks, result);
    plan.chunks.push_back(std::move(chunks));
  }
  auto given_layout = ShardLayoutFrom(given, partitions);
  auto result_layout = ShardLayoutFrom(result, partitions);
  if (!given_layout || !result_layout) return std::nullopt;
  plan.from = *std::move(given_layout);
  plan.to = *std::move(result_layout);
  return plan;
}

int64_t ChunkSize(const Shape& shape, const ShardLayout& layout, int begin, int end) {
  int64_t size = 1;
  for (int d = begin; d < end; ++d) {
    size *= CeilOfRatio(shape.dimensions(d), layout.counts[static_cast<size_t>(d)]);
  }
  return size;
}

ReshapeExchange ReshapeExchangeOf(const Shape& from, const Shape& to, const ShardLayout& before,
                                  const ShardLayout& after) {
  ReshapeExchange exchange;
  if (IsEven(from, before) && IsEven(to, after)) return exchange;
  const std::vector<ReshapeGroup> groups = ReshapeGroups(from, to);
  const int64_t partitions = before.mesh.num_devices();
  const auto plan = PlanReshape(from, to, before, partitions);
  auto layout = plan.has_value() ? ShardLayoutFrom(plan->chunks, partitions) : std::nullopt;
  if (!layout.has_value()) return exchange;
  exchange.layout = *std::move(layout);
  for (const ReshapeGroup& group : groups) {
    exchange.sizes.push_back(ChunkSize(from, before, group.from_begin, group.from_end));
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    const int64_t size = ChunkSize(to, after, groups[g].to_begin, groups[g].to_end);
    if (exchange.layout.counts[g] == 1 || size == exchange.sizes[g]) continue;
    RowRange range{.dimension = static_cast<int64_t>(g), .length = size, .limit = 1};
    for (int d = groups[g].from_begin; d < groups[g].from_end; ++d) {
      range.limit *= from.dimensions(d);
    }
    for (int64_t q = 0; q < exchange.layout.counts[g]; ++q) range.starts.push_back(q * size);
    exchange.ranges.push_back(std::move(range));
  }
  return exchange;
}

int64_t BytesOfExchange(const ReshapeExchange& exchange, PrimitiveType type) {
  std::vector<int64_t> sizes = exchange.sizes;
  int64_t rows = 0;
  for (const RowRange& range : exchange.ranges) {
    const auto d = static_cast<size_t>(range.dimension);
    int64_t moved = 0, width = 1;
    for (const auto& [distance, piece] : PiecesOf(range, sizes[d], exchange.layout.counts[d])) {
      if (distance != 0) moved += piece.high - piece.low;
    }
    for (size_t e = 0; e < sizes.size(); ++e) width *= e == d ? moved : sizes[e];
    rows += width;
    sizes[d] = range.length;
  }
  return rows * primitive_util::ByteWidth(type);
}

}  // namespace xla::spmd
