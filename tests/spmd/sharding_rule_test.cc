// SPDX-License-Identifier: Apache-2.0
// The text of sharding rules, and how rules carry shardings from operands to results.
#include "xla/spmd/sharding_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd::testing {
namespace {

constexpr int64_t kPartitions = 4;

TEST(ShardingRuleTest, RulesAreRead) {
  ASSERT_OK_AND_ASSIGN(
      const ShardingRule rule,
      ParseShardingRule("#sdy.op_sharding_rule<([ij, z_12], [])->([i, j], []) {i=2, z_12=7, j=4} "
                        "reduction={z_12} need_replication={j} permutation={i} "
                        "blocked_propagation={i, j}, custom>"));
  EXPECT_EQ(rule.operands, (std::vector<ShardingRule::Mapping>{{{0, 1}, {2}}, {}}));
  EXPECT_EQ(rule.results, (std::vector<ShardingRule::Mapping>{{{0}, {1}}, {}}));
  EXPECT_EQ(rule.factor_sizes, (std::vector<int64_t>{2, 4, 7}));
  EXPECT_EQ(rule.needs_replication, (std::vector<bool>{false, true, false}));
  EXPECT_OK(ParseShardingRule("()->()").status());
}

TEST(ShardingRuleTest, MalformedRulesAreRefused) {
  for (const char* text :
       {"", "(", "([i)->([i]) {i=2}", "([])", "([])->([]", "([i])->([i])", "([i])->([i]) {i}",
        "([i])->([i]) {i=}", "([i])->([i]) {i=0}", "([i])->([i]) {j=2}", "([i])->([i]) {i=2",
        "([i])->([i]) {i=2} reduction={}", "([i])->([i]) {i=2} reduction={k}",
        "([i])->([i]) {i=2} reduction={i", "([i])->([i]) {i=2}, other", "([i,])->([i]) {i=2}",
        "([i])->([i]) {i=2} more", "#sdy.op_sharding_rule<([])->([])",
        "([i])->([i]) {i=99999999999999999999}"}) {
    EXPECT_FALSE(ParseShardingRule(text).ok()) << text;
  }
}

std::vector<std::string> Results(const char* text, const std::vector<HloSharding>& operands,
                                 const std::vector<Shape>& shapes) {
  const ShardingRule rule = ParseShardingRule(text).value();
  std::vector<ShardLayout> layouts;
  for (size_t i = 0; i < operands.size(); ++i) {
    layouts.push_back(ShardLayoutOf(operands[i], shapes[i], kPartitions).value());
  }
  std::vector<const ShardLayout*> pointers;
  for (const ShardLayout& operand : layouts) pointers.push_back(&operand);
  const auto results = ResultsByRule(rule, pointers, kPartitions);
  if (!results.ok()) return {results.status().ToString()};
  std::vector<std::string> texts;
  for (const ShardLayout& result : *results) {
    std::vector<int64_t> shards(kPartitions, 0);
    for (size_t d = 0; d < result.counts.size(); ++d) {
      const std::vector<int64_t> positions = result.Positions(d);
      for (size_t p = 0; p < shards.size(); ++p) {
        shards[p] = shards[p] * result.counts[d] + positions[p];
      }
    }
    texts.push_back(
        absl::StrCat(absl::StrJoin(result.counts, "x"), " of ", absl::StrJoin(shards, ",")));
  }
  return texts;
}

TEST(ShardingRuleTest, FactorsCarryDivisions) {
  using Texts = std::vector<std::string>;
  const Shape matrix = ShapeUtil::MakeShape(F32, {8, 8});
  const HloSharding rows = HloSharding::IotaTile({4, 1}), columns = HloSharding::IotaTile({1, 4}),
                    both = HloSharding::IotaTile({2, 2});
  const char* product = "([i, j], [j, k])->([i, k]) {i=8, j=8, k=8}";
  EXPECT_EQ(Results(product, {rows, HloSharding::Replicate()}, {matrix, matrix}),
            (Texts{"4x1 of 0,1,2,3"}));
  // One axis of the mesh cannot divide two dimensions.
  EXPECT_EQ(Results(product, {rows, columns}, {matrix, matrix}), (Texts{"4x1 of 0,1,2,3"}));
  EXPECT_EQ(Results(product, {both, both}, {matrix, matrix}), (Texts{"2x2 of 0,1,2,3"}));
  EXPECT_EQ(Results("([i, j])->([j, i]) {i=8, j=8}", {both}, {matrix}), (Texts{"2x2 of 0,2,1,3"}));
  EXPECT_EQ(Results("([i, j])->([i, j]) {i=8, j=8} need_replication={i}", {both}, {matrix}),
            (Texts{"1x2 of 0,1,0,1"}));
  // Operands of unknown sharding divide nothing.
  const ShardLayout known = ShardLayoutOf(columns, matrix, kPartitions).value();
  const auto result =
      ResultsByRule(ParseShardingRule(product).value(), {nullptr, &known}, kPartitions);
  ASSERT_OK(result.status());
  EXPECT_EQ((*result)[0].counts, (std::vector<int64_t>{1, 4}));
  // The major factor of a dimension is what is divided, if its size allows it.
  EXPECT_EQ(Results("([ik, j])->([i]) {i=4, k=2, j=8}", {rows}, {matrix}), (Texts{"4 of 0,1,2,3"}));
  EXPECT_EQ(Results("([ik, j])->([i]) {i=2, k=4, j=8}", {rows}, {matrix}), (Texts{"1 of 0,0,0,0"}));
  EXPECT_NE(Results("([i])->([i]) {i=8}", {rows}, {matrix})[0].find("other ranks"),
            std::string::npos);
  EXPECT_NE(Results("([i, j], [])->([i]) {i=8, j=8}", {rows}, {matrix})[0].find("another number"),
            std::string::npos);
}

}  // namespace
}  // namespace xla::spmd::testing
