// SPDX-License-Identifier: Apache-2.0
// ShardLayout seen dimension by dimension.
#include "xla/spmd/dimension_sharding.h"

#include <map>
#include <utility>

namespace xla::spmd {
namespace {

std::vector<int64_t> ShardNumbers(const DimensionShardings& dimensions, int64_t partitions) {
  std::vector<int64_t> numbers(static_cast<size_t>(partitions), 0);
  for (size_t p = 0; p < numbers.size(); ++p) {
    for (const DimensionSharding& dimension : dimensions) {
      if (dimension.count > 1) numbers[p] = numbers[p] * dimension.count + dimension.position[p];
    }
  }
  return numbers;
}

int64_t CountShards(const DimensionShardings& dimensions) {
  int64_t count = 1;
  for (const DimensionSharding& dimension : dimensions) count *= dimension.count;
  return count;
}

}  // namespace

DimensionShardings DimensionShardingsOf(const ShardLayout& layout) {
  DimensionShardings dimensions(layout.counts.size());
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (layout.counts[d] == 1) continue;
    dimensions[d].count = layout.counts[d];
    for (size_t p = 0; p < layout.shard_of.size(); ++p) {
      dimensions[d].position.push_back(layout.Position(static_cast<int64_t>(p), d));
    }
  }
  return dimensions;
}

std::optional<ShardLayout> ShardLayoutFrom(const DimensionShardings& dimensions,
                                           int64_t partitions) {
  const int64_t count = CountShards(dimensions);
  if (count > partitions || partitions % count != 0) return std::nullopt;
  ShardLayout layout;
  for (const DimensionSharding& dimension : dimensions) layout.counts.push_back(dimension.count);
  layout.shard_of = ShardNumbers(dimensions, partitions);
  const auto copies = static_cast<size_t>(partitions / count);
  layout.groups.assign(copies, std::vector<int64_t>(static_cast<size_t>(count)));
  std::vector<size_t> seen(static_cast<size_t>(count), 0);
  for (int64_t p = 0; p < partitions; ++p) {
    const auto shard = static_cast<size_t>(layout.shard_of[static_cast<size_t>(p)]);
    if (seen[shard] == copies) return std::nullopt;
    layout.groups[seen[shard]++][shard] = p;
  }
  return layout;
}

std::optional<std::vector<std::vector<int64_t>>> PartialGroups(const DimensionShardings& result,
                                                               const DimensionShardings& reduced,
                                                               int64_t partitions) {
  const int64_t parts = CountShards(reduced);
  if (parts == 1) return std::vector<std::vector<int64_t>>();
  const std::vector<int64_t> shard = ShardNumbers(result, partitions);
  const std::vector<int64_t> part = ShardNumbers(reduced, partitions);
  std::map<std::pair<int64_t, int64_t>, int64_t> copies;               // of a part of a shard
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> groups;  // by shard and copy
  for (size_t p = 0; p < shard.size(); ++p) {
    const int64_t copy = copies[{shard[p], part[p]}]++;
    groups[{shard[p], copy}].push_back(static_cast<int64_t>(p));
  }
  std::vector<std::vector<int64_t>> result_groups;
  for (auto& [key, group] : groups) {
    if (static_cast<int64_t>(group.size()) != parts) return std::nullopt;
    result_groups.push_back(std::move(group));
  }
  return result_groups;
}

}  // namespace xla::spmd
