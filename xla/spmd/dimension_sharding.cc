// SPDX-License-Identifier: Apache-2.0
// ShardLayout seen dimension by dimension.
#include "xla/spmd/dimension_sharding.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"

namespace xla::spmd {
namespace {

// One dimension of `dimensions`, as a layout.
std::vector<int64_t> PositionsOf(const DimensionSharding& dimension) {
  ShardLayout layout;
  layout.counts = {dimension.count};
  layout.mesh = dimension.mesh;
  layout.axes = {dimension.axes};
  return layout.Positions(0);
}

}  // namespace

DimensionShardings DimensionShardingsOf(const ShardLayout& layout) {
  DimensionShardings dimensions(layout.counts.size());
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (layout.counts[d] == 1) continue;
    dimensions[d] = {layout.counts[d], layout.mesh, layout.axes[d]};
  }
  return dimensions;
}

std::optional<DimensionSharding> JoinedSharding(const DimensionSharding& outer,
                                                const DimensionSharding& inner) {
  if (outer.count == 1) return inner;
  if (inner.count == 1) return outer;
  if (outer.mesh != inner.mesh) return std::nullopt;
  DimensionSharding joined = outer;
  joined.count *= inner.count;
  for (const AxisRef& axis : inner.axes) AppendAxis(axis, joined.mesh, joined.axes);
  return joined;
}

std::optional<std::pair<DimensionSharding, DimensionSharding>> SplitSharding(
    const DimensionSharding& sharding, int64_t inner) {
  const int64_t outer = sharding.count / inner;
  const auto prefix = AxesPrefixOfSize(sharding.axes, outer, sharding.mesh);
  if (!prefix.has_value()) return std::nullopt;
  std::pair<DimensionSharding, DimensionSharding> parts;
  if (outer > 1) parts.first = {outer, sharding.mesh, *prefix};
  if (inner > 1) {
    parts.second = {inner, sharding.mesh, AxesAfterPrefix(sharding.axes, outer, sharding.mesh)};
  }
  return parts;
}

std::optional<ShardLayout> ShardLayoutFrom(const DimensionShardings& dimensions,
                                           int64_t partitions) {
  ShardLayout layout = UndividedLayout(static_cast<int64_t>(dimensions.size()), partitions);
  const Mesh* mesh = nullptr;
  bool is_one_mesh = true;
  std::vector<AxisRef> used;
  int64_t shards = 1;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const DimensionSharding& dimension = dimensions[d];
    if (dimension.count == 1) continue;
    if (dimension.count > partitions / shards) return std::nullopt;
    shards *= dimension.count;
    if (mesh == nullptr) mesh = &dimension.mesh;
    is_one_mesh = is_one_mesh && *mesh == dimension.mesh;
    layout.counts[d] = dimension.count;
    layout.axes[d] = dimension.axes;
    used.insert(used.end(), dimension.axes.begin(), dimension.axes.end());
  }
  if (mesh == nullptr) return layout;
  if (is_one_mesh) {
    layout.mesh = layout.partial_groups.mesh = *mesh;
    if (AxesCanCoexistWithoutOverlap(used)) return layout;
    // Axes that coexist, but overlap, leave out some shards.
    bool can_coexist = true;
    for (size_t i = 0; i < used.size(); ++i) {
      for (size_t j = 0; j < i; ++j) can_coexist = can_coexist && used[i].CanCoexist(used[j]);
    }
    if (can_coexist) return std::nullopt;
  }
  std::vector<std::vector<int64_t>> positions;
  for (const DimensionSharding& dimension : dimensions) {
    positions.push_back(dimension.count > 1 ? PositionsOf(dimension) : std::vector<int64_t>());
  }
  return ShardLayoutOfPositions(layout.counts, positions, partitions);
}

std::optional<PartitionGroups> PartialGroups(const DimensionShardings& result,
                                             const DimensionShardings& reduced,
                                             int64_t partitions) {
  DimensionShardings all = result;
  all.insert(all.end(), reduced.begin(), reduced.end());
  const std::optional<ShardLayout> layout = ShardLayoutFrom(all, partitions);
  if (!layout.has_value()) return std::nullopt;
  PartitionGroups groups{layout->mesh, {}};
  for (size_t d = result.size(); d < all.size(); ++d) {
    groups.axes.insert(groups.axes.end(), layout->axes[d].begin(), layout->axes[d].end());
  }
  SortAndMergeAxes(groups.axes, groups.mesh);
  return groups;
}

ShardLayout LayoutWithWhole(const ShardLayout& layout, absl::Span<const int64_t> dimensions,
                            int64_t partitions) {
  DimensionShardings kept = DimensionShardingsOf(layout);
  for (const int64_t d : dimensions) kept[static_cast<size_t>(d)] = {};
  std::optional<ShardLayout> whole = ShardLayoutFrom(kept, partitions);
  if (whole.has_value()) return *std::move(whole);
  return UndividedLayout(static_cast<int64_t>(kept.size()), partitions);
}

ShardLayout ReversedLayout(const ShardLayout& layout, absl::Span<const int64_t> dimensions) {
  const auto is_reversed = [&](size_t d) {
    return layout.counts[d] > 1 && absl::c_linear_search(dimensions, static_cast<int64_t>(d));
  };
  bool changes = false;
  for (size_t d = 0; d < layout.counts.size(); ++d) changes = changes || is_reversed(d);
  if (!changes) return layout;
  std::vector<std::vector<int64_t>> positions;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    positions.push_back(layout.Positions(d));
    if (!is_reversed(d)) continue;
    for (int64_t& position : positions.back()) position = layout.counts[d] - 1 - position;
  }
  std::optional<ShardLayout> reversed =
      ShardLayoutOfPositions(layout.counts, positions, layout.mesh.num_devices());
  XLA_CHECK(reversed.has_value());  // it has as many shards
  return *std::move(reversed);
}

}  // namespace xla::spmd
