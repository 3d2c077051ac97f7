// SPDX-License-Identifier: Apache-2.0
// A shard layout dimension by dimension: what the rules of sharding_strategy.h reason with.
#ifndef XLA_SPMD_DIMENSION_SHARDING_H_
#define XLA_SPMD_DIMENSION_SHARDING_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// How one dimension is divided: along axes, major to minor. No axes: not at all.
struct DimensionSharding {
  int64_t count = 1;
  Mesh mesh;  // partition_groups.h
  std::vector<AxisRef> axes;

  bool operator==(const DimensionSharding& other) const {
    return axes == other.axes && (count == 1 || mesh == other.mesh);
  }
};
using DimensionShardings = std::vector<DimensionSharding>;

DimensionShardings DimensionShardingsOf(const ShardLayout& layout);

// Divided further: each shard of `outer` as `inner` says. None if they are over two meshes.
std::optional<DimensionSharding> JoinedSharding(const DimensionSharding& outer,
                                                const DimensionSharding& inner);
// The sharding of which `sharding` has `inner` shards in each, and these. None if axes would have
// to be cut that cannot be.
std::optional<std::pair<DimensionSharding, DimensionSharding>> SplitSharding(
    const DimensionSharding& sharding, int64_t inner);

// None if not all shards are on as many partitions.
std::optional<ShardLayout> ShardLayoutFrom(const DimensionShardings& dimensions,
                                           int64_t partitions);

// The layout with some dimensions not divided; undivided if its shards would not be on as many
// partitions then.
ShardLayout LayoutWithWhole(const ShardLayout& layout, absl::Span<const int64_t> dimensions,
                            int64_t partitions);

// Partitions with the same shard of the result and different shards of what is reduced; empty if
// that is not divided. None if some combination of shards is missing.
std::optional<PartitionGroups> PartialGroups(const DimensionShardings& result,
                                             const DimensionShardings& reduced, int64_t partitions);

// The layout with the positions in some dimensions counted from the end.
ShardLayout ReversedLayout(const ShardLayout& layout, absl::Span<const int64_t> dimensions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_DIMENSION_SHARDING_H_
