// SPDX-License-Identifier: Apache-2.0
// Layout: text form, proto form, equality, hash, editing; LayoutUtil: validation and order.
#include "xla/layout.h"

#include <gtest/gtest.h>

#include "absl/hash/hash.h"
#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

using testing::kCombine;
using testing::T;

Layout EveryProperty() {
  Layout layout({1, 0});
  *layout.add_tiles() = T({8, 128});
  *layout.add_tiles() = T({2, 1});
  layout.set_tail_padding_alignment_in_elements(16)
      .set_index_primitive_type(U32)
      .set_pointer_primitive_type(U8)
      .set_element_size_in_bits(64)
      .set_memory_space(5)
      .add_split_configs(SplitConfig(0, {2, 3}))
      .add_split_configs(SplitConfig(1, {2}))
      .set_dynamic_shape_metadata_prefix_bytes(12)
      .set_padded_dimensions({4, 5})
      .set_padding_value(LOWEST_PAD);
  return layout;
}

TEST(LayoutText, ListsTheOrder) {
  EXPECT_EQ(Layout({3, 0, 2, 1}).ToString(), "{3,0,2,1}");
  EXPECT_EQ(Layout().ToString(), "{}");
}

TEST(LayoutText, PropertiesFollowAColonInXlasOrder) {
  EXPECT_EQ(EveryProperty().ToString(),
            "{1,0:T(8,128)(2,1)L(16)#(u32)*(u8)E(64)S(5)SC(0:2,3)(1:2)M(12)W(4,5)V(lowest)}");
}

TEST(LayoutText, StarStandsForCombinedDimensions) {
  EXPECT_EQ(LayoutUtil::MakeLayout({1, 0}, {T({kCombine, 128})}).ToString(), "{1,0:T(*,128)}");
}

TEST(LayoutText, DefaultsAreLeftOut) {
  Layout layout = EveryProperty();
  layout.clear_tiles()
      .set_tail_padding_alignment_in_elements(1)
      .set_index_primitive_type(PRIMITIVE_TYPE_INVALID)
      .set_pointer_primitive_type(PRIMITIVE_TYPE_INVALID)
      .set_element_size_in_bits(0)
      .set_memory_space(0)
      .set_dynamic_shape_metadata_prefix_bytes(0)
      .clear_padded_dimensions();
  layout.clear_split_configs();
  EXPECT_EQ(layout.ToString(), "{1,0}");  // the padding value has nothing to fill
  layout.set_padding_value(INVALID_PAD);
  EXPECT_TRUE(layout.IsPlain());
}

TEST(LayoutText, PaddingValuesHaveNamesThatReadBack) {
  for (const PaddingValue value : {ZERO_PAD, ONE_PAD, LOWEST_PAD, HIGHEST_PAD, UNKNOWN_PAD}) {
    ASSERT_OK_AND_ASSIGN(const PaddingValue back, StringToPaddingValue(PaddingValueName(value)));
    EXPECT_EQ(back, value);
  }
  EXPECT_ERROR(StringToPaddingValue("two"), "expected zero, one, lowest, highest or unknown");
  EXPECT_ERROR(StringToPaddingValue(""), "unknown padding value ''");
}

TEST(LayoutProto, EveryPropertyComesBack) {
  const Layout layout = EveryProperty();
  ASSERT_OK_AND_ASSIGN(const Layout back, Layout::FromProto(layout.ToProto()));
  EXPECT_EQ(back, layout);
  EXPECT_EQ(back.ToString(), layout.ToString());
}

TEST(LayoutProto, PaddingHasTheDocumentsFieldNumbers) {
  const LayoutProto proto = LayoutUtil::MakePaddedLayout({0, 1}, {3, 5}, ZERO_PAD).ToProto();
  EXPECT_EQ(LayoutProto::kMinorToMajorFieldNumber, 1);
  EXPECT_EQ(LayoutProto::kPaddedDimensionsFieldNumber, 2);
  EXPECT_EQ(LayoutProto::kPaddingValueFieldNumber, 3);
  EXPECT_EQ(proto.padded_dimensions(1), 5);
  EXPECT_EQ(proto.padding_value(), ZERO_PAD);
}

TEST(LayoutProto, AlignmentIsWrittenAsXlaDoesAndMayBeAbsent) {
  EXPECT_EQ(Layout({0}).ToProto().tail_padding_alignment_in_elements(), 1);
  LayoutProto old_proto;
  old_proto.add_minor_to_major(0);
  ASSERT_OK_AND_ASSIGN(const Layout layout, Layout::FromProto(old_proto));
  EXPECT_EQ(layout, Layout({0}));
}

TEST(LayoutProto, NonsenseIsAnError) {
  LayoutProto proto;
  proto.set_tail_padding_alignment_in_elements(-4);
  EXPECT_ERROR(Layout::FromProto(proto), "negative tail_padding_alignment_in_elements -4");
  proto.Clear();
  proto.set_padding_value(static_cast<PaddingValue>(77));
  EXPECT_ERROR(Layout::FromProto(proto), "unknown padding_value 77");
  proto.Clear();
  proto.set_index_primitive_type(static_cast<PrimitiveType>(999));
  EXPECT_ERROR(Layout::FromProto(proto), "unknown index_primitive_type 999");
}

TEST(LayoutProto, EndlessPhysicalShapesAreAnError) {
  LayoutProto proto;
  LayoutProto* inner = &proto;
  for (int i = 0; i < 1000; ++i) {
    inner->mutable_physical_shape()->set_element_type(F32);
    inner = inner->mutable_physical_shape()->mutable_layout();
  }
  EXPECT_ERROR(Layout::FromProto(proto), "deeper than");
}

TEST(LayoutEqual, ComparesEveryPropertyButThePrefix) {
  const Layout layout = EveryProperty();
  EXPECT_EQ(layout, EveryProperty());
  EXPECT_NE(layout, Layout({1, 0}));
  const auto changed = [&](auto change) {
    Layout other = layout;
    change(&other);
    return other;
  };
  EXPECT_NE(layout, changed([](Layout* l) { l->set_minor_to_major(0, 0); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->clear_tiles(); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->set_tail_padding_alignment_in_elements(1); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->set_element_size_in_bits(0); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->set_memory_space(0); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->clear_split_configs(); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->set_padding_value(ZERO_PAD); }));
  EXPECT_NE(layout, changed([](Layout* l) { l->clear_padded_dimensions(); }));
  EXPECT_NE(layout, changed([](Layout* l) { *l->mutable_physical_shape() = Shape(TOKEN); }));
  EXPECT_EQ(layout, changed([](Layout* l) { l->set_dynamic_shape_metadata_prefix_bytes(0); }));
}

TEST(LayoutEqual, IgnoresWhatItIsTold) {
  const Layout all = EveryProperty();
  EXPECT_TRUE(Layout::Equal().MinorToMajorOnly()(all, Layout({1, 0})));
  EXPECT_FALSE(Layout::Equal().MinorToMajorOnly()(all, Layout({0, 1})));
  Layout other = all;
  other.clear_tiles();
  EXPECT_TRUE(Layout::Equal().IgnoreTiles()(all, other));
  EXPECT_FALSE(Layout::Equal().IgnoreMemorySpace()(all, other));
}

TEST(LayoutEqual, APropertySetAndUnsetIsAsIfNeverSet) {
  Layout touched({1, 0});
  touched.set_memory_space(1).set_memory_space(0);
  EXPECT_EQ(touched, Layout({1, 0}));
  EXPECT_EQ(absl::HashOf(touched), absl::HashOf(Layout({1, 0})));
  touched.set_dynamic_shape_metadata_prefix_bytes(4);
  EXPECT_EQ(touched, Layout({1, 0}));
  EXPECT_EQ(absl::HashOf(touched), absl::HashOf(Layout({1, 0})));
}

TEST(LayoutValue, CopiesAreDeepAndMovesLeaveTheRestAlone) {
  Layout layout = EveryProperty();
  Layout copy = layout;
  copy.mutable_tiles(0)->clear_dimensions();
  copy.set_memory_space(9);
  EXPECT_EQ(layout, EveryProperty());
  const Layout moved = std::move(layout);
  EXPECT_EQ(moved, EveryProperty());
  copy = moved;
  EXPECT_EQ(copy, EveryProperty());
  copy = *&copy;
  EXPECT_EQ(copy, EveryProperty());
}

TEST(LayoutValue, DeletingADimensionRenumbersTheRest) {
  Layout layout = LayoutUtil::MakePaddedLayout({3, 0, 2, 1}, {10, 20, 30, 40});
  layout.DeleteDimension(2);
  EXPECT_EQ(layout, LayoutUtil::MakePaddedLayout({2, 0, 1}, {10, 20, 40}));
  layout.DeleteDimension(2);
  EXPECT_EQ(layout, LayoutUtil::MakePaddedLayout({0, 1}, {10, 20}));
  layout.DeleteDimension(0);
  EXPECT_EQ(layout, LayoutUtil::MakePaddedLayout({0}, {20}));
}

// ---- Validation: the error says which entry is wrong ----

absl::Status Validate(const Layout& layout, std::initializer_list<int64_t> dimensions = {2, 3}) {
  return LayoutUtil::ValidateLayoutForShape(layout, ShapeUtil::MakeShape(F32, dimensions));
}

TEST(LayoutValidation, MinorToMajorMustBeAPermutation) {
  EXPECT_OK(Validate(Layout({0, 1})));
  EXPECT_OK(Validate(Layout(), {}));
  EXPECT_ERROR(
      Validate(Layout({0, 0})),
      "layout {0,0} of f32[2,3]: layout minor_to_major field has duplicate values: entry 1 is "
      "0, as entry 0; expected a permutation of 0..1");
  EXPECT_ERROR(Validate(Layout({0, 2})),
               "minor_to_major field has out-of-bounds value: entry 1 is 2");
  EXPECT_ERROR(Validate(Layout({-1, 0})),
               "minor_to_major field has out-of-bounds value: entry 0 is -1");
  EXPECT_ERROR(Validate(Layout({0})),
               "layout minor_to_major field contains 1 elements, but shape has 2 dimensions: {0}; "
               "shape: f32[2,3]");
}

TEST(LayoutValidation, PaddedWidthsMustCoverTheSizes) {
  EXPECT_OK(Validate(LayoutUtil::MakePaddedLayout({0, 1}, {3, 5})));
  EXPECT_OK(Validate(LayoutUtil::MakePaddedLayout({0, 1}, {2, 3})));
  EXPECT_ERROR(Validate(LayoutUtil::MakePaddedLayout({0, 1}, {3, 2})),
               "layout {0,1:W(3,2)} of f32[2,3]: padded_dimensions entry 1 is 2, below the size 3 "
               "of dimension 1");
  EXPECT_ERROR(Validate(LayoutUtil::MakePaddedLayout({0, 1}, {3})),
               "padded_dimensions contains 1 elements, but the shape is rank 2");
  EXPECT_ERROR(Validate(LayoutUtil::MakePaddedLayout({0, 1}, {}, ZERO_PAD)),
               "has padding_value zero but no padded_dimensions");
  Shape unbounded = ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize}, {true});
  EXPECT_ERROR(
      LayoutUtil::ValidateLayoutForShape(LayoutUtil::MakePaddedLayout({0}, {8}), unbounded),
      "padded_dimensions entry 0 pads a dimension without a bound");
}

TEST(LayoutValidation, TilesMustBePositive) {
  EXPECT_OK(Validate(LayoutUtil::MakeLayout({1, 0}, {T({8, 128}), T({2, 1})})));
  EXPECT_ERROR(Validate(LayoutUtil::MakeLayout({1, 0}, {T({8, 0})})),
               "tile 0 has size 0 as entry 1");
  EXPECT_ERROR(Validate(LayoutUtil::MakeLayout({1, 0}, {T({8, 128}), T({-2})})),
               "tile 1 has size -2 as entry 0");
  EXPECT_ERROR(Validate(LayoutUtil::MakeLayout({1, 0}, {T({128, kCombine})})),
               "tile 0 ends with '*'");
  EXPECT_ERROR(Validate(LayoutUtil::MakeLayout({1, 0}, {T({})})), "tile 0 has no dimensions");
}

TEST(LayoutValidation, OtherPropertiesAreChecked) {
  EXPECT_ERROR(Validate(Layout({1, 0}).set_element_size_in_bits(4)),
               "element_size_in_bits is 4, but an element of type f32 takes 32 bits");
  EXPECT_ERROR(Validate(Layout({1, 0}).set_tail_padding_alignment_in_elements(-1)),
               "tail_padding_alignment_in_elements is -1");
  EXPECT_ERROR(Validate(Layout({1, 0}).set_dynamic_shape_metadata_prefix_bytes(-8)),
               "dynamic_shape_metadata_prefix_bytes is negative");
  EXPECT_ERROR(Validate(Layout({1, 0}).set_index_primitive_type(F32)), "not f32");
  EXPECT_ERROR(Validate(Layout({1, 0}).add_split_configs(SplitConfig(2, {1}))),
               "split config 0 names dimension 2, but the shape is rank 2");
  EXPECT_ERROR(Validate(Layout({1, 0}).add_split_configs(SplitConfig(1, {2, 2}))),
               "split config 0 has index 2 after 2");
  Layout sparse({1, 0});
  *sparse.mutable_physical_shape() = ShapeUtil::MakeShape(F32, {6});
  EXPECT_ERROR(Validate(sparse), "has a physical_shape, but is not for a sparse array");
}

TEST(LayoutValidation, TheBufferMustFitAnInt64) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_ERROR(Validate(LayoutUtil::MakePaddedLayout({1, 0}, {big, big})),
               "the size of the buffer overflows int64");
  EXPECT_ERROR(Validate(LayoutUtil::MakeLayout({1, 0}, {T({big, big})})),
               "the size of the buffer overflows int64");
  EXPECT_ERROR(Validate(Layout({1, 0}).set_tail_padding_alignment_in_elements(INT64_MAX)),
               "the size of the buffer overflows int64");
  EXPECT_OK(Validate(LayoutUtil::MakePaddedLayout({1, 0}, {1024, 1024})));
}

TEST(LayoutValidation, TuplesHaveLayoutsInTheirLeaves) {
  Shape leaf = ShapeUtil::MakeShape(F32, {2, 3});
  const Shape good = ShapeUtil::MakeTupleShape({leaf, ShapeUtil::MakeTokenShape()});
  EXPECT_OK(LayoutUtil::ValidateLayoutInShape(good));
  EXPECT_ERROR(LayoutUtil::ValidateLayoutForShape(Layout({0}), good),
               "a single Layout is not valid for tuple shapes: (f32[2,3], token[])");
  leaf.clear_layout();
  const Shape without = ShapeUtil::MakeTupleShape({leaf});
  EXPECT_ERROR(LayoutUtil::ValidateLayoutInShape(without), "f32[2,3] does not have a layout");
  EXPECT_OK(LayoutUtil::ValidateLayoutInShape(without, /*allow_missing_layouts=*/true));
  EXPECT_ERROR(LayoutUtil::ValidateLayoutForShape(Layout({0}), ShapeUtil::MakeTokenShape()),
               "should not have the layout {0}");
}

// ---- Order ----

TEST(LayoutOrder, DescendingAscendingAndReversed) {
  EXPECT_EQ(LayoutUtil::MakeDescendingLayout(3), Layout({2, 1, 0}));
  EXPECT_EQ(LayoutUtil::MakeAscendingLayout(3), Layout({0, 1, 2}));
  EXPECT_EQ(LayoutUtil::MakeLayoutFromMajorToMinor({2, 0, 1}), Layout({1, 0, 2}));
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR4(), Layout({3, 2, 1, 0}));
}

TEST(LayoutOrder, MajorMinorAndTheInverse) {
  const Layout layout({3, 0, 2, 1});
  EXPECT_EQ(LayoutUtil::Major(layout, 0), 1);
  EXPECT_EQ(LayoutUtil::Minor(layout, 0), 3);
  EXPECT_EQ(LayoutUtil::MakeLogicalToPhysical(layout), (std::vector<int64_t>{2, 0, 1, 3}));
}

TEST(LayoutOrder, ConsecutiveDimensionsAreNeighborsInMemory) {
  const Layout layout({3, 0, 2, 1});
  EXPECT_TRUE(LayoutUtil::AreDimensionsConsecutive(layout, {0, 3}));
  EXPECT_TRUE(LayoutUtil::AreDimensionsConsecutive(layout, {2, 0, 1}));
  EXPECT_FALSE(LayoutUtil::AreDimensionsConsecutive(layout, {3, 2}));
  EXPECT_TRUE(LayoutUtil::AreDimensionsConsecutive(layout, {}));
}

TEST(LayoutOrder, MoveDimToMajor) {
  EXPECT_EQ(LayoutUtil::MoveDimToMajor(Layout({3, 0, 2, 1}), 0), Layout({3, 2, 1, 0}));
}

TEST(LayoutOrder, DefaultDenseMeansAPlainRowMajorArray) {
  EXPECT_TRUE(LayoutUtil::IsDefaultDense(ShapeUtil::MakeShape(F32, {2, 3})));
  EXPECT_TRUE(LayoutUtil::IsDefaultDense(
      ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0}, {}, 1, 32, /*memory_space=*/5)));
  EXPECT_FALSE(
      LayoutUtil::IsDefaultDense(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1})));
  EXPECT_FALSE(LayoutUtil::IsDefaultDense(
      ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {1, 0}, {2, 4})));
  EXPECT_FALSE(LayoutUtil::IsDefaultDense(
      ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0}, {T({2, 2})})));
  EXPECT_FALSE(LayoutUtil::IsDefaultDense(ShapeUtil::MakeNil()));
  EXPECT_FALSE(LayoutUtil::IsDefaultDense(ShapeUtil::MakeShapeWithDenseLayout(
      F32, {2, 3}, {1, 0}, {}, /*tail_padding_alignment_in_elements=*/8)));
  EXPECT_FALSE(LayoutUtil::IsDefaultDense(ShapeUtil::MakeShapeWithDenseLayout(
      F32, {2, 3}, {1, 0}, {}, 1, /*element_size_in_bits=*/64)));
}

TEST(LayoutOrder, CopyingLayoutsNeedsTheSameStructure) {
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  Shape target = ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {5, 7})});
  ASSERT_OK(
      LayoutUtil::CopyLayoutBetweenShapes(ShapeUtil::MakeTupleShape({column_major}), &target));
  EXPECT_EQ(target.ToString(true), "(s32[5,7]{0,1})");
  EXPECT_ERROR(
      LayoutUtil::CopyLayoutBetweenShapes(column_major, &target),
      "cannot copy layout from shape: the tuple structures of f32[2,3] and (s32[5,7]) differ");
  Shape vector = ShapeUtil::MakeShape(F32, {4});
  EXPECT_ERROR(LayoutUtil::CopyLayoutBetweenShapes(column_major, &vector),
               "cannot copy layout from shape: the ranks of f32[2,3]{0,1} and f32[4] differ");
  const Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {0, 1}, {3, 5});
  EXPECT_ERROR(LayoutUtil::CopyLayoutBetweenShapes(padded, target.mutable_tuple_shapes(0)),
               "padded_dimensions entry 0 is 3, below the size 5");
}

}  // namespace
}  // namespace xla
