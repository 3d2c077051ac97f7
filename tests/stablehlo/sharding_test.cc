// SPDX-License-Identifier: Apache-2.0
// Shardings of Shardy as those of HLO.
#include "xla/stablehlo/sharding.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"

namespace xla::stablehlo {
namespace {

const ShardyMeshes& Meshes() {
  static const ShardyMeshes* const meshes = new ShardyMeshes{
      {"mesh", {{{"x", 4}, {"y", 2}}, {}}},
      {"reversed", {{{"x", 4}, {"y", 2}}, {7, 6, 5, 4, 3, 2, 1, 0}}},
      {"one", {{{"x", 1}}, {}}},
      {"device", {{}, {3}}},
  };
  return *meshes;
}

absl::StatusOr<std::string> Convert(std::string_view text,
                                    const std::vector<std::string>& manual = {}) {
  auto sharding = ParseShardySharding(text);
  if (!sharding.ok()) return sharding.status();
  auto result = ToHloSharding(*sharding, Meshes(), manual);
  if (!result.ok()) return result.status();
  return result->ToString();
}

struct Conversion {
  const char* shardy;
  const char* hlo;
};

TEST(ShardingTest, StandsForAnHloSharding) {
  for (const Conversion& conversion : std::vector<Conversion>{
           {R"(@mesh, [{"x"}, {"y"}])", "{devices=[4,2]<=[8]}"},
           {R"(@mesh, [{"y"}, {"x"}])", "{devices=[2,4]<=[4,2]T(1,0)}"},
           {R"(@mesh, [{"x"}, {}])", "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"},
           {R"(@mesh, [{?}, {}])", "{replicated}"},
           {R"(@mesh, [{"x", "y"}, {?}p1])", "{devices=[8,1]<=[8]}"},
           {R"(@mesh, [{"x":(1)2}, {}], replicated={"y"})",
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
           {R"(@mesh, [{"x":(2)2}, {}])",
            "{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"},
           {R"(@mesh, [{"x"}], unreduced={"y"})",
            "{devices=[4,2]<=[8] last_tile_dims={unreduced}}"},
           {R"(@mesh, [{"x"}], unreduced=sum{"y"})",
            "{devices=[4,2]<=[8] last_tile_dims={unreduced}}"},
           {R"(@reversed, [{"x"}, {"y"}])", "{devices=[4,2]7,6,5,4,3,2,1,0}"},
           {R"(@one, [{"x"}, {}])", "{replicated}"},
           {R"(@device, [])", "{maximal device=3}"},
           {R"(mesh<["a"=2]>, [{"a"}])", "{devices=[2]<=[2]}"},
       }) {
    ASSERT_OK_AND_ASSIGN(const std::string text, Convert(conversion.shardy));
    EXPECT_EQ(text, conversion.hlo) << conversion.shardy;
  }
}

TEST(ShardingTest, UnreducedAxesNameTheirReduction) {
  using Reduction = UnreducedKind;
  for (const auto& [text, reduction] : std::vector<std::pair<const char*, Reduction>>{
           {R"(@mesh, [{"x"}], unreduced={"y"})", Reduction::kSum},
           {R"(@mesh, [{"x"}], unreduced=sum{"y"})", Reduction::kSum},
           {R"(@mesh, [{"x"}], unreduced=max{"y"})", Reduction::kMax},
           {R"(@mesh, [{"x"}], unreduced=min{"y"})", Reduction::kMin},
           {R"(@mesh, [{}], unreduced=max{"x", "y"})", Reduction::kMax},
       }) {
    ASSERT_OK_AND_ASSIGN(const ShardySharding sharding, ParseShardySharding(text));
    ASSERT_OK_AND_ASSIGN(const HloSharding hlo, ToHloSharding(sharding, Meshes(), {}));
    EXPECT_EQ(hlo.unreduced_kind(), reduction) << text;
    ASSERT_OK_AND_ASSIGN(const HloSharding again, HloSharding::FromProto(hlo.ToProto()));
    EXPECT_EQ(hlo, again) << text;
  }
}

TEST(ShardingTest, ManualAxesAreASubgroup) {
  ASSERT_OK_AND_ASSIGN(const std::string some, Convert(R"(@mesh, [{"y"}, {}])", {"x"}));
  EXPECT_EQ(some, "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dims={manual}}");
  ASSERT_OK_AND_ASSIGN(const std::string all, Convert(R"(@mesh, [{}, {}])", {"x", "y"}));
  EXPECT_EQ(all, "{manual}");
}

TEST(ShardingTest, InvalidShardingsAreErrors) {
  EXPECT_ERROR(Convert(R"(@missing, [{}])"), "there is no mesh @missing");
  EXPECT_ERROR(Convert(R"(@mesh, [{"z"}])"), "has no axis \"z\"");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x"}, {"x"}])"), "axis 'x' is duplicated");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x":(3)2}])"), "has no part :(3)2");
  EXPECT_ERROR(Convert(R"(@mesh, [{}], replicated={"z"})"), "has no axis \"z\"");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x"}], replicated={"x"})"), "axis 'x' is duplicated");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x"}], replicated={"x":(2)2})"), "overlaps 'x'");
  EXPECT_ERROR(Convert(R"(@mesh, [{"y"}], replicated={"x", "x"})"), "axis 'x' is duplicated");
  EXPECT_ERROR(Convert(R"(mesh<["a"=12]>, [{"a":(1)3}, {"a":(2)3}])"),
               "'a':(1)3 and 'a':(2)3 cannot be used together");
  EXPECT_ERROR(Convert(R"(mesh<["a"=12]>, [{}], replicated={"a":(1)3, "a":(2)3})"),
               "'a':(1)3 and 'a':(2)3 cannot be used together");
  EXPECT_ERROR(Convert(R"(mesh<["a"=2, "a"=2]>, [{"a"}])"), "duplicate axis name: \"a\"");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x")"), "expected ','");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x"}] x)"), "expected the end of the sharding");
  EXPECT_ERROR(Convert(R"(@mesh, [{"x"}], unreduced=or{"y"})"), "expected '{'");
  EXPECT_ERROR(ParseShardyMesh(R"(["x"=0])"), "axis size must be at least 1, got: 0");
}

// The product of the size of a part and of what precedes it wraps to 0 in the second one.
TEST(ShardingTest, SizesOfPartsMayHaveAnyProduct) {
  for (const char* part : {"(2)9223372036854775807", "(4)4611686018427387904",
                           "(4611686018427387904)4", "(1)9223372036854775807"}) {
    for (const char* list : {R"([{"x":$}])", R"([{}], replicated={"x":$})",
                             R"([{}], unreduced={"x":$})", R"([{"x":(1)2, "x":$}])"}) {
      const std::string text = absl::StrCat("@mesh, ", absl::StrReplaceAll(list, {{"$", part}}));
      EXPECT_ERROR(Convert(text), absl::StrCat("of size 4 has no part :", part));
    }
  }
}

TEST(ShardingTest, ReadsListsAndAxes) {
  ASSERT_OK_AND_ASSIGN(const auto shardings,
                       ParseShardyShardings(R"([<@mesh, [{"x"}]>, <@one, []>])"));
  ASSERT_EQ(shardings.size(), 2u);
  EXPECT_EQ(shardings[1].mesh, "one");
  ASSERT_OK_AND_ASSIGN(const auto axes, ParseShardyAxes(R"({"x", "y"})"));
  EXPECT_EQ(axes, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(WithoutAxes(shardings[0], {"x"}).dimensions[0].axes.size(), 0u);
}

}  // namespace
}  // namespace xla::stablehlo
