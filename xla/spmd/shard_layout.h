// SPDX-License-Identifier: Apache-2.0
// Which part of an array each partition has, and which partitions have the same.
#ifndef XLA_SPMD_SHARD_LAYOUT_H_
#define XLA_SPMD_SHARD_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/shape.h"
#include "xla/spmd/partition_groups.h"

namespace xla::spmd {

struct ShardLayout {
  std::vector<int64_t> counts;             // in each dimension
  Mesh mesh;                               // the partitions: partition_groups.h
  std::vector<std::vector<AxisRef>> axes;  // along which each dimension is divided, major to minor
  // Partitions whose values add up to the shard, of arrays that are unreduced. Where a full array
  // is made unreduced, the first of each group has the value, the others zeros. Empty: each
  // partition has the value.
  PartitionGroups partial_groups;
  // Instead of sums it may be maxima or minima, and the others have the infinity that leaves them.
  UnreducedKind reduction = UnreducedKind::kSum;

  // Each partition has the same in both.
  bool operator==(const ShardLayout& other) const;
  bool IsUndivided() const;  // there is one shard
  // All have the full array.
  bool IsReplicated() const { return IsUndivided() && partial_groups.empty(); }
  // The position of the shard of a partition in a dimension. Where the mesh is in order, the cost
  // is the number of axes.
  int64_t Position(int64_t partition, size_t dimension) const;
  // Those of all partitions.
  std::vector<int64_t> Positions(size_t dimension) const;
  int64_t size() const;
  // Partitions that have the array among themselves, one for each shard in row-major order of
  // `counts`. Within a manual computation the arrays of groups may differ.
  PartitionGroups Groups() const;
  // Partitions that differ in their positions along these dimensions, in the order of these.
  PartitionGroups GroupsAlong(absl::Span<const int64_t> dimensions) const;
};

// The layout of an array of which every partition has all.
ShardLayout UndividedLayout(int64_t rank, int64_t partitions);

// The layout that gives partitions these positions in each dimension (empty where the count is 1):
// along axes of partitions in order if there are such. None if not all shards are on as many
// partitions. Cost: the number of partitions.
std::optional<ShardLayout> ShardLayoutOfPositions(absl::Span<const int64_t> counts,
                                                  absl::Span<const std::vector<int64_t>> positions,
                                                  int64_t partitions);

// The shards of an array; one shard for shardings that do not divide it. Unimplemented for
// shardings of other kinds; InvalidArgument for those that do not fit the shape or the number of
// partitions.
absl::StatusOr<ShardLayout> ShardLayoutOf(const HloSharding& sharding, const Shape& array,
                                          int64_t partitions);

// The shape of a shard; of sizes that do not divide evenly, that of the array with padding at the
// end of each dimension (PaddedShape).
absl::StatusOr<Shape> ShardShape(const Shape& array, const ShardLayout& layout);

// Whether all shards have the same size.
bool IsEven(const Shape& array, const ShardLayout& layout);
// Sets `mesh` to the one that divides or reduces something in either layout, if any does. Returns
// false if there are two.
bool ShareMesh(const ShardLayout& a, const ShardLayout& b, std::optional<Mesh>* mesh);

// In each dimension the most shards of one size that can be joined from those given, by joining
// neighbors: what Shardy makes of shardings of parameters and results. Precondition: no sums.
absl::StatusOr<ShardLayout> EvenShardLayout(const ShardLayout& all, const Shape& array);

// The smallest array that contains this one and is divided evenly: how XLA lays out shards of
// programs that Shardy does not divide. Padding is at the end of each dimension.
Shape PaddedShape(const Shape& array, const ShardLayout& layout);

// The bytes of a shard, with its padding.
int64_t BytesOfShard(const Shape& array, const ShardLayout& layout);

// The shards of shape `local` that a manual computation works on where the full array is divided
// into `all`, of which the major part is manual.
absl::StatusOr<ShardLayout> ManualShardLayout(const ShardLayout& all, const Shape& array,
                                              const Shape& local);

// The layout as a sharding over its mesh; sums over another mesh are left out.
NamedSharding ToNamedSharding(const ShardLayout& layout);

}  // namespace xla::spmd

#endif  // XLA_SPMD_SHARD_LAYOUT_H_
