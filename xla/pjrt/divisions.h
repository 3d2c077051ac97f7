// SPDX-License-Identifier: Apache-2.0
// Tiles seen dimension by dimension: what the rules of shard_rules.h reason with.
#ifndef XLA_PJRT_DIVISIONS_H_
#define XLA_PJRT_DIVISIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/pjrt/tiles.h"

namespace xla::pjrt {

// How one dimension is divided: the position of each partition. Empty: not at all.
struct Division {
  int64_t count = 1;
  std::vector<int64_t> position;
};
using Divisions = std::vector<Division>;

Divisions DivisionsOf(const Tiles& tiles);

// None if not all tiles are on as many partitions.
std::optional<Tiles> TilesFrom(const Divisions& divisions, int64_t partitions);

// Partitions with the same tile of the result and different tiles of what is reduced; empty if
// that is not divided. None if some combination of tiles is missing.
std::optional<std::vector<std::vector<int64_t>>> PartialGroups(const Divisions& result,
                                                               const Divisions& reduced,
                                                               int64_t partitions);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_DIVISIONS_H_
