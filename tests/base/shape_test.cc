// SPDX-License-Identifier: Apache-2.0
// Shape and ProgramShape: text form, proto form, equality, hash, value semantics.
#include "xla/shape.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/hash/hash.h"
#include "tests/test_util.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

const Shape kF32_2x3 = ShapeUtil::MakeShape(F32, {2, 3});

TEST(ShapeText, ArraysPrintTypeSizesAndLayout) {
  EXPECT_EQ(kF32_2x3.ToString(), "f32[2,3]");
  EXPECT_EQ(kF32_2x3.ToString(/*print_layout=*/true), "f32[2,3]{1,0}");
  EXPECT_EQ(Shape(BF16, {8}).ToString(true), "bf16[8]");  // no layout to print
}

TEST(ShapeText, ScalarsPrintALayoutOnlyIfItSaysSomething) {
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {}).ToString(true), "f32[]");
  EXPECT_EQ(ShapeUtil::MakeShapeWithDenseLayout(U32, {}, {}, {}, 1, 0, 2).ToString(true),
            "u32[]{:S(2)}");
}

TEST(ShapeText, DynamicDimensions) {
  const Shape shape = ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 3, 4}, {true, true, false});
  EXPECT_EQ(shape.ToString(true), "f32[?,<=3,4]{2,1,0}");
}

TEST(ShapeText, TuplesNumberEveryFifthElement) {
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  EXPECT_EQ(ShapeUtil::MakeTupleShape(
                {scalar, scalar, scalar, scalar, scalar, ShapeUtil::MakeShape(F32, {2}), scalar})
                .ToString(true),
            "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[2]{0}, f32[])");
  EXPECT_EQ(ShapeUtil::MakeNil().ToString(), "()");
}

TEST(ShapeText, TokensOpaqueValuesAndBuffers) {
  EXPECT_EQ(ShapeUtil::MakeTokenShape().ToString(true), "token[]");
  EXPECT_EQ(ShapeUtil::MakeOpaqueShape().ToString(true), "opaque[]");
  EXPECT_EQ(ShapeUtil::MakeBufferShape(F32, {2, 3}).ToString(), "b(f32[2,3])");
  EXPECT_EQ(ShapeUtil::MakeBufferShape(F32, {2, 3}).ToString(true), "b(f32[2,3]{1,0})");
}

TEST(ShapeText, ProgramShapes) {
  ProgramShape program;
  program.AddParameter(kF32_2x3, "x");
  program.AddParameter(ShapeUtil::MakeTokenShape(), "");
  *program.mutable_result() = ShapeUtil::MakeTupleShape({kF32_2x3});
  EXPECT_EQ(program.ToString(), "(x: f32[2,3], (unknown): token[]) -> (f32[2,3])");
}

// ---- Proto ----

std::vector<Shape> ManyShapes() {
  return {kF32_2x3,
          ShapeUtil::MakeShape(PRED, {}),
          ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 3, 4}, {true, true, false}),
          ShapeUtil::MakeShapeWithPaddedLayout(S8, {2, 3}, {0, 1}, {3, 5}, HIGHEST_PAD),
          ShapeUtil::MakeBufferShape(F32, {2, 3}),
          ShapeUtil::MakeTokenShape(),
          ShapeUtil::MakeOpaqueShape(),
          ShapeUtil::MakeNil(),
          Shape(F32, {4, 5}),
          ShapeUtil::MakeTupleShape({kF32_2x3, ShapeUtil::MakeTupleShape({Shape(TOKEN)})})};
}

TEST(ShapeProtoForm, EveryKindComesBack) {
  for (const Shape& shape : ManyShapes()) {
    ASSERT_OK_AND_ASSIGN(const Shape back, Shape::FromProto(shape.ToProto()));
    EXPECT_EQ(back, shape);
    EXPECT_EQ(back.ToString(true), shape.ToString(true));
  }
}

TEST(ShapeProtoForm, ABufferIsWrittenAsItsArrayInside) {
  const ShapeProto proto = ShapeUtil::MakeBufferShape(F32, {2, 3}).ToProto();
  EXPECT_EQ(proto.element_type(), BUFFER);
  ASSERT_EQ(proto.tuple_shapes_size(), 1);
  EXPECT_EQ(proto.tuple_shapes(0).element_type(), F32);
  EXPECT_EQ(proto.dimensions_size(), 0);
}

TEST(ShapeProtoForm, DynamicFlagsMayBeAbsentButNotOfAnotherNumber) {
  ShapeProto proto = kF32_2x3.ToProto();
  proto.clear_is_dynamic_dimension();
  ASSERT_OK_AND_ASSIGN(const Shape shape, Shape::FromProto(proto));
  EXPECT_EQ(shape, kF32_2x3);
  proto.add_is_dynamic_dimension(true);
  EXPECT_ERROR(Shape::FromProto(proto), "2 dimensions but 1 dynamic dimension flags");
  EXPECT_EQ(Shape(proto).element_type(), PRIMITIVE_TYPE_INVALID);
}

TEST(ShapeProtoForm, ContradictionsAreErrors) {
  ShapeProto proto;
  proto.set_element_type(static_cast<PrimitiveType>(1234));
  EXPECT_ERROR(Shape::FromProto(proto), "unknown element type 1234");
  proto = kF32_2x3.ToProto();
  proto.set_element_type(TUPLE);
  EXPECT_ERROR(Shape::FromProto(proto), "type TUPLE has dimensions");
  proto = kF32_2x3.ToProto();
  proto.add_tuple_shapes();
  EXPECT_ERROR(Shape::FromProto(proto), "type F32 has tuple elements");
  proto = Shape(TOKEN).ToProto();
  proto.mutable_layout()->add_minor_to_major(0);
  EXPECT_ERROR(Shape::FromProto(proto), "type TOKEN has a layout");
  proto.Clear();
  proto.set_element_type(BUFFER);
  EXPECT_ERROR(Shape::FromProto(proto), "a buffer holds 0 shapes; expected 1");
  *proto.add_tuple_shapes() = Shape(TOKEN).ToProto();
  EXPECT_ERROR(Shape::FromProto(proto), "a buffer holds token[]; expected an array");
}

TEST(ShapeProtoForm, DeepNestingIsAnError) {
  ShapeProto proto;
  proto.set_element_type(F32);
  for (int depth = 1; depth <= Shape::kMaxTupleDepth + 1; ++depth) {
    ShapeProto outer;
    outer.set_element_type(TUPLE);
    outer.add_tuple_shapes()->Swap(&proto);
    proto.Swap(&outer);
    EXPECT_EQ(Shape::FromProto(proto).ok(), depth <= Shape::kMaxTupleDepth) << depth;
  }
}

TEST(ShapeProtoForm, RandomProtosNeverCrash) {
  std::mt19937 random(11);
  const auto number = [&]() -> int64_t {
    switch (random() % 5) {
      case 0:
        return -static_cast<int64_t>(random() % 3);
      case 1:
        return std::numeric_limits<int64_t>::max() - random() % 2;
      case 2:
        return std::numeric_limits<int64_t>::min();
      default:
        return random() % 5;
    }
  };
  int valid = 0;
  for (int round = 0; round < 20000; ++round) {
    ShapeProto proto;
    proto.set_element_type(static_cast<PrimitiveType>(random() % 40));
    for (int i = random() % 3; i > 0; --i) {
      proto.add_dimensions(number());
      proto.add_is_dynamic_dimension(random() % 2);
      if (random() % 8) proto.mutable_layout()->add_minor_to_major(i - 1);
      if (random() % 2) proto.mutable_layout()->add_padded_dimensions(number());
    }
    if (random() % 4 == 0) proto.mutable_layout()->add_tiles()->add_dimensions(number());
    if (random() % 8 == 0) proto.mutable_layout()->set_element_size_in_bits(number());
    if (random() % 8 == 0) proto.mutable_layout()->set_tail_padding_alignment_in_elements(number());
    if (random() % 8 == 0) proto.add_tuple_shapes()->set_element_type(S32);
    const absl::StatusOr<Shape> shape = Shape::FromProto(proto);
    if (!shape.ok()) continue;
    EXPECT_FALSE(shape->ToString(true).empty());
    if (!ShapeUtil::ValidateShapeWithOptionalLayout(*shape).ok()) continue;
    ++valid;
    EXPECT_GE(ShapeUtil::ByteSizeOf(*shape), 0);
    if (shape->IsArray()) {
      EXPECT_GE(ShapeUtil::ArraySize(*shape), ShapeUtil::ArrayDataSize(*shape)) << *shape;
    }
    ASSERT_OK_AND_ASSIGN(const Shape back, Shape::FromProto(shape->ToProto()));
    EXPECT_EQ(back, *shape);
  }
  EXPECT_GT(valid, 500);
}

TEST(ShapeProtoForm, ProgramShapes) {
  ProgramShape program;
  program.AddParameter(kF32_2x3, "x");
  *program.mutable_result() = ShapeUtil::MakeTokenShape();
  ProgramShapeProto proto = program.ToProto();
  ASSERT_OK_AND_ASSIGN(const ProgramShape back, ProgramShape::FromProto(proto));
  EXPECT_EQ(back, program);
  proto.add_parameter_names("y");
  EXPECT_ERROR(ProgramShape::FromProto(proto), "1 parameters but 2 parameter names");
}

// ---- Equality ----

TEST(ShapeEqual, EveryShapeEqualsItselfAlone) {
  const std::vector<Shape> shapes = ManyShapes();
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = 0; j < shapes.size(); ++j) {
      EXPECT_EQ(shapes[i] == shapes[j], i == j) << shapes[i] << " " << shapes[j];
    }
    EXPECT_EQ(absl::HashOf(shapes[i]), absl::HashOf(Shape(shapes[i])));
  }
}

TEST(ShapeEqual, IgnoresWhatItIsTold) {
  using Equal = Shape::Equal;
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  const Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {1, 0}, {2, 4});
  EXPECT_FALSE(Equal()(kF32_2x3, column_major));
  EXPECT_TRUE(Equal().IgnoreLayout()(kF32_2x3, column_major));
  EXPECT_FALSE(Equal().MinorToMajorOnlyInLayout()(kF32_2x3, column_major));
  EXPECT_TRUE(Equal().MinorToMajorOnlyInLayout()(kF32_2x3, padded));
  EXPECT_TRUE(Equal().IgnorePaddingInLayout()(kF32_2x3, padded));
  EXPECT_FALSE(Equal().IgnoreTilesInLayout()(kF32_2x3, padded));
  const Shape integers = ShapeUtil::MakeShape(S32, {2, 3});
  EXPECT_TRUE(Equal().IgnoreElementType()(kF32_2x3, integers));
  EXPECT_FALSE(Equal().IgnoreFpPrecision()(kF32_2x3, integers));
  EXPECT_TRUE(Equal().IgnoreFpPrecision()(kF32_2x3, ShapeUtil::MakeShape(BF16, {2, 3})));
  EXPECT_TRUE(Equal().IgnoreDimensions()(kF32_2x3, ShapeUtil::MakeShape(F32, {4, 5})));
  EXPECT_FALSE(Equal().IgnoreDimensions()(kF32_2x3, ShapeUtil::MakeShape(F32, {6})));
  const Shape dynamic = ShapeUtil::MakeShape(F32, {2, 3}, {true, false});
  EXPECT_FALSE(Equal()(kF32_2x3, dynamic));
  EXPECT_TRUE(Equal().IgnoreDynamicDimension()(kF32_2x3, dynamic));
  const Shape unbounded = ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 3}, {true, false});
  EXPECT_TRUE(Equal().IgnoreDynamicDimension()(kF32_2x3, unbounded));
  EXPECT_FALSE(Equal()(kF32_2x3, ShapeUtil::MakeBufferShape(kF32_2x3)));
  EXPECT_TRUE(Equal().IgnoreBuffer()(kF32_2x3, ShapeUtil::MakeBufferShape(kF32_2x3)));
  EXPECT_TRUE(Equal().IgnoreLayout()(ShapeUtil::MakeTupleShape({kF32_2x3}),
                                     ShapeUtil::MakeTupleShape({column_major})));
  EXPECT_FALSE(Equal()(ShapeUtil::MakeTupleShape({kF32_2x3}), kF32_2x3));
}

// ---- Values ----

TEST(ShapeValue, IsSmall) {
  // A module of a million instructions holds a million shapes.
  EXPECT_LE(sizeof(Shape), 128u);
}

TEST(ShapeValue, MovedFromShapesAreInvalid) {
  for (Shape shape : ManyShapes()) {
    const Shape copy = shape;
    Shape moved = std::move(shape);
    EXPECT_EQ(moved, copy);
    EXPECT_EQ(shape, Shape());  // NOLINT: the state after a move is defined
    shape = std::move(moved);
    EXPECT_EQ(shape, copy);
    EXPECT_EQ(moved, Shape());
  }
}

TEST(ShapeValue, ATupleCanBecomeOneOfItsOwnElements) {
  Shape tuple = ShapeUtil::MakeTupleShape({kF32_2x3, Shape(TOKEN)});
  tuple = tuple.tuple_shapes(0);
  EXPECT_EQ(tuple, kF32_2x3);
  tuple = ShapeUtil::MakeTupleShape({kF32_2x3, Shape(TOKEN)});
  tuple = std::move(*tuple.mutable_tuple_shapes(0));
  EXPECT_EQ(tuple, kF32_2x3);
}

TEST(ShapeValue, AssignmentToItselfKeepsEverything) {
  for (const Shape& original :
       {ShapeUtil::MakeShape(F32, {2, 3}, {false, true}),
        ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {4}), ShapeUtil::MakeNil()})}) {
    Shape shape = original;
    Shape& same = shape;
    shape = std::move(same);
    EXPECT_EQ(shape, original);
    shape = same;
    EXPECT_EQ(shape, original);
  }
}

TEST(ShapeValue, ABufferAnswersForItsArray) {
  const Shape buffer = ShapeUtil::MakeBufferShape(kF32_2x3);
  EXPECT_TRUE(buffer.IsBuffer());
  EXPECT_TRUE(buffer.IsArray());
  EXPECT_FALSE(buffer.IsArrayExcludingBuffer());
  EXPECT_EQ(buffer.element_type(), F32);
  EXPECT_EQ(buffer.element_type_including_buffer(), BUFFER);
  EXPECT_EQ(buffer.dimensions(1), 3);
  EXPECT_EQ(buffer.buffer_shape(), kF32_2x3);
  EXPECT_ERROR(ShapeUtil::MakeValidatedBufferShape(Shape(TOKEN)),
               "a buffer must hold an array, not token[]");
  EXPECT_ERROR(ShapeUtil::MakeValidatedBufferShape(buffer), "a buffer must hold an array");
}

TEST(ShapeValue, ChangingTheTypeKeepsDimensionsBetweenArraysOnly) {
  Shape shape = kF32_2x3;
  shape.set_element_type(S32);
  EXPECT_EQ(shape, ShapeUtil::MakeShape(S32, {2, 3}));
  shape.set_element_type(TUPLE);
  EXPECT_EQ(shape, ShapeUtil::MakeNil());
  *shape.add_tuple_shapes() = kF32_2x3;
  shape.set_element_type(TOKEN);
  EXPECT_EQ(shape, Shape(TOKEN));
}

TEST(ShapeValue, DeletingDimensionsTakesTheLayoutAlong) {
  Shape shape = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3, 4, 5}, {3, 0, 2, 1}, {2, 6, 8, 5});
  shape.DeleteDimensions({0, 2});
  EXPECT_EQ(shape, ShapeUtil::MakeShapeWithPaddedLayout(F32, {3, 5}, {1, 0}, {6, 5}));
}

TEST(ShapeValue, ClearingDynamicDimensionsKeepsTheBounds) {
  Shape shape = ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {10, 3}, {true, false})});
  EXPECT_TRUE(shape.is_dynamic());
  EXPECT_TRUE(shape.is_bounded_dynamic());
  EXPECT_FALSE(shape.is_unbounded_dynamic());
  shape.clear_dynamic_dimensions();
  EXPECT_EQ(shape.ToString(true), "(f32[10,3]{1,0})");
}

TEST(ShapeValue, QuestionsAboutDimensionsAreSafeForEveryKind) {
  for (const Shape& shape : ManyShapes()) {
    EXPECT_EQ(shape.dimensions().size(), static_cast<size_t>(shape.rank()));
    EXPECT_EQ(shape.tuple_shapes().size(), static_cast<size_t>(shape.tuple_shapes_size()));
    EXPECT_EQ(shape.is_static(), !shape.is_dynamic());
  }
}

}  // namespace
}  // namespace xla
