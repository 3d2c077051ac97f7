// SPDX-License-Identifier: Apache-2.0
// How operations work on shards of their operands, without communication but for sums of partial
// results.
#ifndef XLA_SPMD_SHARDING_STRATEGY_H_
#define XLA_SPMD_SHARDING_STRATEGY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

struct ShardingStrategy {
  std::vector<std::optional<ShardLayout>> operands;  // none: the full array
  ShardLayout result;                                // of an array
  // Groups of partitions whose results are parts of a reduction; empty: the results are complete.
  PartitionGroups partial;
  std::vector<ShardLayout> elements;  // of a tuple of arrays, in place of `result`
};

// `known`: the shards in which each operand is at hand, or null. Follows the first that is there;
// of products both if their dimensions are divided independently. None: the operation needs full
// arrays. Shards of sizes that do not divide evenly end in padding.
std::optional<ShardingStrategy> FindShardingStrategy(const HloInstruction& instruction,
                                                     absl::Span<const ShardLayout* const> known,
                                                     int64_t partitions);

// Strategies for an instruction: the one above first, those that follow each operand alone, of
// products those that divide any of their dimensions as an operand or `wanted` does, those of
// factor_strategies.h, and those that move axes of the first operand to other dimensions. `wanted`:
// a layout of the result, or null.
std::vector<ShardingStrategy> ShardingStrategies(const HloInstruction& instruction,
                                                 absl::Span<const ShardLayout* const> known,
                                                 const ShardLayout* wanted, int64_t partitions);

// The sharding that divides an array into these shards.
absl::StatusOr<HloSharding> ToHloSharding(const ShardLayout& layout);

}  // namespace xla::spmd

#endif  // XLA_SPMD_SHARDING_STRATEGY_H_
