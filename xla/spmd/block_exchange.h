// SPDX-License-Identifier: Apache-2.0
// From one layout of an array to any other by permutations of blocks: each partition gets, of every
// shard that overlaps with its new one, the part that it lacks. For layouts that no chain of
// reshard.h connects, and for shards of sizes that do not divide evenly, where chains move padding.
//
//   f32[8,8] in 2 x 3 shards of 4 x 3, then in 2 column blocks of 8 x 4: three permutations
#ifndef XLA_SPMD_BLOCK_EXCHANGE_H_
#define XLA_SPMD_BLOCK_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "xla/shape.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

struct BlockExchange {
  // The rows of one dimension that a partition sends and takes: from `source` on in the shard of
  // the sender, from `target` on in its own new one, `size` of them that matter.
  struct Rows {
    int64_t source = 0, target = 0, size = 0;
  };
  // A permutation of blocks of one shape. The first of all rounds may send nothing: partitions keep
  // what they have.
  struct Round {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    std::vector<int64_t> block;
    std::vector<std::vector<Rows>> rows;  // by dimensions and partitions; source: of the sender
    std::vector<bool> is_target;
  };
  std::vector<Round> rounds;
  int64_t bytes = 0;  // that a device receives
};

// None if the layouts are of sums, have the same shards everywhere, or would need many permutations
// or tables of many partitions.
std::optional<BlockExchange> FindBlockExchange(const Shape& full, const ShardLayout& from,
                                               const ShardLayout& to);

}  // namespace xla::spmd

#endif  // XLA_SPMD_BLOCK_EXCHANGE_H_
