// SPDX-License-Identifier: Apache-2.0
// Reshapes and transposes that move no byte: ShapeUtil against the definition, over all small
// shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/test_util.h"
#include "xla/index_util.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Dimensions = std::vector<int64_t>;

// Whether the n-th element in row-major order is at the same place in both arrays, for all n.
bool ReshapeKeepsPlaces(const Shape& a, const Shape& b) {
  DimensionVector i(a.rank()), j(b.rank());
  for (int64_t n = ShapeUtil::ElementsIn(a); n > 0; --n) {
    if (IndexUtil::MultidimensionalIndexToLinearIndex(a, i) !=
        IndexUtil::MultidimensionalIndexToLinearIndex(b, j)) {
      return false;
    }
    IndexUtil::BumpIndices(a, absl::MakeSpan(i));
    IndexUtil::BumpIndices(b, absl::MakeSpan(j));
  }
  return true;
}

bool TransposeKeepsPlaces(const Shape& a, const Shape& b, const Dimensions& permutation) {
  DimensionVector j(b.rank());
  for (int64_t n = ShapeUtil::ElementsIn(b); n > 0; --n) {
    DimensionVector i(a.rank());
    for (size_t d = 0; d < permutation.size(); ++d) i[permutation[d]] = j[d];
    if (IndexUtil::MultidimensionalIndexToLinearIndex(a, i) !=
        IndexUtil::MultidimensionalIndexToLinearIndex(b, j)) {
      return false;
    }
    IndexUtil::BumpIndices(b, absl::MakeSpan(j));
  }
  return true;
}

std::vector<Dimensions> AllPermutations(int64_t rank) {
  Dimensions p(rank);
  std::iota(p.begin(), p.end(), 0);
  std::vector<Dimensions> all;
  do {
    all.push_back(p);
  } while (std::next_permutation(p.begin(), p.end()));
  return all;
}

const std::vector<Dimensions> kTwelveElements = {
    {12},      {1, 12},   {2, 6},    {6, 2},       {3, 4},       {4, 3},       {2, 2, 3},
    {2, 3, 2}, {3, 2, 2}, {1, 3, 4}, {3, 1, 4},    {2, 1, 6},    {12, 1, 1},   {2, 2, 3, 1},
    {2, 6, 1}, {6, 1, 2}, {4, 3, 1}, {1, 2, 1, 6}, {2, 1, 2, 3}, {3, 2, 1, 2},
};

TEST(Bitcast, ReshapesMatchTheDefinition) {
  int bitcasts = 0;
  for (const Dimensions& from : kTwelveElements) {
    for (const Dimensions& from_order : AllPermutations(from.size())) {
      const Shape a = ShapeUtil::MakeShapeWithDenseLayout(F32, from, from_order);
      for (const Dimensions& to : kTwelveElements) {
        bool any = false;
        for (const Dimensions& to_order : AllPermutations(to.size())) {
          const Shape b = ShapeUtil::MakeShapeWithDenseLayout(F32, to, to_order);
          const bool expected = ReshapeKeepsPlaces(a, b);
          ASSERT_EQ(ShapeUtil::ReshapeIsBitcast(a, b), expected) << a << " to " << b;
          any |= expected;
          bitcasts += expected;
        }
        const std::optional<Shape> aligned =
            ShapeUtil::AlignLayouts(a, ShapeUtil::MakeShape(F32, to));
        ASSERT_EQ(aligned.has_value(), any) << a << " to " << DimensionsToString(to);
        if (any) {
          EXPECT_OK(ShapeUtil::ValidateShape(*aligned));
          EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(a, *aligned)) << a << " to " << *aligned;
        }
      }
    }
  }
  EXPECT_GT(bitcasts, 1000);
}

TEST(Bitcast, TransposesMatchTheDefinition) {
  for (const Dimensions& from : {Dimensions{2, 3}, {2, 2}, {2, 3, 4}, {2, 1, 3}, {3, 3, 3}}) {
    const auto permutations = AllPermutations(from.size());
    for (const Dimensions& from_order : permutations) {
      const Shape a = ShapeUtil::MakeShapeWithDenseLayout(F32, from, from_order);
      for (const Dimensions& permutation : permutations) {
        for (const Dimensions& to_order : permutations) {
          const Shape b =
              ShapeUtil::MakeShapeWithDenseLayout(F32, Permute(from, permutation), to_order);
          const bool expected = TransposeKeepsPlaces(a, b, permutation);
          ASSERT_EQ(ShapeUtil::TransposeIsBitcast(a, b, permutation), expected)
              << a << " to " << b << " by " << DimensionsToString(permutation);
          if (!expected) continue;
          const auto deduced = ShapeUtil::DeduceTransposeDimensionsForBitcast(a, b);
          ASSERT_TRUE(deduced.has_value());
          EXPECT_TRUE(TransposeKeepsPlaces(a, b, *deduced));
        }
      }
    }
  }
}

TEST(Bitcast, ElementsOfAnotherSizeAreNot) {
  const Shape a = ShapeUtil::MakeShape(F32, {6}), b = ShapeUtil::MakeShape(S32, {2, 3});
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(a, b));
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(a, b, /*ignore_element_type=*/true));
  // As in XLA, the size of the elements is ignored too.
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(a, ShapeUtil::MakeShape(F16, {2, 3}), true));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(a, ShapeUtil::MakeShape(F16, {2, 3})));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(a, ShapeUtil::MakeShape(F32, {2, 4})));
}

TEST(Bitcast, PaddedAndTiledArraysMoveUnlessNothingChanges) {
  const Shape padded = ShapeUtil::MakeShapeWithPaddedLayout(F32, {2, 3}, {1, 0}, {2, 4});
  EXPECT_TRUE(ShapeUtil::ReshapeIsBitcast(padded, padded));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(padded, ShapeUtil::MakeShape(F32, {6})));
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(padded, ShapeUtil::MakeShape(F32, {2, 3})));
  EXPECT_FALSE(ShapeUtil::AlignLayouts(padded, ShapeUtil::MakeShape(F32, {6})).has_value());
  const Shape transposed = ShapeUtil::MakeShapeWithPaddedLayout(F32, {3, 2}, {0, 1}, {4, 2});
  EXPECT_TRUE(ShapeUtil::TransposeIsBitcast(padded, transposed, {1, 0}));
  const Shape tiled = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {1, 0}, {Tile({2, 2})});
  EXPECT_FALSE(ShapeUtil::ReshapeIsBitcast(tiled, ShapeUtil::MakeShape(F32, {2, 3})));
  EXPECT_FALSE(
      ShapeUtil::ReshapeIsBitcast(ShapeUtil::MakeShape(F32, {6}),
                                  ShapeUtil::MakeShapeWithDenseLayout(F32, {6}, {0}, {}, 1, 0, 1)));
}

// T[a,b,x,y,cd] to T[ab,x,1,y,c,d] leaves x and y.
TEST(Reshape, UnmodifiedDimensions) {
  const int64_t a = 2, b = 3, x = 5, y = 7, c = 11, d = 13;
  const Shape from = ShapeUtil::MakeShape(F32, {a, b, x, y, c * d});
  const Shape to = ShapeUtil::MakeShape(F32, {a * b, x, 1, y, c, d});
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(ShapeUtil::DimensionsUnmodifiedByReshape(from, to), (Pairs{{2, 1}, {3, 3}}));
  EXPECT_EQ(ShapeUtil::ReshapeLeavesDimensionsUnmodified(from, to, {2, 3}), (Dimensions{1, 3}));
  EXPECT_EQ(ShapeUtil::ReshapeLeavesDimensionsUnmodified(from, to, {1, 3}), std::nullopt);
}

TEST(Reshape, DimensionsOfSizeOneComeAndGo) {
  const auto descriptor = ShapeUtil::InsertedOrDeleted1SizedDimensions(
      ShapeUtil::MakeShape(F32, {1, 2, 1, 3}), ShapeUtil::MakeShape(F32, {2, 3, 1}));
  ASSERT_TRUE(descriptor.has_value());
  EXPECT_EQ(descriptor->deleted_dimensions, (Dimensions{0, 2}));
  EXPECT_EQ(descriptor->inserted_dimensions, (Dimensions{2}));
  EXPECT_FALSE(ShapeUtil::InsertedOrDeleted1SizedDimensions(ShapeUtil::MakeShape(F32, {2, 3}),
                                                            ShapeUtil::MakeShape(F32, {3, 2}))
                   .has_value());
}

TEST(CommonFactors, CutIntoTheFinestGroups) {
  using Bounds = absl::InlinedVector<std::pair<int64_t, int64_t>, 8>;
  EXPECT_EQ(CommonFactors({}, {}), (Bounds{{0, 0}}));
  EXPECT_EQ(CommonFactors({2, 3}, {6}), (Bounds{{0, 0}, {2, 1}}));
  EXPECT_EQ(CommonFactors({2, 3, 4}, {6, 4}), (Bounds{{0, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(CommonFactors({4, 6}, {8, 3}), (Bounds{{0, 0}, {2, 2}}));
  EXPECT_EQ(CommonFactors({2, 1, 3}, {2, 3}), (Bounds{{0, 0}, {1, 1}, {2, 1}, {3, 2}}));
  EXPECT_EQ(CommonFactors({1, 2}, {1, 2}), (Bounds{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(CommonFactors({2, 0}, {0, 5, 1}), (Bounds{{0, 0}, {2, 3}}));
}

}  // namespace
}  // namespace xla
