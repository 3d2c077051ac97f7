// SPDX-License-Identifier: Apache-2.0
// The worked examples of the shapes and layout document (xla/docs/shapes.md), with its numbers.
#include <gtest/gtest.h>

#include <string>

#include "xla/index_util.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Letters joined by blanks.
std::string Spaced(const std::string& memory) {
  std::string out;
  for (const char c : memory) {
    if (!out.empty()) out += ' ';
    out += c;
  }
  return out;
}

// The [2 x 3] array of the document:  a b c
//                                     d e f
// as it lies in memory under the shape's layout, a fill character where no element is.
std::string Memory(const Shape& shape, char fill = '0') {
  const std::string elements = "abcdef";
  std::string memory(ShapeUtil::PaddedElementsIn(shape), fill);
  size_t next = 0;
  DimensionVector index(shape.rank());
  do {
    memory[IndexUtil::MultidimensionalIndexToLinearIndex(shape, index)] = elements[next++];
  } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
  return Spaced(memory);
}

TEST(ShapesDocument, RankIsTheNumberOfDimensions) {
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {2, 3}).rank(), 2);
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {}).rank(), 0);
}

TEST(ShapesDocument, TrueRankCountsDimensionsLargerThanOne) {
  EXPECT_EQ(ShapeUtil::TrueRank(ShapeUtil::MakeShape(F32, {2, 1, 3})), 2);
  EXPECT_EQ(ShapeUtil::TrueRank(ShapeUtil::MakeShape(F32, {1, 1})), 0);
}

TEST(ShapesDocument, SizesAreWrittenInIncreasingDimensionNumber) {
  const int64_t A = 4, B = 5, C = 6, D = 7;
  const Shape shape = ShapeUtil::MakeShape(F32, {A, B, C, D});
  EXPECT_EQ(shape.dimensions(0), A);
  EXPECT_EQ(shape.dimensions(1), B);
  EXPECT_EQ(shape.dimensions(2), C);
  EXPECT_EQ(shape.dimensions(3), D);
}

TEST(ShapesDocument, NegativeDimensionNumbersCountFromTheEnd) {
  const int64_t A = 4, B = 5, C = 6;
  const Shape shape = ShapeUtil::MakeShape(F32, {A, B, C});
  EXPECT_EQ(ShapeUtil::GetDimension(shape, -1), C);
  EXPECT_EQ(ShapeUtil::GetDimension(shape, -2), B);
  EXPECT_EQ(ShapeUtil::GetDimension(shape, -3), A);
  EXPECT_EQ(ShapeUtil::GetDimension(shape, 0), A);
  EXPECT_EQ(ShapeUtil::GetDimensionNumber(shape, -1), 2);
}

TEST(ShapesDocument, MinorToMajor01IsColumnMajor) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  EXPECT_EQ(Memory(shape), "a d b e c f");
  EXPECT_TRUE(LayoutUtil::IsMonotonicWithDim0Minor(shape.layout()));
  EXPECT_FALSE(LayoutUtil::IsMonotonicWithDim0Major(shape.layout()));
}

TEST(ShapesDocument, MinorToMajor10IsRowMajor) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0});
  EXPECT_EQ(Memory(shape), "a b c d e f");
  EXPECT_TRUE(LayoutUtil::IsMonotonicWithDim0Major(shape.layout()));
}

TEST(ShapesDocument, TheDefaultLayoutIsMajorToMinor) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3, 4});
  EXPECT_EQ(shape.layout(), LayoutUtil::MakeLayout({2, 1, 0}));
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForShape(shape), LayoutUtil::MakeLayout({2, 1, 0}));
  EXPECT_EQ(Memory(ShapeUtil::MakeShape(F32, {2, 3})), "a b c d e f");
}

TEST(ShapesDocument, PaddingColumnMajor) {
  const Shape shape = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {0, 1}, {3, 5}, ZERO_PAD);
  EXPECT_EQ(Memory(shape), "a d 0 b e 0 c f 0 0 0 0 0 0 0");
  EXPECT_EQ(shape.ToString(/*print_layout=*/true), "f32[2,3]{0,1:W(3,5)V(zero)}");
  EXPECT_EQ(ShapeUtil::ElementsIn(shape), 6);
  EXPECT_EQ(ShapeUtil::PaddedElementsIn(shape), 15);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(shape), 15 * 4);
}

// "This is equivalent to the layout of the following array": a b c 0 0 / d e f 0 0 / 0 0 0 0 0.
TEST(ShapesDocument, PaddingIsTheLayoutOfTheWiderArray) {
  const Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {0, 1}, {3, 5});
  const Shape wider = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5}, {0, 1});
  for (int64_t y = 0; y < 2; ++y) {
    for (int64_t x = 0; x < 3; ++x) {
      EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(padded, {y, x}),
                IndexUtil::MultidimensionalIndexToLinearIndex(wider, {y, x}));
    }
  }
  const Shape row_major = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {1, 0}, {3, 5});
  EXPECT_EQ(Memory(row_major), "a b c 0 0 d e f 0 0 0 0 0 0 0");
}

TEST(ShapesDocument, DynamicDimensionsPrintTheirBound) {
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {10, 3}, {true, false}).ToString(), "f32[<=10,3]");
}

TEST(ShapesDocument, EveryElementTypeMakesAnArray) {
  for (const char* name :
       {"pred",          "s1",         "s2",         "s4",     "s8",        "s16",
        "s32",           "s64",        "u1",         "u2",     "u4",        "u8",
        "u16",           "u32",        "u64",        "f16",    "bf16",      "f32",
        "f64",           "c64",        "c128",       "f8e5m2", "f8e4m3",    "f8e4m3fn",
        "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "f8e3m4", "f8e8m0fnu", "f4e2m1fn",
        "f6e2m3fn",      "f6e3m2fn"}) {
    const absl::StatusOr<PrimitiveType> type = primitive_util::StringToPrimitiveType(name);
    ASSERT_TRUE(type.ok()) << name;
    const Shape shape = ShapeUtil::MakeShape(*type, {2, 3});
    EXPECT_TRUE(shape.IsArray());
    EXPECT_EQ(shape.ToString(), std::string(name) + "[2,3]");
  }
}

}  // namespace
}  // namespace xla
