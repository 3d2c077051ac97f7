// SPDX-License-Identifier: Apache-2.0
// A shard layout dimension by dimension: what the rules of sharding_strategy.h reason with.
#ifndef XLA_SPMD_DIMENSION_SHARDING_H_
#define XLA_SPMD_DIMENSION_SHARDING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// How one dimension is divided: the position of each partition. Empty: not at all.
struct DimensionSharding {
  int64_t count = 1;
  std::vector<int64_t> position;

  bool operator==(const DimensionSharding&) const = default;
};
using DimensionShardings = std::vector<DimensionSharding>;

DimensionShardings DimensionShardingsOf(const ShardLayout& layout);

// None if not all shards are on as many partitions.
std::optional<ShardLayout> ShardLayoutFrom(const DimensionShardings& dimensions,
                                           int64_t partitions);

// Partitions with the same shard of the result and different shards of what is reduced; empty if
// that is not divided. None if some combination of shards is missing.
std::optional<std::vector<std::vector<int64_t>>> PartialGroups(const DimensionShardings& result,
                                                               const DimensionShardings& reduced,
                                                               int64_t partitions);

}  // namespace xla::spmd

#endif  // XLA_SPMD_DIMENSION_SHARDING_H_
