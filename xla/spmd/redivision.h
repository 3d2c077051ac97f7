// SPDX-License-Identifier: Apache-2.0
// A dimension divided along more or fewer axes, where its shards do not divide evenly: rows move to
// neighbors, in place of a gather of all.
//
//   6 rows in 2 shards, each on 2 partitions (0-2 3-5), in 4 shards (0-1 2-3 4-5): one row moves
//   6 rows in 4 shards (0-1 2-3 4-5), in 2 shards, each on 2 partitions: two rows move, two are
//   gathered
#ifndef XLA_SPMD_REDIVISION_H_
#define XLA_SPMD_REDIVISION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/shape.h"
#include "xla/spmd/partition_groups.h"
#include "xla/spmd/row_range.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

struct Redivision {
  enum class Kind : uint8_t {
    kSlice,      // the shards after it are slices of the rows
    kGather,     // the shards after it are joined from the rows that partitions of a group have
    kBroadcast,  // the first of a group has all rows of them
  };
  Kind kind = Kind::kSlice;
  RowRange range;          // of each partition, over the layout before
  PartitionGroups groups;  // along the axes that come or go
  int64_t rows = 0;        // of a shard afterwards
  int64_t bytes = 0;       // that a device receives
};

// None if more than one dimension changes, or does so otherwise than by minor axes that it gets or
// loses, and where every shard stays where it is or all are even.
std::optional<Redivision> FindRedivision(const Shape& full, const ShardLayout& from,
                                         const ShardLayout& to);

}  // namespace xla::spmd

#endif  // XLA_SPMD_REDIVISION_H_
