// SPDX-License-Identifier: Apache-2.0
// Reshapes on shards: dimensions that are merged or split keep their shards where these are
// contiguous, with rows of neighbors where sizes do not divide evenly.
#ifndef XLA_SPMD_RESHAPE_RULES_H_
#define XLA_SPMD_RESHAPE_RULES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/shape.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/row_range.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// Dimensions [from_begin, from_end) of the one shape have the elements of [to_begin, to_end) of the
// other. Groups are as small as possible.
struct ReshapeGroup {
  int from_begin = 0, from_end = 0, to_begin = 0, to_end = 0;
};
std::vector<ReshapeGroup> ReshapeGroups(const Shape& from, const Shape& to);

// A reshape on shards. Divided groups are contiguous chunks on both sides.
struct ReshapePlan {
  ShardLayout from, to;
  std::vector<DimensionSharding> chunks;  // of each group
};

// How the result is divided if the operand is; also the other way round. Dimensions of the operand
// that are divided, but not into contiguous chunks, are undivided in `from`. None if not all
// combinations of shards are on as many partitions.
std::optional<ReshapePlan> PlanReshape(const Shape& from, const Shape& to,
                                       const ShardLayout& layout, int64_t partitions);

// The elements of a group that are in a chunk, of the one that has most, where dimensions
// [begin, end) are divided so.
int64_t ChunkSize(const Shape& shape, const ShardLayout& layout, int begin, int end);

// What a reshape moves where the sizes of shards change: rows of its operand, of which each group
// of dimensions is one.
struct ReshapeExchange {
  std::vector<int64_t> sizes;    // of a shard
  std::vector<RowRange> ranges;  // one after the other; empty: nothing moves
  ShardLayout layout;
};

// As PlanReshape divides the operand and the result.
ReshapeExchange ReshapeExchangeOf(const Shape& from, const Shape& to, const ShardLayout& before,
                                  const ShardLayout& after);
// The bytes that a partition receives for that.
int64_t BytesOfExchange(const ReshapeExchange& exchange, PrimitiveType type);

}  // namespace xla::spmd

#endif  // XLA_SPMD_RESHAPE_RULES_H_
