// SPDX-License-Identifier: Apache-2.0
// Shardy's attributes: what is read becomes the text that MLIR writes; what is malformed says
// where.
#include "xla/stablehlo/sdy_text.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/mlir/context.h"
#include "xla/stablehlo/sdy_axes.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

absl::StatusOr<std::string> ReprintAttribute(const std::string& text) {
  mlir::Context context;
  const auto attribute = mlir::ReadAttribute(text, &context, AllDialects().syntaxes());
  if (!attribute.ok()) return attribute.status();
  return mlir::ToString(*attribute);
}

TEST(ShardyTextTest, AttributesPrintAsTheyAre) {
  for (const char* text : {
           R"(#sdy.mesh<[]>)",
           R"(#sdy.mesh<["x"=2, "y"=4]>)",
           R"(#sdy.mesh<["x"=2], device_ids=[1, 0]>)",
           R"(#sdy.mesh<[], device_ids=[3]>)",
           R"(#sdy.sharding<@mesh, []>)",
           R"(#sdy.sharding<@"a b", [{"x"}, {}, {?}, {"y", ?}p0, {"z":(1)2, "z":(4)2}p12]>)",
           R"(#sdy.sharding<@mesh, [{"a\22b\0A"}], replicated={"x"}, unreduced={"y", "z"}>)",
           R"(#sdy.sharding<@mesh, [{}], unreduced=max{"y"}>)",
           R"(#sdy.sharding<mesh<["x"=2]>, [{"x"}]>)",
           R"(#sdy.sharding_per_value<[]>)",
           R"(#sdy.sharding_per_value<[<@mesh, [{"x"}]>, <mesh<["x"=2]>, []>]>)",
           R"(#sdy<manual_axes{}>)",
           R"(#sdy<manual_axes{"x", "y"}>)",
           R"(#sdy<axis_ref"x":(1)2>)",
           R"(#sdy<axis_ref_list{"x", "y":(2)2}>)",
           R"(#sdy<list_of_axis_ref_lists[{"x"}, {}]>)",
           R"(#sdy<all_to_all_param_list[{"x", "y"}: 0->2, {"z"}: 1->3]>)",
           R"(#sdy<dimension_sharding{"x", ?}p1>)",
           R"(#sdy<tensor_mapping[i, jk]>)",
           R"(#sdy.op_sharding_rule<([i, j], [])->([ij]) {i=2, j=4}>)",
           R"(#sdy.op_sharding_rule<([z_1, z])->([zz_1]) {i=1} reduction={i, j} )"
           R"(need_replication={k} permutation={l} blocked_propagation={m, n}, custom>)",
           R"(#sdy.propagation_edges<[{step-0 = [{"x" = operand-0 -> [result-0, operand-1]}]}, )"
           R"({step-7 = [{"y":(1)2 = result-0 -> [operand-0]}]}]>)",
       }) {
    ASSERT_OK_AND_ASSIGN(const std::string printed, ReprintAttribute(text));
    EXPECT_EQ(printed, text);
  }
}

TEST(ShardyTextTest, OtherSpellingsBecomeTheUsualOne) {
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {R"(#sdy.mesh<["x" = 2],device_ids=[0,1]>)", R"(#sdy.mesh<["x"=2]>)"},
           {R"(#sdy.sharding< @m,[ {"x" , ?}, { } ], unreduced={"z"}, replicated={"y"} >)",
            R"(#sdy.sharding<@m, [{"x", ?}, {}], replicated={"y"}, unreduced={"z"}>)"},
           {R"(#sdy<mesh<["x"=2]>>)", R"(#sdy.mesh<["x"=2]>)"},
           {R"(#sdy.manual_axes<{"x"}>)", R"(#sdy<manual_axes{"x"}>)"},
           {R"(#sdy.sharding_per_value<[#sdy.sharding<@m, []>]>)",
            R"(#sdy.sharding_per_value<[<@m, []>]>)"},
           {R"(#sdy.sharding<mesh #sdy.mesh<["x"=2]>, [#sdy<dimension_sharding{"x"}p2>]>)",
            R"(#sdy.sharding<mesh<["x"=2]>, [{"x"}p2]>)"},
           {R"(#sdy.op_sharding_rule<([i])->([i]) {i=2} reduction={}>)",
            R"(#sdy.op_sharding_rule<([i])->([i]) {i=2}>)"},
       }) {
    ASSERT_OK_AND_ASSIGN(const std::string printed, ReprintAttribute(text));
    EXPECT_EQ(printed, expected);
  }
}

TEST(ShardyTextTest, MalformedTextSaysWhere) {
  for (const auto& [text, expected] : std::vector<std::pair<const char*, const char*>>{
           {R"(#sdy.mesh<["x"=0]>)", "axis size must be at least 1, got: 0, in 'axes' of sdy.mesh"},
           {R"(#sdy.mesh<["x"=2, "x"=3]>)", "duplicate axis name: \"x\""},
           {R"(#sdy.mesh<[], device_ids=[-1]>)", "device id must be non-negative, got: -1"},
           {R"(#sdy.mesh<[], device_ids=[0, 1]>)", "axes is empty and device_ids has more"},
           {R"(#sdy.mesh<["x"=2], device_ids=[0]>)", "total number of device ids, got: 2 != 1"},
           {R"(#sdy.mesh<["x"=2], device_ids=[2, 1]>)", "must be iota(product(axes)), got: 1, 2"},
           {R"(#sdy.mesh<["x"=4611686018427387904, "y"=4]>)", "exceeds 64 bits"},
           {R"(#sdy.sharding<@m, [{x}]>)",
            "expected string, found 'x}]>', in 'name' of sdy.axis_ref, in 'dim_shardings' of "
            "sdy.sharding"},
           {R"(#sdy.sharding<@m, [{?, "x"}]>)", "expected '}'"},
           {R"(#sdy.sharding<@m, [{"x":(1)0}]>)",
            "sub-axis sizes must be greater than 1: \"x\":(1)0"},
           {R"(#sdy.sharding<@m, [{"x":(2)-2}]>)", "sub-axis sizes must be greater than 1"},
           {R"(#sdy.sharding<@m, [{"x":(0)2}]>)",
            "sub-axis pre-size must be at least 1: \"x\":(0)2"},
           {R"(#sdy.sharding<@m, [{"x"}q1]>)", "priority in format 'p<number>', got: q1"},
           {R"(#sdy.sharding<@m, [{"x"}p007]>)", "leading zeros are not allowed, got: p007"},
           {R"(#sdy.sharding<@m, [{"x"}p9223372036854775808]>)", "expecting integer priority"},
           {R"(#sdy.sharding<@m, [], sharded={"x"}>)", "valid named axis list after comma"},
           {R"(#sdy.sharding<@m, [], replicated={"x"}, replicated={"y"}>)",
            "valid named axis list after comma"},
           {R"(#sdy.sharding_per_value<[@m, []]>)",
            "expected '<', found '@m, []]>', in 'shardings' of sdy.sharding_per_value"},
           {R"(#sdy.op_sharding_rule<()->([i])>)",
            "expected '[', found ')->([i])>', in 'operand_mappings' of sdy.op_sharding_rule"},
           {R"(#sdy.op_sharding_rule<([h])->([i])>)", "from 'i' to 'z'. Received: 'h'"},
           {R"(#sdy.op_sharding_rule<([z_x])->([i])>)", "integer after 'z_'. Received: 'z_x'"},
           {R"(#sdy.op_sharding_rule<([z_0])->([i])>)", "without leading zeros. Received: '0'"},
           {R"(#sdy.op_sharding_rule<([z_9223372036854775808])->([i])>)", "index <=2^63-1"},
           {R"(#sdy.op_sharding_rule<([i])->([i]) {j=2}>)",
            "Expecting factor index symbol 'i', received: 'j'"},
           {R"(#sdy.op_sharding_rule<([i])->([i]) {i=2}, odd>)", "expected 'custom'"},
           {R"(#sdy.propagation_edges<[{step-1 = [{"x" = operand-0 -> [operand-0]}]}]>)",
            "a source that is the same as a target"},
       }) {
    EXPECT_ERROR(ReprintAttribute(text), expected) << text;
  }
}

TEST(ShardyAxesTest, PartsMergeAndSplit) {
  const ShardyMesh mesh = {{{"x", 8}, {"y", 4}}, {}};
  const ShardyAxis x = {"x", 1, 0}, first = {"x", 1, 2}, rest = {"x", 2, 4}, y = {"y", 1, 0};
  EXPECT_TRUE(CanMerge(first, rest));
  EXPECT_EQ(Merge(first, rest, mesh), x);
  EXPECT_EQ(Merge(first, {"x", 2, 2}, mesh), (ShardyAxis{"x", 1, 4}));
  EXPECT_FALSE(CanMerge(rest, first));
  EXPECT_TRUE(IsSuffix(rest, x, mesh));
  EXPECT_FALSE(IsSuffix(first, x, mesh));
  EXPECT_EQ(PrefixWithout(x, rest), first);
  EXPECT_EQ(PrefixWithout(x, x), std::nullopt);
  EXPECT_EQ(PrefixWithout(first, rest), first);
  EXPECT_TRUE(Overlap(x, rest));
  EXPECT_FALSE(Overlap(first, rest));
  EXPECT_TRUE(IsBefore(rest, y, mesh));
  EXPECT_TRUE(IsBefore(first, rest, mesh));
  std::vector<ShardyAxis> axes = {y, rest, first};
  SortAndMerge(&axes, mesh);
  EXPECT_EQ(axes, (std::vector<ShardyAxis>{x, y}));
  EXPECT_EQ(ShardedSize({first, y}, mesh), 8);
  EXPECT_EQ(ShardedSize({{"x", 1, int64_t{1} << 62}, {"y", 1, 4}}, mesh), INT64_MAX);
}

}  // namespace
}  // namespace xla::stablehlo
