// SPDX-License-Identifier: Apache-2.0
// Shard layouts made of shardings of dimensions, and back: all pairs of some shardings.
#include "xla/spmd/dimension_sharding.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/variants/expected.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {
namespace {

std::string TextOf(const std::vector<std::vector<int64_t>>& groups) {
  std::string text;
  for (const std::vector<int64_t>& group : groups)
    absl::StrAppend(&text, "{", absl::StrJoin(group, ","), "}");
  return text;
}

std::string TextOf(const DimensionShardings& dimensions) {
  std::string text;
  for (const DimensionSharding& dimension : dimensions)
    absl::StrAppend(&text, " ", dimension.count, ":", absl::StrJoin(dimension.position, ","));
  return text;
}

TEST(DivisionVariants, Pairs) {
  // Of four partitions; counts beyond them, counts that do not divide them, shards on fewer of
  // them.
  const std::vector<DimensionSharding> some = {
      {1, {}},           {2, {0, 0, 1, 1}}, {2, {0, 1, 0, 1}}, {2, {1, 0, 0, 1}},
      {2, {0, 0, 0, 1}}, {3, {0, 1, 2, 0}}, {4, {0, 1, 2, 3}}, {4, {3, 1, 0, 2}},
      {4, {0, 0, 1, 1}}, {8, {0, 2, 4, 6}}};
  std::vector<std::string> lines;
  for (const DimensionSharding& first : some) {
    for (const DimensionSharding& second : some) {
      const DimensionShardings dimensions = {first, second};
      std::string line = absl::StrCat(TextOf(dimensions), " | ");
      if (const auto layout = ShardLayoutFrom(dimensions, 4)) {
        absl::StrAppend(&line, absl::StrJoin(layout->shard_of, ","), " ", TextOf(layout->groups),
                        " ", layout->size(), layout->IsUndivided() ? " undivided" : "",
                        TextOf(DimensionShardingsOf(*layout)));
      } else {
        absl::StrAppend(&line, "no layout");
      }
      const auto groups = PartialGroups({first}, {second}, 4);
      absl::StrAppend(&line, " | ", groups.has_value() ? TextOf(*groups) : "no groups");
      lines.push_back(line);
    }
  }
  xla::testing::ExpectLines("dimension_shardings", lines);
}

}  // namespace
}  // namespace xla::spmd
