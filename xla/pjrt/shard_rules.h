// SPDX-License-Identifier: Apache-2.0
// How operations work on shards of their operands, without communication but for sums of partial
// results.
#ifndef XLA_PJRT_SHARD_RULES_H_
#define XLA_PJRT_SHARD_RULES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/pjrt/tiles.h"

namespace xla::pjrt {

struct ShardForm {
  std::vector<std::optional<Tiles>> operands;  // none: the whole array
  Tiles result;                                // of an array
  // Groups of partitions whose results are parts of a reduction; empty: the results are complete.
  std::vector<std::vector<int64_t>> partial;
  std::vector<Tiles> elements;  // of a tuple of arrays, in place of `result`
};

// `known`: the tiles in which each operand is at hand, or null. Follows the first that is there; of
// products both if their dimensions are divided independently. None: the operation needs whole
// arrays. All sizes of the form divide evenly.
std::optional<ShardForm> FormOnShards(const HloInstruction& instruction,
                                      absl::Span<const Tiles* const> known, int64_t partitions);

// The sharding that divides an array into these tiles.
absl::StatusOr<HloSharding> ShardingOfTiles(const Tiles& tiles);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_SHARD_RULES_H_
