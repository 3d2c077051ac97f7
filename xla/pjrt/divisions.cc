// SPDX-License-Identifier: Apache-2.0
// Tiles seen dimension by dimension.
#include "xla/pjrt/divisions.h"

#include <map>
#include <utility>

namespace xla::pjrt {
namespace {

std::vector<int64_t> TileNumbers(const Divisions& divisions, int64_t partitions) {
  std::vector<int64_t> numbers(static_cast<size_t>(partitions), 0);
  for (size_t p = 0; p < numbers.size(); ++p) {
    for (const Division& division : divisions) {
      if (division.count > 1) numbers[p] = numbers[p] * division.count + division.position[p];
    }
  }
  return numbers;
}

int64_t CountTiles(const Divisions& divisions) {
  int64_t count = 1;
  for (const Division& division : divisions) count *= division.count;
  return count;
}

}  // namespace

Divisions DivisionsOf(const Tiles& tiles) {
  Divisions divisions(tiles.counts.size());
  for (size_t d = 0; d < divisions.size(); ++d) {
    if (tiles.counts[d] == 1) continue;
    divisions[d].count = tiles.counts[d];
    for (size_t p = 0; p < tiles.tile_of.size(); ++p) {
      divisions[d].position.push_back(tiles.Position(static_cast<int64_t>(p), d));
    }
  }
  return divisions;
}

std::optional<Tiles> TilesFrom(const Divisions& divisions, int64_t partitions) {
  const int64_t count = CountTiles(divisions);
  if (count > partitions || partitions % count != 0) return std::nullopt;
  Tiles tiles;
  for (const Division& division : divisions) tiles.counts.push_back(division.count);
  tiles.tile_of = TileNumbers(divisions, partitions);
  const auto copies = static_cast<size_t>(partitions / count);
  tiles.groups.assign(copies, std::vector<int64_t>(static_cast<size_t>(count)));
  std::vector<size_t> seen(static_cast<size_t>(count), 0);
  for (int64_t p = 0; p < partitions; ++p) {
    const auto tile = static_cast<size_t>(tiles.tile_of[static_cast<size_t>(p)]);
    if (seen[tile] == copies) return std::nullopt;
    tiles.groups[seen[tile]++][tile] = p;
  }
  return tiles;
}

std::optional<std::vector<std::vector<int64_t>>> PartialGroups(const Divisions& result,
                                                               const Divisions& reduced,
                                                               int64_t partitions) {
  const int64_t parts = CountTiles(reduced);
  if (parts == 1) return std::vector<std::vector<int64_t>>();
  const std::vector<int64_t> tile = TileNumbers(result, partitions);
  const std::vector<int64_t> part = TileNumbers(reduced, partitions);
  std::map<std::pair<int64_t, int64_t>, int64_t> copies;               // of a part of a tile
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> groups;  // by tile and copy
  for (size_t p = 0; p < tile.size(); ++p) {
    const int64_t copy = copies[{tile[p], part[p]}]++;
    groups[{tile[p], copy}].push_back(static_cast<int64_t>(p));
  }
  std::vector<std::vector<int64_t>> result_groups;
  for (auto& [key, group] : groups) {
    if (static_cast<int64_t>(group.size()) != parts) return std::nullopt;
    result_groups.push_back(std::move(group));
  }
  return result_groups;
}

}  // namespace xla::pjrt
