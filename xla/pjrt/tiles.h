// SPDX-License-Identifier: Apache-2.0
// Shardings as tiles: which part of an array each partition has.
#ifndef XLA_PJRT_TILES_H_
#define XLA_PJRT_TILES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape.h"

namespace xla::pjrt {

struct Tiles {
  std::vector<int64_t> counts;   // in each dimension
  std::vector<int64_t> tile_of;  // of each partition, in row-major order of `counts`
  // Partitions that have the array among themselves, one for each tile in order. Each partition is
  // in one group; within a manual computation the arrays of groups may differ.
  std::vector<std::vector<int64_t>> groups;
  // Partitions whose values add up to the tile, of arrays that are unreduced; each partition is in
  // one such group. Where a whole array is made unreduced, the first of each group has the value,
  // the others zeros. Empty: each partition has the value.
  std::vector<std::vector<int64_t>> sums;
  // Instead of sums it may be maxima or minima, and the others have the infinity that leaves them.
  UnreducedKind reduction = UnreducedKind::kSum;

  // Each partition has the same in both.
  bool operator==(const Tiles& other) const {
    return counts == other.counts && tile_of == other.tile_of && sums == other.sums &&
           (sums.empty() || reduction == other.reduction);
  }
  bool AreUndivided() const;                                     // there is one tile
  bool IsOne() const { return AreUndivided() && sums.empty(); }  // all have the whole array
  // The position of the tile of a partition in a dimension.
  int64_t Position(int64_t partition, size_t dimension) const;
  int64_t size() const;
};

// Whether the groups have the same partitions, in any order.
bool HaveSameGroups(std::vector<std::vector<int64_t>> a, std::vector<std::vector<int64_t>> b);

// The tiles of an array; one tile for shardings that do not divide it. Unimplemented for shardings
// of other kinds; InvalidArgument for those that do not fit the shape or the number of partitions.
absl::StatusOr<Tiles> TilesOf(const HloSharding& sharding, const Shape& array, int64_t partitions);

// The shape of a tile. Unimplemented if a dimension cannot be divided evenly.
absl::StatusOr<Shape> ShardShape(const Shape& array, const Tiles& tiles);

// Whether all tiles have the same size.
bool DividesEvenly(const Shape& array, const Tiles& tiles);

// In each dimension the most tiles of one size that can be joined from those given, by joining
// neighbors: what Shardy makes of shardings of parameters and results. Precondition: no sums.
absl::StatusOr<Tiles> EvenTiles(const Tiles& all, const Shape& array);

// The smallest array that contains this one and is divided evenly: how XLA lays out shards of
// programs that Shardy does not divide. Padding is at the end of each dimension.
Shape PaddedShape(const Shape& array, const Tiles& tiles);

// The tiles of shape `local` that a manual computation works on where the whole array is divided
// into `all`, of which the major part is manual.
absl::StatusOr<Tiles> ManualTiles(const Tiles& all, const Shape& array, const Shape& local);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_TILES_H_
