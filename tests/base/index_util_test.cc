// SPDX-License-Identifier: Apache-2.0
// IndexUtil, and places of elements under tiles and padding.
#include "xla/index_util.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/base/base_test_util.h"
#include "tests/test_util.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::kCombine;
using testing::T;

// All indices of a shape, the last dimension running fastest.
std::vector<DimensionVector> AllIndices(const Shape& shape) {
  std::vector<DimensionVector> all;
  if (ShapeUtil::IsZeroElementArray(shape)) return all;
  DimensionVector index(shape.rank());
  do {
    all.push_back(index);
  } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
  return all;
}

TEST(IndexUtil, VectorsAreTheirOwnLinearIndex) {
  const Shape shape = ShapeUtil::MakeShape(F32, {100});
  for (const int64_t i : {0, 1, 99}) {
    EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, {i}), i);
    EXPECT_EQ(IndexUtil::LinearIndexToMultidimensionalIndex(shape, i), DimensionVector{i});
  }
}

TEST(IndexUtil, FourDimensionsInAnyOrder) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {6, 3, 5, 7}, {1, 3, 2, 0});
  // Widths from the minor end: 3, 7, 5, 6.
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, {5, 2, 4, 6}),
            2 + 3 * (6 + 7 * (4 + 5 * 5)));
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, {3, 2, 1, 0}, {5, 2, 4, 6}),
            6 + 7 * (4 + 5 * (2 + 3 * 5)));
  EXPECT_EQ(IndexUtil::DimensionStrides(shape), (DimensionVector{3 * 7 * 5, 1, 3 * 7, 3}));
  EXPECT_EQ(IndexUtil::GetDimensionStride(shape, 2), 21);
}

TEST(IndexUtil, LinearAndMultidimensionalAreInverse) {
  for (const Shape& shape : {ShapeUtil::MakeShape(F32, {}), ShapeUtil::MakeShape(F32, {2, 3, 4}),
                             ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3, 4}, {1, 2, 0}),
                             ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {0, 1}, {3, 5})}) {
    for (const DimensionVector& index : AllIndices(shape)) {
      const int64_t linear = IndexUtil::MultidimensionalIndexToLinearIndex(shape, index);
      EXPECT_EQ(IndexUtil::LinearIndexToMultidimensionalIndex(shape, linear), index) << shape;
    }
  }
}

TEST(IndexUtil, APaddingElementIsOutsideTheSizes) {
  const Shape shape = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {0, 1}, {3, 5});
  EXPECT_EQ(IndexUtil::LinearIndexToMultidimensionalIndex(shape, 2), (DimensionVector{2, 0}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {2, 0}));
  EXPECT_EQ(IndexUtil::LinearIndexToMultidimensionalIndex(shape, 14), (DimensionVector{2, 4}));
}

TEST(IndexUtil, BumpingCountsUpTheLastDimensionFirst) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  const std::vector<DimensionVector> expected = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  EXPECT_EQ(AllIndices(shape), expected);
  int64_t last[] = {1, 2};
  EXPECT_FALSE(IndexUtil::BumpIndices(shape, absl::MakeSpan(last)));
  EXPECT_EQ(last[0], 0);
  EXPECT_EQ(last[1], 0);
  EXPECT_FALSE(IndexUtil::BumpIndices(ShapeUtil::MakeShape(F32, {}), {}));
}

TEST(IndexUtil, BoundsAreChecked) {
  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  EXPECT_TRUE(IndexUtil::IndexInBounds(shape, {1, 2}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {2, 0}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {0, -1}));
  EXPECT_FALSE(IndexUtil::IndexInBounds(shape, {0}));
}

TEST(IndexUtil, ComparesLexicographically) {
  EXPECT_LT(IndexUtil::CompareIndices({1, 2}, {1, 3}), 0);
  EXPECT_GT(IndexUtil::CompareIndices({2, 0}, {1, 3}), 0);
  EXPECT_EQ(IndexUtil::CompareIndices({1, 3}, {1, 3}), 0);
  EXPECT_LT(IndexUtil::CompareIndices({1}, {1, 3}), 0);
}

TEST(IndexUtil, StridesOfHugeEmptyArraysDoNotOverflow) {
  Shape shape(F32, {0, INT64_MAX, INT64_MAX});
  EXPECT_EQ(IndexUtil::DimensionStrides(shape).size(), 3u);
  EXPECT_EQ(ShapeUtil::ElementsIn(shape), 0);
}

// ---- Tiles: the tiled layout document (xla/docs/tiled_layout.md) ----

// "linear_index_with_tile((2, 3), (3, 5), (2, 2)) = 17"
TEST(TiledLayout, DocumentExample) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5}, {1, 0}, {T({2, 2})});
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {2, 3}), (1 * 3 + 1) * 2 * 2 + (0 * 2 + 1));
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {2, 3}), 17);
  // [3,5] becomes [2,3] tiles of [2,2].
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(shape), 24);
  EXPECT_EQ(ShapeUtil::ArraySize(shape), 24 * 4);
  // The last element, (2,4), is at (1*3+2)*4 + 0.
  EXPECT_EQ(ShapeUtil::ArrayDataSize(shape), 21 * 4);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(shape), 15 * 4);  // tiles do not count here
}

TEST(TiledLayout, LeadingDimensionsStayOutsideTheTiles) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {7, 3, 5}, {2, 1, 0}, {T({2, 2})});
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {6, 2, 3}), 6 * 24 + 17);
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(shape), 7 * 24);
}

TEST(TiledLayout, TilesFollowTheOrderInMemory) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {5, 3}, {0, 1}, {T({2, 2})});
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {3, 2}), 17);
}

// bf16 on two sublanes: rows of a pair interleave, so that (0,0), (1,0), (0,1), (1,1) are
// neighbors.
TEST(TiledLayout, RepeatedTilingCutsTheTile) {
  const Shape shape =
      ShapeUtil::MakeShapeWithDenseLayout(BF16, {4, 4}, {1, 0}, {T({4, 4}), T({2, 1})});
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {0, 0}), 0);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {1, 0}), 1);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {0, 1}), 2);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {1, 1}), 3);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {2, 0}), 8);
  EXPECT_EQ(LayoutUtil::LinearIndex(shape, {3, 3}), 15);
}

// A star combines a dimension with the next more minor one: [2,7,8,11,10] with (*,*,2,*,2) lies as
// [112,110] with (2,2).
TEST(TiledLayout, CombinedDimensions) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(
      F32, {2, 7, 8, 11, 10}, {4, 3, 2, 1, 0}, {T({kCombine, kCombine, 2, kCombine, 2})});
  const Shape combined = ShapeUtil::MakeShapeWithDenseLayout(F32, {112, 110}, {1, 0}, {T({2, 2})});
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(shape), LayoutUtil::PhysicalElementCount(combined));
  for (const DimensionVector& i : AllIndices(shape)) {
    ASSERT_EQ(LayoutUtil::LinearIndex(shape, i),
              LayoutUtil::LinearIndex(combined, {(i[0] * 7 + i[1]) * 8 + i[2], i[3] * 10 + i[4]}));
  }
}

TEST(TiledLayout, ATileOfHigherRankSeesDimensionsOfSizeOne) {
  const Shape vector = ShapeUtil::MakeShapeWithDenseLayout(F32, {5}, {0}, {T({8, 4})});
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(vector), 2 * 8 * 4);
  EXPECT_EQ(LayoutUtil::LinearIndex(vector, {4}), 32);
  const Shape scalar = ShapeUtil::MakeShapeWithDenseLayout(U32, {}, {}, {T({128})});
  EXPECT_EQ(scalar.ToString(true), "u32[]{:T(128)}");
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(scalar), 128);
  EXPECT_EQ(LayoutUtil::LinearIndex(scalar, {}), 0);
}

TEST(TiledLayout, TailAlignmentRoundsTheWholeUp) {
  const Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5}, {1, 0}, {}, 16);
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(shape), 16);
  EXPECT_EQ(ShapeUtil::ArraySize(shape), 64);
  EXPECT_EQ(ShapeUtil::ArrayDataSize(shape), 60);
}

TEST(TiledLayout, PaddedArraysAreTiledAtTheirWidth) {
  Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0}, {T({2, 2})});
  shape.mutable_layout()->set_padded_dimensions({3, 5});
  const Shape wide = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 5}, {1, 0}, {T({2, 2})});
  EXPECT_EQ(LayoutUtil::PhysicalElementCount(shape), 24);
  for (const DimensionVector& i : AllIndices(shape)) {
    EXPECT_EQ(LayoutUtil::LinearIndex(shape, i), LayoutUtil::LinearIndex(wide, i));
  }
}

// For random layouts: no two elements share a place, all places are in the buffer, the data ends
// after the last of them, and without tiles the place is the linear index.
TEST(TiledLayout, EveryElementHasItsOwnPlace) {
  std::mt19937 random(7);
  const auto upto = [&](int64_t n) { return static_cast<int64_t>(random() % n) + 1; };
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> sizes(random() % 4), order(sizes.size()), widths;
    for (size_t d = 0; d < sizes.size(); ++d) {
      sizes[d] = upto(6);
      order[d] = d;
      widths.push_back(sizes[d] + upto(3) - 1);
    }
    std::shuffle(order.begin(), order.end(), random);
    Layout layout(order);
    if (random() % 2) layout.set_padded_dimensions(widths);
    for (int t = random() % 3; t > 0; --t) {
      Tile tile;
      for (int64_t i = upto(3); i > 1; --i) tile.add_dimensions(random() % 4 ? upto(4) : kCombine);
      *layout.add_tiles() = tile.add_dimensions(upto(4));
    }
    layout.set_tail_padding_alignment_in_elements(upto(4));
    Shape shape = ShapeUtil::MakeShape(F32, sizes);
    *shape.mutable_layout() = layout;
    ASSERT_OK(ShapeUtil::ValidateShape(shape));
    const int64_t count = LayoutUtil::PhysicalElementCount(shape);
    EXPECT_EQ(count % layout.tail_padding_alignment_in_elements(), 0);
    std::set<int64_t> places;
    for (const DimensionVector& index : AllIndices(shape)) {
      const int64_t place = LayoutUtil::LinearIndex(shape, index);
      EXPECT_TRUE(place >= 0 && place < count) << shape;
      EXPECT_TRUE(places.insert(place).second) << shape;
      if (!layout.has_tiles()) {
        EXPECT_EQ(place, IndexUtil::MultidimensionalIndexToLinearIndex(shape, index)) << shape;
      }
    }
    if (layout.tiles_size() > 1) {
      EXPECT_GE(ShapeUtil::ArrayDataSize(shape), (*places.rbegin() + 1) * 4) << shape;
      EXPECT_LE(ShapeUtil::ArrayDataSize(shape), ShapeUtil::ArraySize(shape)) << shape;
    } else {
      EXPECT_EQ(ShapeUtil::ArrayDataSize(shape), (*places.rbegin() + 1) * 4) << shape;
    }
  }
}

}  // namespace
}  // namespace xla
