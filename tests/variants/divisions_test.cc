// SPDX-License-Identifier: Apache-2.0
// Tiles made of divisions of dimensions, and back: all pairs of some divisions.
#include "xla/pjrt/divisions.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/variants/expected.h"
#include "xla/pjrt/tiles.h"

namespace xla::pjrt {
namespace {

std::string TextOf(const std::vector<std::vector<int64_t>>& groups) {
  std::string text;
  for (const std::vector<int64_t>& group : groups)
    absl::StrAppend(&text, "{", absl::StrJoin(group, ","), "}");
  return text;
}

std::string TextOf(const Divisions& divisions) {
  std::string text;
  for (const Division& division : divisions)
    absl::StrAppend(&text, " ", division.count, ":", absl::StrJoin(division.position, ","));
  return text;
}

TEST(DivisionVariants, Pairs) {
  // Of four partitions; counts beyond them, counts that do not divide them, tiles on fewer of them.
  const std::vector<Division> some = {{1, {}},           {2, {0, 0, 1, 1}}, {2, {0, 1, 0, 1}},
                                      {2, {1, 0, 0, 1}}, {2, {0, 0, 0, 1}}, {3, {0, 1, 2, 0}},
                                      {4, {0, 1, 2, 3}}, {4, {3, 1, 0, 2}}, {4, {0, 0, 1, 1}},
                                      {8, {0, 2, 4, 6}}};
  std::vector<std::string> lines;
  for (const Division& first : some) {
    for (const Division& second : some) {
      const Divisions divisions = {first, second};
      std::string line = absl::StrCat(TextOf(divisions), " | ");
      if (const auto tiles = TilesFrom(divisions, 4)) {
        absl::StrAppend(&line, absl::StrJoin(tiles->tile_of, ","), " ", TextOf(tiles->groups), " ",
                        tiles->size(), tiles->AreUndivided() ? " undivided" : "",
                        TextOf(DivisionsOf(*tiles)));
      } else {
        absl::StrAppend(&line, "no tiles");
      }
      const auto groups = PartialGroups({first}, {second}, 4);
      absl::StrAppend(&line, " | ", groups.has_value() ? TextOf(*groups) : "no groups");
      lines.push_back(line);
    }
  }
  xla::testing::ExpectLines("divisions", lines);
}

}  // namespace
}  // namespace xla::pjrt
