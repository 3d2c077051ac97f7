// SPDX-License-Identifier: Apache-2.0
// ShapeUtil: validation, sizes, comparison, dimension editing, tuples and index iteration.
#include "xla/shape_util.h"

#include <gtest/gtest.h>

#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using testing::kMax;

const Shape kMatrix = ShapeUtil::MakeShape(F32, {2, 3});
const Shape kScalar = ShapeUtil::MakeShape(F32, {});
const Shape kNested = ShapeUtil::MakeTupleShape(
    {ShapeUtil::MakeShape(F32, {1}),
     ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {2}), ShapeUtil::MakeShape(U8, {3}),
                                ShapeUtil::MakeTokenShape()}),
     ShapeUtil::MakeShape(PRED, {4})});

// ---- Validation ----

TEST(ValidateShape, RejectsNegativeSizes) {
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {2, -3}),
               "shape f32[2,-3]: Invalid dimension size: dimension 1 has negative size -3");
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {Shape::kUnboundedSize}),
               "dimension 0 has the unbounded size but is not dynamic");
  EXPECT_OK(ShapeUtil::MakeValidatedShape(F32, {Shape::kUnboundedSize}, {true}));
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {2, 3}, {true}),
               "2 dimensions and 1 dynamic dimension flags");
}

TEST(ValidateShape, RejectsSizesThatOverflow) {
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {int64_t{1} << 40, int64_t{1} << 40}),
               "shape f32[1099511627776,1099511627776] is too large: its size in bytes overflows "
               "int64");
  // 2^61 elements of 4 bytes are one byte too many; of 1 byte they are not.
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {int64_t{1} << 61}), "too large");
  EXPECT_OK(ShapeUtil::MakeValidatedShape(S8, {int64_t{1} << 61}));
  // A bound counts as a size.
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {kMax}, {true}), "too large");
  // So do the other sizes of an empty array, whose products are used as strides.
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, {0, kMax, kMax}), "too large");
  EXPECT_OK(ShapeUtil::MakeValidatedShape(F32, {0, 1000, 1000}));
}

TEST(ValidateShape, RejectsAbsurdRanks) {
  EXPECT_OK(ShapeUtil::MakeValidatedShape(F32, DimensionVector(ShapeUtil::kMaxRank, 1)));
  EXPECT_ERROR(ShapeUtil::MakeValidatedShape(F32, DimensionVector(ShapeUtil::kMaxRank + 1, 1)),
               "shape of type f32 has rank 1025; at most 1024 dimensions are supported");
}

TEST(ValidateShape, RejectsTypesThatAreNoArrays) {
  for (const PrimitiveType type : {TUPLE, TOKEN, OPAQUE_TYPE, BUFFER, PRIMITIVE_TYPE_INVALID}) {
    EXPECT_ERROR(ShapeUtil::MakeValidatedShape(type, {2}), "cannot make an array");
    EXPECT_ERROR(ShapeUtil::MakeValidatedShape(type, {2}, {false}), "cannot make an array");
  }
  EXPECT_ERROR(ShapeUtil::ValidateShape(Shape()), "invalid element type 0");
}

TEST(ValidateShape, RejectsDeepTuples) {
  Shape shape = kScalar;
  for (int depth = 1; depth <= Shape::kMaxTupleDepth; ++depth) {
    shape = ShapeUtil::MakeTupleShape({shape});
  }
  EXPECT_OK(ShapeUtil::ValidateShape(shape));
  EXPECT_EQ(ShapeUtil::TupleDepth(shape), Shape::kMaxTupleDepth);
  EXPECT_ERROR(ShapeUtil::ValidateShape(ShapeUtil::MakeTupleShape({shape})), "nests deeper than");
}

TEST(ValidateShape, ALayoutIsNeededUnlessOptionalAndMustFit) {
  const Shape without(F32, {2, 3});
  EXPECT_ERROR(ShapeUtil::ValidateShape(without), "shape f32[2,3] does not have a layout");
  EXPECT_OK(ShapeUtil::ValidateShapeWithOptionalLayout(without));
  Shape wrong = without;
  *wrong.mutable_layout() = Layout({0, 0});
  EXPECT_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(wrong),
               "minor_to_major field has duplicate values: entry 1 is 0");
  EXPECT_ERROR(ShapeUtil::ValidateShape(ShapeUtil::MakeTupleShape({kScalar, wrong})),
               "layout {0,0} of f32[2,3]");
}

// ---- Sizes ----

TEST(Sizes, ElementsAndBytes) {
  EXPECT_EQ(ShapeUtil::ElementsIn(kMatrix), 6);
  EXPECT_EQ(ShapeUtil::ElementsIn(kScalar), 1);
  EXPECT_EQ(ShapeUtil::ElementsIn(ShapeUtil::MakeShape(F32, {3, 0})), 0);
  EXPECT_EQ(ShapeUtil::ElementsInRecursive(kNested), 1 + 2 + 3 + 4);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(kMatrix), 24);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(kNested), 3 * 8);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(kNested, /*pointer_size=*/4), 12);
  EXPECT_EQ(ShapeUtil::ByteSizeOfLeaves(kNested), 4 + 8 + 3 + 4);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeTokenShape()), 0);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShape(C128, {2})), 32);
}

TEST(Sizes, SubByteElementsTakeAByteUnlessTheLayoutPacksThem) {
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShape(S4, {5})), 5);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShapeWithDenseLayout(S4, {5}, {0}, {}, 1, 4)), 3);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(ShapeUtil::MakeShapeWithDenseLayout(U1, {9}, {0}, {}, 1, 1)), 2);
  EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(U1), 1);
  EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(TOKEN), 0);
}

TEST(Sizes, PaddingCounts) {
  const Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(S4, {2, 3}, {0, 1}, {3, 5});
  EXPECT_EQ(ShapeUtil::ByteSizeOf(padded), 15);
  Shape packed = padded;
  packed.mutable_layout()->set_element_size_in_bits(4);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(packed), 8);
}

TEST(Sizes, SaturateWhenTheyDoNotFit) {
  const Shape huge(F64, {kMax, kMax});
  EXPECT_EQ(ShapeUtil::ElementsIn(huge), kMax);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(huge), kMax);
  EXPECT_EQ(ShapeUtil::ArraySize(huge), kMax);
  EXPECT_EQ(ShapeUtil::ArrayDataSize(huge), kMax);
  EXPECT_EQ(ShapeUtil::ElementsIn(Shape(F64, {kMax, 0})), 0);
  const Shape unbounded = ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 2}, {true, false});
  EXPECT_EQ(ShapeUtil::ElementsIn(unbounded), kMax);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(unbounded), kMax);
}

TEST(Sizes, ByteStrides) {
  EXPECT_EQ(ShapeUtil::ByteStrides(kMatrix), (DimensionVector{12, 4}));
  EXPECT_EQ(
      ShapeUtil::ByteStrides(ShapeUtil::MakeShapeWithPaddedLayout(F64, {2, 3}, {0, 1}, {3, 5})),
      (DimensionVector{8, 24}));
  EXPECT_EQ(ShapeUtil::ByteStrides(ShapeUtil::MakeShapeWithDenseLayout(S4, {5}, {0}, {}, 1, 4)),
            std::nullopt);
  EXPECT_EQ(ShapeUtil::ByteStrides(ShapeUtil::MakeShapeWithDenseLayout(F32, {5}, {0}, {Tile({2})})),
            std::nullopt);
}

// ---- Questions ----

TEST(Questions, DimensionNumbersOutOfRangeAreErrors) {
  EXPECT_ERROR(ShapeUtil::TryGetDimensionNumber(kMatrix, 2),
               "dimension number 2 is out of range for f32[2,3]; expected -2..1");
  EXPECT_ERROR(ShapeUtil::TryGetDimensionNumber(kMatrix, -3), "out of range");
  EXPECT_EQ(ShapeUtil::TryGetDimensionNumber(kMatrix, -2).value(), 0);
  EXPECT_EQ(ShapeUtil::TryGetDimensionNumber(kMatrix, 1).value(), 1);
  EXPECT_ERROR(ShapeUtil::TryGetDimensionNumber(kScalar, 0), "has no dimensions");
}

TEST(Questions, ElementTypes) {
  const auto of = [](PrimitiveType type) { return ShapeUtil::MakeShape(type, {2}); };
  EXPECT_TRUE(ShapeUtil::ElementIsIntegral(of(U4)));
  EXPECT_FALSE(ShapeUtil::ElementIsIntegral(of(PRED)));
  EXPECT_TRUE(ShapeUtil::ElementIsFloating(of(F8E5M2)));
  EXPECT_FALSE(ShapeUtil::ElementIsFloating(of(C64)));
  EXPECT_TRUE(ShapeUtil::ElementIsComplex(of(C64)));
  EXPECT_TRUE(ShapeUtil::ElementIsSigned(of(S32)));
  EXPECT_FALSE(ShapeUtil::ElementIsSigned(of(U32)));
  EXPECT_TRUE(ShapeUtil::ElementIsIntegralWithBits(of(S16), 16));
  EXPECT_FALSE(ShapeUtil::ElementIsIntegralWithBits(of(F16), 16));
  EXPECT_TRUE(ShapeUtil::ElementCanUpcast(of(BF16), of(F32)));
  EXPECT_FALSE(ShapeUtil::ElementCanUpcast(of(F32), of(BF16)));
  EXPECT_TRUE(ShapeUtil::HasPrimitiveType(kNested, U8));
  EXPECT_FALSE(ShapeUtil::HasPrimitiveType(kNested, F64));
  EXPECT_EQ(ShapeUtil::ComplexComponentShape(of(C64)), of(F32));
}

TEST(Questions, ScalarsAndEffectiveScalars) {
  EXPECT_TRUE(ShapeUtil::IsScalar(kScalar));
  EXPECT_FALSE(ShapeUtil::IsScalar(ShapeUtil::MakeShape(F32, {1})));
  EXPECT_TRUE(ShapeUtil::IsEffectiveScalar(ShapeUtil::MakeShape(F32, {1, 1})));
  EXPECT_FALSE(ShapeUtil::IsScalar(ShapeUtil::MakeNil()));
  EXPECT_TRUE(ShapeUtil::IsZeroElementArray(ShapeUtil::MakeShape(F32, {2, 0})));
  EXPECT_FALSE(ShapeUtil::IsZeroElementArray(ShapeUtil::MakeNil()));
}

TEST(Questions, Compatibility) {
  const Shape column_major = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_TRUE(ShapeUtil::Compatible(kMatrix, column_major));
  EXPECT_FALSE(ShapeUtil::Equal(kMatrix, column_major));
  EXPECT_FALSE(ShapeUtil::Compatible(kMatrix, ShapeUtil::MakeShape(F32, {3, 2})));
  const Shape half = ShapeUtil::MakeShape(F16, {2, 3});
  EXPECT_TRUE(ShapeUtil::CompatibleIgnoringFpPrecision(kMatrix, half));
  EXPECT_FALSE(ShapeUtil::Compatible(kMatrix, half));
  EXPECT_TRUE(ShapeUtil::CompatibleIgnoringElementType(kMatrix, ShapeUtil::MakeShape(S8, {2, 3})));
  const Shape unbounded = ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 3}, {true, false});
  EXPECT_TRUE(ShapeUtil::Compatible(kMatrix, unbounded));
  EXPECT_TRUE(ShapeUtil::CompatibleKind(ShapeUtil::MakeTupleShape({kMatrix}),
                                        ShapeUtil::MakeTupleShape({unbounded})));
}

TEST(Questions, StructureIgnoresTheLeaves) {
  // (f32[], (s32[2], f32[2,2])) and (s32[], (f32[3], s32[2])), but not ((f32[], f32[]), f32[]).
  const Shape a =
      ShapeUtil::MakeTupleShape({kScalar, ShapeUtil::MakeTupleShape({kMatrix, kMatrix})});
  const Shape b =
      ShapeUtil::MakeTupleShape({kMatrix, ShapeUtil::MakeTupleShape({kScalar, kScalar})});
  const Shape c =
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeTupleShape({kScalar, kScalar}), kScalar});
  EXPECT_TRUE(ShapeUtil::EqualStructure(a, b));
  EXPECT_FALSE(ShapeUtil::EqualStructure(a, c));
}

TEST(Questions, ADynamicValueFitsItsBound) {
  const Shape bound = ShapeUtil::MakeShape(F32, {10, 3}, {true, false});
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(ShapeUtil::MakeShape(F32, {7, 3}), bound));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(ShapeUtil::MakeShape(F32, {11, 3}), bound));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(ShapeUtil::MakeShape(S32, {7, 3}), bound));
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {7, 3})}),
      ShapeUtil::MakeTupleShape({bound})));
}

// ---- Changing ----

TEST(Changing, AppendAndPrependDimensions) {
  Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  ShapeUtil::AppendMinorDimension(7, &shape);
  EXPECT_EQ(shape.ToString(true), "f32[2,3,7]{2,0,1}");
  ShapeUtil::AppendMajorDimension(8, &shape);
  EXPECT_EQ(shape.ToString(true), "f32[2,3,7,8]{2,0,1,3}");
  EXPECT_EQ(ShapeUtil::PrependMajorDimension(9, kMatrix).ToString(true), "f32[9,2,3]{2,1,0}");
  Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2}, {0}, {4});
  EXPECT_EQ(ShapeUtil::PrependMajorDimension(9, padded).ToString(true), "f32[9,2]{1,0:W(9,4)}");
  ShapeUtil::AppendMinorDimension(7, &padded);
  EXPECT_EQ(padded.ToString(true), "f32[2,7]{1,0:W(4,7)}");
  ShapeUtil::AppendMajorDimension(8, &padded);
  EXPECT_EQ(padded.ToString(true), "f32[2,7,8]{1,0,2:W(4,7,8)}");
}

TEST(Changing, ElementTypeChangeForgetsThePackedSize) {
  const Shape packed = ShapeUtil::MakeShapeWithDenseLayout(S4, {5}, {0}, {}, 1, 4);
  EXPECT_EQ(ShapeUtil::ChangeElementType(packed, F32).ToString(true), "f32[5]{0}");
  EXPECT_EQ(ShapeUtil::ChangeElementType(packed, S2).ToString(true), "s2[5]{0:E(2)}");
}

TEST(Changing, PermuteDimensionsKeepsTheMemory) {
  const Shape shape =
      ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3, 4}, {0, 2, 1}, {2, 5, 6}, ZERO_PAD);
  const Shape permuted = ShapeUtil::PermuteDimensions({2, 0, 1}, shape);
  EXPECT_EQ(permuted.ToString(true), "f32[4,2,3]{1,0,2:W(6,2,5)V(zero)}");
  EXPECT_TRUE(ShapeUtil::TransposeIsBitcast(shape, permuted, {2, 0, 1}));
  const Shape nhwc = ShapeUtil::MakeShapeWithDenseLayout(F32, {10, 20, 30, 40}, {0, 3, 2, 1});
  EXPECT_EQ(ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout(nhwc).ToString(true),
            "f32[20,30,40,10]{3,2,1,0}");
}

TEST(Changing, DegenerateDimensionsDrop) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {1, 2, 1, 3}, {1, 0, 3, 2});
  EXPECT_TRUE(ShapeUtil::HasDegenerateDimensions(shape));
  EXPECT_EQ(ShapeUtil::DropDegenerateDimensions(shape).ToString(true), "f32[2,3]{0,1}");
  EXPECT_EQ(ShapeUtil::FilterDimensions([](int64_t d) { return d != 1; }, kMatrix).ToString(true),
            "f32[2]{0}");
}

TEST(Changing, HostShapesKeepOnlyTheOrder) {
  const Shape shape =
      ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}, {Tile({2, 2})}, 1, 0, 5);
  EXPECT_EQ(ShapeUtil::DeviceShapeToHostShape(shape).ToString(true), "f32[2,3]{0,1}");
}

TEST(Changing, TupleElements) {
  Shape tuple = ShapeUtil::MakeNil();
  ShapeUtil::AppendShapeToTuple(kMatrix, &tuple);
  ShapeUtil::AppendShapeToTuple(kScalar, &tuple);
  ShapeUtil::UpdateTupleShape(ShapeUtil::MakeTokenShape(), 0, &tuple);
  EXPECT_EQ(tuple.ToString(), "(token[], f32[])");
}

// ---- Tuples ----

TEST(Tuples, SubshapesByIndex) {
  EXPECT_EQ(ShapeUtil::GetSubshape(kNested, {}), kNested);
  EXPECT_EQ(ShapeUtil::GetSubshape(kNested, {1, 0}).ToString(), "s32[2]");
  EXPECT_TRUE(ShapeUtil::IndexIsValid(kNested, {1, 2}));
  EXPECT_FALSE(ShapeUtil::IndexIsValid(kNested, {3}));
  EXPECT_FALSE(ShapeUtil::IndexIsValid(kNested, {-1}));
  EXPECT_ERROR(ShapeUtil::TryGetSubshape(kNested, {0, 0}),
               "shape index {0,0} is not a subshape of");
  EXPECT_TRUE(ShapeUtil::IsLeafIndex(kNested, {0}));
  EXPECT_FALSE(ShapeUtil::IsLeafIndex(kNested, {1}));
}

TEST(Tuples, AreWalkedDepthFirst) {
  std::string visited;
  ShapeUtil::ForEachSubshape(kNested, [&](const Shape& shape, const ShapeIndex& index) {
    visited += index.ToString() + (shape.IsTuple() ? "() " : shape.ToString() + " ");
  });
  EXPECT_EQ(visited, "{}() {0}f32[1] {1}() {1,0}s32[2] {1,1}u8[3] {1,2}token[] {2}pred[4] ");
  EXPECT_EQ(ShapeUtil::SubshapeCount(kNested), 7);
  EXPECT_EQ(ShapeUtil::GetLeafCount(kNested), 5);
  EXPECT_EQ(ShapeUtil::GetLeafShapes(kNested)[3].index, (ShapeIndex{1, 2}));
  EXPECT_EQ(ShapeUtil::TupleDepth(kNested), 2);
  EXPECT_TRUE(ShapeUtil::IsNestedTuple(kNested));
  EXPECT_EQ(ShapeUtil::SliceTuple(kNested, 1, 3).ToString(), "((s32[2], u8[3], token[]), pred[4])");
}

TEST(Tuples, WalksStopAtTheFirstError) {
  int visits = 0;
  const absl::Status status = ShapeUtil::ForEachSubshapeWithStatus(
      kNested, [&](const Shape& shape, const ShapeIndex&) -> absl::Status {
        ++visits;
        return shape.element_type() == S32 ? InvalidArgument("found %d", visits) : absl::OkStatus();
      });
  EXPECT_ERROR(status, "found 4");
}

TEST(Tuples, MutableWalksChangeTheShape) {
  Shape shape = kNested;
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray()) subshape->set_element_type(F64);
  });
  EXPECT_EQ(shape.ToString(), "(f64[1], (f64[2], f64[3], token[]), f64[4])");
}

// ---- Index iteration ----

std::string Visit(const Shape& shape, std::vector<int64_t> base, std::vector<int64_t> count,
                  std::vector<int64_t> incr) {
  std::string visited;
  ShapeUtil::ForEachIndexNoStatus(shape, base, count, incr, [&](absl::Span<const int64_t> index) {
    visited += DimensionsToString(index);
    return true;
  });
  return visited;
}

TEST(ForEachIndex, GoesInTheOrderOfTheLayout) {
  EXPECT_EQ(Visit(kMatrix, {0, 0}, {2, 3}, {1, 1}), "[0,0][0,1][0,2][1,0][1,1][1,2]");
  EXPECT_EQ(Visit(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}), {0, 0}, {2, 3}, {1, 1}),
            "[0,0][1,0][0,1][1,1][0,2][1,2]");
}

TEST(ForEachIndex, HonorsBaseCountAndStep) {
  EXPECT_EQ(Visit(ShapeUtil::MakeShape(F32, {10, 10}), {2, 1}, {3, 4}, {2, 3}),
            "[2,1][2,4][4,1][4,4]");
  EXPECT_EQ(Visit(kMatrix, {0, 0}, {2, 0}, {1, 1}), "");
  EXPECT_EQ(Visit(kScalar, {}, {}, {}), "[]");
}

TEST(ForEachIndex, StopsWhenToldOrOnError) {
  int visits = 0;
  ShapeUtil::ForEachIndexNoStatus(kMatrix, [&](absl::Span<const int64_t>) { return ++visits < 4; });
  EXPECT_EQ(visits, 4);
  EXPECT_ERROR(ShapeUtil::ForEachIndexWithStatus(
                   kMatrix,
                   [&](absl::Span<const int64_t> index) -> absl::StatusOr<bool> {
                     if (index[1] == 2) return InvalidArgument("at %d", index[1]);
                     return true;
                   }),
               "at 2");
  EXPECT_OK(ShapeUtil::ForEachIndexWithStatus(ShapeUtil::MakeShape(F32, {3, 0}),
                                              [](absl::Span<const int64_t>) { return false; }));
}

}  // namespace
}  // namespace xla
