// SPDX-License-Identifier: Apache-2.0
// Parts of HLO text read alone under XLA's names, shardings asked for what they are, and literals
// made from arrays with a layout.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/text/parser.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

TEST(TextParts, OfProtos) {
  ASSERT_OK_AND_ASSIGN(const PaddingConfig padding, ParsePaddingConfig("0_1_2x-3_4"));
  ASSERT_EQ(padding.dimensions_size(), 2);
  EXPECT_EQ(padding.dimensions(0).edge_padding_low(), 0);
  EXPECT_EQ(padding.dimensions(0).edge_padding_high(), 1);
  EXPECT_EQ(padding.dimensions(0).interior_padding(), 2);
  EXPECT_EQ(padding.dimensions(1).edge_padding_low(), -3);
  EXPECT_EQ(padding.dimensions(1).edge_padding_high(), 4);
  EXPECT_EQ(padding.dimensions(1).interior_padding(), 0);
  EXPECT_FALSE(ParsePaddingConfig("0_1_2x").ok());

  ASSERT_OK_AND_ASSIGN(const ConvolutionDimensionNumbers numbers,
                       ParseConvolutionDimensionNumbers("b1f0_i01o->0bf1"));
  EXPECT_EQ(numbers.input_batch_dimension(), 0);
  EXPECT_EQ(numbers.input_feature_dimension(), 2);
  EXPECT_EQ(absl::StrJoin(numbers.input_spatial_dimensions(), ","), "3,1");
  EXPECT_EQ(numbers.kernel_input_feature_dimension(), 0);
  EXPECT_EQ(numbers.kernel_output_feature_dimension(), 3);
  EXPECT_EQ(absl::StrJoin(numbers.kernel_spatial_dimensions(), ","), "1,2");
  EXPECT_EQ(numbers.output_batch_dimension(), 1);
  EXPECT_EQ(numbers.output_feature_dimension(), 2);
  EXPECT_EQ(absl::StrJoin(numbers.output_spatial_dimensions(), ","), "0,3");
  EXPECT_FALSE(ParseConvolutionDimensionNumbers("b1f0_i01o").ok());

  ASSERT_OK_AND_ASSIGN(const Window window,
                       ParseWindow("size=3x2 stride=2x1 pad=0_1x-1_0 lhs_dilate=1x2 rhs_dilate=2x1 "
                                   "rhs_reversal=1x0"));
  ASSERT_EQ(window.dimensions_size(), 2);
  const WindowDimension& first = window.dimensions(0);
  EXPECT_EQ(absl::StrCat(first.size(), " ", first.stride(), " ", first.padding_low(), " ",
                         first.padding_high(), " ", first.base_dilation(), " ",
                         first.window_dilation(), " ", first.window_reversal()),
            "3 2 0 1 1 2 1");
  const WindowDimension& second = window.dimensions(1);
  EXPECT_EQ(absl::StrCat(second.size(), " ", second.stride(), " ", second.padding_low(), " ",
                         second.padding_high(), " ", second.base_dilation(), " ",
                         second.window_dilation(), " ", second.window_reversal()),
            "2 1 -1 0 2 1 0");
}

TEST(TextParts, OfLists) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Shape> shapes, ParseShapeList("f32[2], (s32[], pred[1])"));
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0].ToString(), "f32[2]");
  EXPECT_EQ(shapes[1].ToString(), "(s32[], pred[1])");
  EXPECT_FALSE(ParseShapeList("f32[2],, s32[]").ok());
  ASSERT_OK_AND_ASSIGN(const std::vector<ReplicaGroup> groups,
                       ParseReplicaGroupsOnly("{{0,1},{3,2}}"));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(absl::StrJoin(groups[0].replica_ids(), ","), "0,1");
  EXPECT_EQ(absl::StrJoin(groups[1].replica_ids(), ","), "3,2");
  EXPECT_FALSE(ParseReplicaGroupsOnly("{{0,1},{3,2}").ok());
  ASSERT_OK_AND_ASSIGN(const std::vector<bool> replication,
                       ParseParameterReplication("{true,false,true}"));
  EXPECT_EQ(replication, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(ParseParameterReplication("{false}").value(), std::vector<bool>{false});
  EXPECT_EQ(ParseParameterReplication(" {} ").value(), std::vector<bool>());
  EXPECT_FALSE(ParseParameterReplication("{true,}").ok());
  EXPECT_FALSE(ParseParameterReplication("{maybe}").ok());
  ASSERT_OK_AND_ASSIGN(const FrontendAttributes attributes,
                       ParseFrontendAttributes("{a=\"1\",b=\"x\"}"));
  EXPECT_EQ(attributes.map().at("a"), "1");
  EXPECT_EQ(attributes.map().at("b"), "x");
  ASSERT_OK_AND_ASSIGN(const StatisticsViz statistics,
                       ParseStatisticsViz("{visualizing_index=1,a=1.5,b=2}"));
  EXPECT_EQ(statistics.stat_index_to_visualize(), 1);
  ASSERT_EQ(statistics.statistics_size(), 2);
  EXPECT_EQ(statistics.statistics(0).stat_name(), "a");
  EXPECT_EQ(statistics.statistics(0).stat_val(), 1.5);
  EXPECT_EQ(statistics.statistics(1).stat_name(), "b");
}

TEST(TextParts, ShardingsSayWhatTheyAre) {
  // replicated, tile maximal, single device, manual, unknown, tiled, named, tuple
  const std::pair<const char*, const char*> rows[] = {{"{replicated}", "11000000"},
                                                      {"{maximal device=3}", "01100000"},
                                                      {"{manual}", "00010000"},
                                                      {"{unknown}", "00001000"},
                                                      {"{devices=[2,1]0,1}", "00000100"},
                                                      {"{mesh['x'=2], [{'x'}, {}]}", "00000110"},
                                                      {"{maximal_mesh[device_id=1]}", "01100010"},
                                                      {"{{replicated}, {manual}}", "00000001"}};
  for (const auto& [text, expected] : rows) {
    ASSERT_OK_AND_ASSIGN(const HloSharding sharding, ParseSharding(text));
    std::string is;
    for (const bool flag :
         {sharding.IsReplicatedLeaf(), sharding.IsTileMaximal(), sharding.IsSingleDeviceLeaf(),
          sharding.IsManual(), sharding.IsUnknown(), sharding.IsTiled(),
          sharding.UseNamedShardingLeaf(), sharding.IsTuple()}) {
      is.push_back(flag ? '1' : '0');
    }
    EXPECT_EQ(is, expected) << text;
  }
  ASSERT_OK_AND_ASSIGN(HloSharding sharding, ParseSharding("{devices=[2,1]0,1}"));
  EXPECT_EQ(sharding.SetShardGroup(HloSharding::ShardAs(7)).ToString(),
            "{devices=[2,1]0,1 shard_as 7}");
  EXPECT_EQ(sharding.SetShardGroup(HloSharding::ShardLike(8)).ToString(),
            "{devices=[2,1]0,1 shard_like 8}");
  ASSERT_OK_AND_ASSIGN(const HloSharding tuple, ParseSharding("{{replicated}, {manual}}"));
  ASSERT_EQ(tuple.tuple_elements().size(), 2u);
  EXPECT_TRUE(tuple.tuple_elements()[1].IsManual());
}

TEST(TextParts, LiteralsOfArraysWithLayouts) {
  const Array2D<float> two({{1, 2, 3}, {4, 5, 6}});
  const Literal rows =
      LiteralUtil::CreateR2FromArray2DWithLayout(two, LayoutUtil::MakeLayout({0, 1}));
  EXPECT_EQ(rows, LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(rows.GetLinear<float>(1), 4);
  Array3D<float> three(2, 1, 3);
  three.FillIota(1);
  const Literal deep =
      LiteralUtil::CreateR3FromArray3DWithLayout(three, LayoutUtil::MakeLayout({0, 1, 2}));
  EXPECT_EQ(deep.GetLinear<float>(1), 4);
  EXPECT_EQ(deep.Get<float>({0, 0, 2}), 3);
  const Literal four = LiteralUtil::CreateR4WithLayout<float>({{{{1, 2, 3}}}, {{{4, 5, 6}}}},
                                                              LayoutUtil::MakeLayout({0, 1, 2, 3}));
  EXPECT_EQ(four.shape().dimensions(0), 2);
  EXPECT_EQ(four.GetLinear<float>(1), 4);
  EXPECT_EQ(LiteralUtil::MakeScalarMatrixR2<float>(2, 3),
            LiteralUtil::CreateR2<float>({{3, 0}, {0, 3}}));
  EXPECT_EQ(LiteralUtil::CreateFromDimensions(S32, {2}), LiteralUtil::CreateR1<int32_t>({0, 0}));
  const Shape shape = ShapeUtil::MakeShape(S32, {2, 3});
  ASSERT_OK_AND_ASSIGN(const Literal made,
                       LiteralUtil::CreateLiteralWithGenerator<S32, int32_t>(
                           shape, [](absl::Span<const int64_t> index) {
                             return static_cast<int32_t>(10 * index[0] + index[1]);
                           }));
  EXPECT_EQ(made, LiteralUtil::CreateR2<int32_t>({{0, 1, 2}, {10, 11, 12}}));
  const auto wrong = LiteralUtil::CreateLiteralWithGenerator<F32, float>(
      shape, [](absl::Span<const int64_t>) { return 0.0f; });
  EXPECT_FALSE(wrong.ok());
  const Literal numbers = LiteralUtil::CreateR1<float>({1.25f, -2, 300});
  EXPECT_EQ(LiteralUtil::ConvertF32ToS8(LiteralUtil::CreateR1<float>({1.5f, -2, 3})),
            LiteralUtil::CreateR1<int8_t>({1, -2, 3}));
  EXPECT_EQ(LiteralUtil::ConvertType(numbers, F32, F64),
            LiteralUtil::CreateR1<double>({1.25, -2, 300}));
  EXPECT_EQ(LiteralUtil::ConvertF32ToF8E5M2(numbers).ToString(), "f8e5m2[3] {1.2, -2, 3.2e+02}");
  EXPECT_EQ(LiteralUtil::ConvertF32ToF8E4M3FN(numbers).ToString(), "f8e4m3fn[3] {1.25, -2, 288}");
  EXPECT_EQ(LiteralUtil::ConvertF32ToF8E4M3FNUZ(LiteralUtil::CreateR0<float>(1.25f)).ToString(),
            "f8e4m3fnuz[] 1.25");
  EXPECT_EQ(LiteralUtil::ConvertF32ToF8E5M2FNUZ(LiteralUtil::CreateR0<float>(1.25f)).ToString(),
            "f8e5m2fnuz[] 1.2");
}

TEST(TextParts, ShapesUnderOtherNames) {
  const Shape shape = ShapeUtil::MakeShapeWithType<float>({2, 1, 3});
  EXPECT_EQ(shape.ToString(), "f32[2,1,3]");
  EXPECT_EQ(ShapeUtil::TrueNumDimensions(shape), 2);
  EXPECT_EQ(ShapeUtil::StaticElementsIn(shape), 6);
  EXPECT_EQ(ShapeUtil::ReorderLogicalDimensions(shape, {1, 2, 0}).ToString(), "f32[1,3,2]");
  EXPECT_EQ(ShapeUtil::CreateDimensionVectorFromShape(shape), (DimensionVector{2, 1, 3}));
  EXPECT_FALSE(ShapeUtil::IsAnyDimensionDynamic(shape));
  EXPECT_TRUE(ShapeUtil::IsAnyDimensionDynamic(
      ShapeUtil::MakeShape(F32, {2, 3}, std::vector<bool>{false, true})));
  EXPECT_TRUE(ShapeUtil::IsInitialized(shape));
  EXPECT_FALSE(ShapeUtil::IsInitialized(Shape()));
  EXPECT_TRUE(ShapeUtil::IsArrayPrimitiveType(F32));
  EXPECT_FALSE(ShapeUtil::IsArrayPrimitiveType(TOKEN));
  const Shape tuple = ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTupleShape({shape, shape})});
  EXPECT_EQ(ShapeUtil::GetLeafCountTuple(tuple), 3);
  EXPECT_EQ(ShapeUtil::ByteSizeOfElementsRecursive(tuple), 72);
  Shape made;
  EXPECT_OK(ShapeUtil::PopulateShape(S32, {4, 5}, &made));
  EXPECT_EQ(made.ToString(), "s32[4,5]");
  EXPECT_FALSE(ShapeUtil::PopulateShape(S32, {-4}, &made).ok());
  EXPECT_OK(ShapeUtil::MakeValidatedShapeWithLayout(F32, {2, 3}, LayoutUtil::MakeLayout({0, 1})));
  EXPECT_FALSE(
      ShapeUtil::MakeValidatedShapeWithLayout(F32, {2, 3}, LayoutUtil::MakeLayout({0})).ok());
}

}  // namespace
}  // namespace xla
