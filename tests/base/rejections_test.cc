// SPDX-License-Identifier: Apache-2.0
// Rules of the vocabulary with values and protos that break only this one.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

TEST(VocabularyRejections, ShapeProtos) {
  ShapeProto proto = ShapeUtil::MakeShape(F32, {2, 3}).ToProto();
  EXPECT_OK(Shape::FromProto(proto));
  ShapeProto unknown = proto;
  unknown.set_element_type(static_cast<PrimitiveType>(77));
  EXPECT_FALSE(Shape::FromProto(unknown).ok());
  ShapeProto deep;
  ShapeProto* at = &deep;
  for (int i = 0; i <= Shape::kMaxTupleDepth + 1; ++i) {
    at->set_element_type(TUPLE);
    at = at->add_tuple_shapes();
  }
  *at = proto;
  EXPECT_ERROR(Shape::FromProto(deep), "shape proto nests tuples deeper than");
}

TEST(VocabularyRejections, LayoutProtos) {
  LayoutProto proto;
  proto.add_minor_to_major(0);
  EXPECT_OK(Layout::FromProto(proto));
  LayoutProto bad = proto;
  bad.set_index_primitive_type(static_cast<PrimitiveType>(77));
  EXPECT_ERROR(Layout::FromProto(bad), "layout proto has unknown index_primitive_type 77");
  bad = proto;
  bad.set_pointer_primitive_type(static_cast<PrimitiveType>(78));
  EXPECT_ERROR(Layout::FromProto(bad), "layout proto has unknown pointer_primitive_type 78");
  bad = LayoutProto();
  LayoutProto* at = &bad;
  for (int i = 0; i <= Shape::kMaxTupleDepth + 1; ++i) {
    ShapeProto* physical = at->mutable_physical_shape();
    physical->set_element_type(F32);
    at = physical->mutable_layout();
  }
  EXPECT_FALSE(Layout::FromProto(bad).ok());
}

TEST(VocabularyRejections, Literals) {
  EXPECT_ERROR(Literal::CreateFromProto(LiteralProto()), "LiteralProto has no shape");
  Literal pair = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<float>({1, 2}),
                                             LiteralUtil::CreateR0<int32_t>(3));
  EXPECT_ERROR(pair.MoveFrom(LiteralUtil::CreateR0<int32_t>(4), {2}), "MoveFrom: shape");
  EXPECT_ERROR(pair.MoveFrom(LiteralUtil::CreateR0<int32_t>(4), {0}),
               "MoveFrom: destination shape");
  EXPECT_OK(pair.MoveFrom(LiteralUtil::CreateR0<int32_t>(4), {1}));
  EXPECT_EQ(LiteralSlice(pair, {1}).Get<int32_t>({}), 4);
  const Literal vector = LiteralUtil::CreateR1<float>({5, 6, 7});
  EXPECT_ERROR(pair.CopyFrom(vector, {3}, {}), "CopyFrom: no element {3}");
  EXPECT_ERROR(pair.CopyFrom(vector, {0}, {1}), "CopyFrom: no element");
  Literal to = LiteralUtil::CreateR1<float>({0, 0});
  EXPECT_ERROR(to.CopySliceFrom(LiteralUtil::CreateR2<float>({{1}}), {0, 0}, {0}, {1}),
               "CopySliceFrom: source shape f32[1,1] and destination shape f32[2] differ");
  EXPECT_ERROR(to.CopySliceFrom(LiteralUtil::CreateR1<int32_t>({1}), {0}, {0}, {1}),
               "differ in type or rank");
  EXPECT_ERROR(to.CopySliceFrom(vector, {0, 0}, {0}, {1}), "CopySliceFrom: 2 source");
  EXPECT_FALSE(to.CopySliceFrom(vector, {2}, {0}, {2}).ok());
  EXPECT_FALSE(to.CopySliceFrom(vector, {0}, {1}, {2}).ok());
  EXPECT_FALSE(to.CopySliceFrom(vector, {-1}, {0}, {1}).ok());
  EXPECT_OK(to.CopySliceFrom(vector, {1}, {0}, {2}));
  EXPECT_EQ(to, LiteralUtil::CreateR1<float>({6, 7}));
}

// What XLA takes at the edges of its rules.
TEST(VocabularyEdges, AScalarIsCopiedToAnElementAndBack) {
  Literal vector = LiteralUtil::CreateR1<float>({1, 2, 3});
  EXPECT_OK(vector.CopySliceFrom(LiteralUtil::CreateR0<float>(9), {}, {1}, {}));
  EXPECT_EQ(vector, LiteralUtil::CreateR1<float>({1, 9, 3}));
  Literal scalar = LiteralUtil::CreateR0<float>(0);
  EXPECT_OK(scalar.CopySliceFrom(vector, {2}, {}, {}));
  EXPECT_EQ(scalar, LiteralUtil::CreateR0<float>(3));
  EXPECT_FALSE(scalar.CopySliceFrom(vector, {3}, {}, {}).ok());
}

TEST(VocabularyEdges, SplitConfigsFollowDeletedDimensions) {
  Layout layout({2, 1, 0});
  layout.add_split_configs(SplitConfig(0, {1}));
  layout.add_split_configs(SplitConfig(1, {2}));
  layout.add_split_configs(SplitConfig(2, {3}));
  layout.DeleteDimension(1);
  ASSERT_EQ(layout.split_configs_size(), 2);
  EXPECT_EQ(layout.split_configs(0), SplitConfig(0, {1}));
  EXPECT_EQ(layout.split_configs(1), SplitConfig(1, {3}));
}

TEST(VocabularyEdges, AnIncrementOfZeroKeepsADimensionAtItsBase) {
  std::vector<std::vector<int64_t>> seen;
  EXPECT_OK(ShapeUtil::ForEachIndexWithStatus(
      ShapeUtil::MakeShape(F32, {4, 3}), {1, 0}, {2, 3}, {0, 2},
      [&](absl::Span<const int64_t> index) -> absl::StatusOr<bool> {
        seen.emplace_back(index.begin(), index.end());
        return true;
      }));
  EXPECT_EQ(seen, (std::vector<std::vector<int64_t>>{{1, 0}, {1, 2}}));
}

}  // namespace
}  // namespace xla
