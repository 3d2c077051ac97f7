// SPDX-License-Identifier: Apache-2.0
// What counts as a difference of two values.
#include "tools/differences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(DistanceTest, NansAreEqual) {
  EXPECT_EQ(DistanceOf(kNan, kNan), 0);
  EXPECT_EQ(DistanceOf(kNan, std::copysign(kNan, -1.0)), 0);
  EXPECT_EQ(DistanceOf({1, kNan}, {kNan, 2}), 0);
  EXPECT_EQ(DistanceOf(kNan, 1), kInfinity);
  EXPECT_EQ(DistanceOf(1, kNan), kInfinity);
  EXPECT_EQ(DistanceOf({1, kNan}, {1, 2}), kInfinity);
  EXPECT_EQ(DistanceOf(kNan, kInfinity), kInfinity);
}

TEST(DistanceTest, InfinitiesAndZeros) {
  EXPECT_EQ(DistanceOf(kInfinity, kInfinity), 0);
  EXPECT_EQ(DistanceOf(kInfinity, -kInfinity), kInfinity);
  EXPECT_EQ(DistanceOf(kInfinity, 1e308), kInfinity);
  EXPECT_EQ(DistanceOf(0.0, -0.0), 0);
  // The other part counts where one is infinite in both.
  EXPECT_EQ(DistanceOf({kInfinity, 3}, {kInfinity, 1}), 2);
  EXPECT_EQ(DistanceOf({3, 4}, {0, 0}), 5);
}

TEST(FindDifferenceTest, TheLargestErrorOfFloats) {
  const Literal a = LiteralUtil::CreateR1<float>({1, 2, 3.5f, 8});
  const Literal b = LiteralUtil::CreateR1<float>({1, 2.5f, 3, 10});
  const auto found = FindDifference(LiteralSlice(a), LiteralSlice(b), 0.01);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->index, std::vector<int64_t>{3});
  EXPECT_DOUBLE_EQ(found->error, 0.2);  // of the largest element of the second
  EXPECT_EQ(found->ToString("left", "right"),
            "at [3]: left 8, right 10, 0.2 of the largest element");
  EXPECT_FALSE(FindDifference(LiteralSlice(a), LiteralSlice(b), 0.2).has_value());
}

TEST(FindDifferenceTest, NansOfEveryType) {
  for (const PrimitiveType type : {F64, F32, F16, BF16, C64, C128, F8E4M3FN, F8E5M2}) {
    const Literal nan = LiteralUtil::CreateR1<double>({kNan, 1}).Convert(type).value();
    const Literal negative =
        LiteralUtil::CreateR1<double>({std::copysign(kNan, -1.0), 1}).Convert(type).value();
    const Literal number = LiteralUtil::CreateR1<double>({1, 1}).Convert(type).value();
    EXPECT_FALSE(FindDifference(LiteralSlice(nan), LiteralSlice(negative), 0).has_value()) << type;
    EXPECT_TRUE(FindDifference(LiteralSlice(nan), LiteralSlice(number), 0.5).has_value()) << type;
    EXPECT_TRUE(FindDifference(LiteralSlice(number), LiteralSlice(nan), 0.5).has_value()) << type;
  }
}

TEST(FindDifferenceTest, IntegersAreExact) {
  const int64_t large = (int64_t{1} << 60) + 1;
  const Literal a = LiteralUtil::CreateR1<int64_t>({5, large});
  const Literal b = LiteralUtil::CreateR1<int64_t>({5, large + 1});  // equal as doubles
  const auto found = FindDifference(LiteralSlice(a), LiteralSlice(b), 0.5);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->index, std::vector<int64_t>{1});
  EXPECT_EQ(found->error, kInfinity);
}

TEST(FindDifferenceTest, LayoutsAndDynamicSizesAreOfNoAccount) {
  const Literal a = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  const Literal b = a.Relayout(LayoutUtil::MakeLayout({0, 1}));
  EXPECT_FALSE(FindDifference(LiteralSlice(a), LiteralSlice(b), 0).has_value());
  Literal changed = b.Clone();
  changed.Set<float>({1, 2}, 7);
  const auto found = FindDifference(LiteralSlice(a), LiteralSlice(changed), 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->index, (std::vector<int64_t>{1, 2}));

  Literal x(ShapeUtil::MakeShape(F32, {4}, {true})), y(ShapeUtil::MakeShape(F32, {4}, {true}));
  x.PopulateWithValue(1.0f);
  y.PopulateWithValue(1.0f);
  x.Set<float>({3}, 2);  // beyond the size below
  x.SetDynamicSize(0, 3);
  y.SetDynamicSize(0, 3);
  EXPECT_FALSE(FindDifference(LiteralSlice(x), LiteralSlice(y), 0).has_value());
  y.SetDynamicSize(0, 2);
  EXPECT_TRUE(FindDifference(LiteralSlice(x), LiteralSlice(y), 1e9).has_value());
}

TEST(FindDifferenceTest, LeavesOfTuples) {
  const Literal a = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1),
                                                LiteralUtil::CreateR0<int32_t>(2));
  const Literal b = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1),
                                                LiteralUtil::CreateR0<int32_t>(3));
  const std::vector<ExpectedError> errors(2);
  ASSERT_OK_AND_ASSIGN(const auto found, FindDifference(a, b, errors));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->leaf, 1u);
  EXPECT_ERROR(FindDifference(a, LiteralUtil::CreateR0<float>(1), errors), "a value of shape");
}

}  // namespace
}  // namespace xla
