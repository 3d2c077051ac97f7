// SPDX-License-Identifier: Apache-2.0
// Functions of the vocabulary that code written for XLA calls, and nothing here does.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "xla/array.h"
#include "xla/array4d.h"
#include "xla/comparison_util.h"
#include "xla/fp_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla {
namespace {

using Numbers = std::vector<int64_t>;

TEST(Utilities, DivisionsRoundDown) {
  for (int64_t a = -9; a <= 9; ++a) {
    for (const int64_t b : {-4, -3, -1, 1, 2, 5}) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(FloorOfRatio(a, b), static_cast<int64_t>(std::floor(quotient))) << a << " " << b;
      const auto [whole, rest] = FloorDivMod(a, b);
      EXPECT_EQ(whole, FloorOfRatio(a, b));
      EXPECT_EQ(whole * b + rest, a);
      if (a < 0 || b < 0) continue;
      EXPECT_EQ(CeilOfRatio(a, b), static_cast<int64_t>(std::ceil(quotient)));
      EXPECT_EQ(RoundUpTo(a, b), CeilOfRatio(a, b) * b);
      EXPECT_EQ(RoundDownTo(a, b), a - a % b);
    }
  }
}

TEST(Utilities, Bits) {
  EXPECT_EQ(LsbMask<uint8_t>(0), 0);
  EXPECT_EQ(LsbMask<uint8_t>(3), 7);
  EXPECT_EQ(LsbMask<uint8_t>(8), 255);
  EXPECT_EQ(LsbMask<uint64_t>(64), ~uint64_t{0});
  EXPECT_EQ(KeepLowerBits<uint32_t>(0xabcd, 8), 0xcdu);
  EXPECT_EQ(KeepLowerBits<uint32_t>(0xabcd, 0), 0u);
  const std::vector<std::vector<int>> logarithms = {{0, -1, -1}, {1, 0, 0}, {2, 1, 1}, {3, 1, 2},
                                                    {4, 2, 2},   {5, 2, 3}, {8, 3, 3}, {9, 3, 4}};
  for (const auto& row : logarithms) {
    EXPECT_EQ(Log2Floor(static_cast<uint32_t>(row[0])), row[1]) << row[0];
    EXPECT_EQ(Log2Ceiling(static_cast<uint32_t>(row[0])), row[2]) << row[0];
    EXPECT_EQ(IsPowerOf2(static_cast<uint64_t>(row[0])), row[0] > 0 && row[1] == row[2]);
  }
  EXPECT_EQ(CountLeadingSignBits<int8_t>(0), 8);
  EXPECT_EQ(CountLeadingSignBits<int8_t>(1), 7);
  EXPECT_EQ(CountLeadingSignBits<int8_t>(-1), 8);
  EXPECT_EQ(CountLeadingSignBits<int8_t>(-3), 6);
  EXPECT_EQ(IPow(3, 4), 81);
  EXPECT_EQ(IPow(3, 0), 1);
  EXPECT_EQ(IPow(2.0, -2), 0.25);
}

TEST(Utilities, Containers) {
  Numbers numbers = {5, 6, 7, 8};
  EXPECT_TRUE(ContainersEqual(numbers, Numbers{5, 6, 7, 8}));
  EXPECT_FALSE(ContainersEqual(numbers, Numbers{5, 6, 7}));
  EXPECT_TRUE(ContainersEqual(numbers, {5, 6, 7, 8}));
  EXPECT_FALSE(ContainersEqual(numbers, {5, 6, 7, 9}));
  const auto same_parity = [](int64_t a, int64_t b) { return (a - b) % 2 == 0; };
  EXPECT_TRUE(ContainersEqual(numbers, Numbers{1, 2, 3, 4}, same_parity));
  EXPECT_FALSE(ContainersEqual(numbers, Numbers{1, 2, 4, 4}, same_parity));
  EXPECT_EQ(FindIndex(numbers, 7), 2);
  EXPECT_EQ(FindIndex(numbers, 9), 4);
  InsertAt(&numbers, 1, 50);
  EXPECT_EQ(numbers, (Numbers{5, 50, 6, 7, 8}));
  EraseAt(&numbers, 3);
  EXPECT_EQ(numbers, (Numbers{5, 50, 6, 8}));
  EXPECT_TRUE(EraseElementFromVector(&numbers, int64_t{5}));
  EXPECT_FALSE(EraseElementFromVector(&numbers, int64_t{5}));
  EXPECT_EQ(numbers, (Numbers{50, 6, 8}));
  EXPECT_EQ(RemoveElements({0, 2}, numbers), Numbers{6});
  EXPECT_EQ(RemoveElements({}, numbers), numbers);
  EXPECT_EQ(SpanToVector(absl::MakeConstSpan(numbers)), numbers);
  EXPECT_EQ(InlinedVectorToVector(absl::InlinedVector<int64_t, 2>{1, 2, 3}), (Numbers{1, 2, 3}));
  c_fill(numbers, 4);
  EXPECT_EQ(numbers, (Numbers{4, 4, 4}));
  EXPECT_EQ(ToMixedRadix<Numbers>(17, {2, 3, 4}), (Numbers{1, 1, 1}));
  EXPECT_EQ(ToMixedRadix<Numbers>(25, {2, 3, 4}), (Numbers{0, 0, 1}));
  EXPECT_EQ(ToMixedRadix<Numbers>(3, {}), Numbers{});
  EXPECT_EQ(ElemwiseProduct({2, 3}, {5, 7}), (Numbers{10, 21}));
  EXPECT_EQ(Product({2, 3, 4}), 24);
  EXPECT_TRUE(IsInt32(int64_t{2147483647}));
  EXPECT_FALSE(IsInt32(int64_t{2147483648}));
  EXPECT_TRUE(IsInt32(int64_t{-2147483648}));
  EXPECT_FALSE(IsInt32(int64_t{-2147483649}));
  EXPECT_TRUE(DistinctNumbersAreConsecutiveIfSorted({4, 2, 3}));
  EXPECT_FALSE(DistinctNumbersAreConsecutiveIfSorted({4, 2, 5}));
  EXPECT_EQ(GetNonContractingDims(4, {1}, {3}), (DimensionVector{0, 2}));
}

TEST(Utilities, Texts) {
  EXPECT_EQ(CommaSeparatedString(Numbers{1, 2}), "1, 2");
  EXPECT_EQ(CommaSeparatedString(Numbers{1, 2}, "<", ">"), "<1, 2>");
  EXPECT_EQ(CommaSeparatedString({3, 4}), "3, 4");
  EXPECT_EQ(VectorString(Numbers{}), "()");
  EXPECT_EQ(VectorString({5, 6}), "(5, 6)");
}

TEST(Utilities, ErrorsHaveTheirCodes) {
  using Code = absl::StatusCode;
  const std::pair<absl::Status, Code> errors[] = {
      {InvalidArgument("%d a", 1), Code::kInvalidArgument},
      {Unimplemented("%d a", 1), Code::kUnimplemented},
      {FailedPrecondition("%d a", 1), Code::kFailedPrecondition},
      {NotFound("%d a", 1), Code::kNotFound},
      {ResourceExhausted("%d a", 1), Code::kResourceExhausted},
      {Internal("%d a", 1), Code::kInternal},
      {Unknown("%d a", 1), Code::kUnknown},
      {Cancelled("%d a", 1), Code::kCancelled},
      {Unavailable("%d a", 1), Code::kUnavailable},
      {InvalidArgumentStrCat(1, " a"), Code::kInvalidArgument},
      {ResourceExhaustedStrCat(1, " a"), Code::kResourceExhausted},
      {UnimplementedStrCat(1, " a"), Code::kUnimplemented},
      {InternalStrCat(1, " a"), Code::kInternal}};
  for (const auto& [status, code] : errors) {
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), "1 a");
  }
}

TEST(FloatUtilities, Classes) {
  using Limits = std::numeric_limits<float>;
  struct Row {
    float x;
    bool is_zero, is_minus, is_nan, is_infinite, is_normal, is_subnormal;
  };
  const Row rows[] = {{0.0f, true, false, false, false, false, false},
                      {-0.0f, true, false, false, false, false, false},
                      {-2.0f, false, true, false, false, true, false},
                      {Limits::min(), false, false, false, false, true, false},
                      {-Limits::min() / 2, false, true, false, false, false, true},
                      {Limits::max(), false, false, false, false, true, false},
                      {-Limits::infinity(), false, true, false, true, false, false},
                      {Limits::quiet_NaN(), false, false, true, false, false, false}};
  for (const Row& row : rows) {
    EXPECT_EQ(IsZero(row.x), row.is_zero) << row.x;
    EXPECT_EQ(IsSignMinus(row.x), row.is_minus) << row.x;
    EXPECT_EQ(IsNaN(row.x), row.is_nan) << row.x;
    EXPECT_EQ(IsInfinite(row.x), row.is_infinite) << row.x;
    EXPECT_EQ(IsFinite(row.x), !row.is_nan && !row.is_infinite) << row.x;
    EXPECT_EQ(IsNormal(row.x), row.is_normal) << row.x;
    EXPECT_EQ(IsSubnormal(row.x), row.is_subnormal) << row.x;
  }
  EXPECT_EQ(Abs(-3.0f), 3.0f);
  EXPECT_EQ(Abs(3.0f), 3.0f);
  EXPECT_FALSE(std::signbit(Abs(-0.0f)));
}

TEST(FloatUtilities, ScalesAndExponents) {
  using Limits = std::numeric_limits<float>;
  for (int n = -149; n <= 127; ++n) {
    EXPECT_EQ(ScaleBase(1.0f, n), std::ldexp(1.0f, n)) << n;
    EXPECT_EQ(LogBase(std::ldexp(1.5f, std::max(n, -126))), std::max(n, -126)) << n;
  }
  EXPECT_EQ(ScaleBase(1.0f, -151), 0.0f);
  EXPECT_EQ(ScaleBase(1.0f, 128), Limits::infinity());
  EXPECT_EQ(ScaleBase(0.0f, 5), 0.0f);
  EXPECT_EQ(ScaleBase(3.0f, -150), std::ldexp(3.0f, -150));
  EXPECT_EQ(LogBase(-8.0), 3);
  EXPECT_EQ(LogBase(0.0), std::numeric_limits<int>::min());
  EXPECT_EQ(LogBase(-Limits::infinity()), std::numeric_limits<int>::max());
  EXPECT_EQ(LogBase(Limits::quiet_NaN()), std::nullopt);
  EXPECT_EQ(GoldbergUlp(1.0f), Limits::epsilon());
  EXPECT_EQ(GoldbergUlp(-6.0f), 4 * Limits::epsilon());
  EXPECT_EQ(GoldbergUlp(0.0f), Limits::denorm_min());
  EXPECT_EQ(GoldbergUlp(Limits::denorm_min()), Limits::denorm_min());
  EXPECT_TRUE(std::isnan(GoldbergUlp(Limits::infinity())));
}

TEST(FloatUtilities, SplitsAndRounds) {
  for (const double x : {1.0, -1.0, 3.14159265358979, -2.718281828459, 1e-5, 12345.678}) {
    for (const int zeros : {0, 3, 12}) {
      const auto [high, low] = SplitToFpPair<float>(x, zeros);
      EXPECT_NEAR(static_cast<double>(high) + static_cast<double>(low), x,
                  std::abs(x) * std::ldexp(1.0, zeros - 46));
      EXPECT_EQ(std::bit_cast<uint32_t>(high) % (1u << zeros), 0u) << x << " " << zeros;
    }
    EXPECT_EQ(RoundToPrecision<float>(x), static_cast<float>(x));
  }
  using Direction = RoundingDirection;
  EXPECT_EQ(RoundToPrecision<float>(5.0, 2), 4.0f);  // 101: a tie, to even
  EXPECT_EQ(RoundToPrecision<float>(7.0, 2), 8.0f);
  EXPECT_EQ(RoundToPrecision<float>(7.0, 2, Direction::kRoundTowardsZero), 6.0f);
  EXPECT_EQ(RoundToPrecision<float>(-7.0, 2, Direction::kRoundTowardsZero), -6.0f);
  EXPECT_EQ(SplitToFpPair<float>(0.0, 4), std::make_pair(0.0f, 0.0f));
  EXPECT_TRUE(std::isnan(SplitToFpPair<float>(1.0, -1).first));
  EXPECT_TRUE(std::isnan(SplitToFpPair<float>(1.0, 24).first));
  EXPECT_FALSE(std::isnan(SplitToFpPair<float>(1.0, 23).first));
  EXPECT_TRUE(std::isnan(SplitToFpPair<float>(INFINITY, 0).first));
  const auto [high, low] = Log2FloatPair<float>(8);
  EXPECT_NEAR(static_cast<double>(high) + static_cast<double>(low), M_LN2, 1e-12);
  EXPECT_EQ(std::bit_cast<uint32_t>(high) % 256u, 0u);
}

// Orders of three dimensions that differ from their inverses.
TEST(Shapes, TransposesThatAreBitcasts) {
  const Shape from = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3, 4}, {2, 1, 0});
  const Shape to = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 4, 2}, {1, 0, 2});
  const auto dimensions = ShapeUtil::DeduceTransposeDimensionsForBitcast(from, to);
  ASSERT_TRUE(dimensions.has_value());
  EXPECT_EQ(*dimensions, (Numbers{1, 2, 0}));
  const Shape odd = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3, 4}, {1, 2, 0});
  const Shape turned = ShapeUtil::MakeShapeWithDenseLayout(F32, {4, 2, 3}, {2, 0, 1});
  const auto others = ShapeUtil::DeduceTransposeDimensionsForBitcast(odd, turned);
  ASSERT_TRUE(others.has_value());
  EXPECT_EQ(*others, (Numbers{2, 0, 1}));
}

TEST(Shapes, BoundsAreCompatible) {
  const auto shape = [](std::vector<int64_t> sizes, std::vector<bool> dynamic) {
    return ShapeUtil::MakeShape(F32, sizes, dynamic);
  };
  const Shape bounded = shape({4, 3}, {true, false});
  const Shape open = shape({Shape::kUnboundedSize, 3}, {true, false});
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(shape({4, 3}, {false, false}), bounded));
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(shape({2, 1}, {false, false}), bounded));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(shape({5, 3}, {false, false}), bounded));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(shape({4, 4}, {false, false}), bounded));
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(shape({50, 3}, {false, false}), open));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(shape({50, 4}, {false, false}), open));
}

TEST(Literals, ElementsAreCopiedBetweenArraysOfOneType) {
  Literal to = LiteralUtil::CreateR1<float>({1, 2, 3});
  const Literal from = LiteralUtil::CreateR2<float>({{4, 5}, {6, 7}});
  EXPECT_TRUE(to.CopyElementFrom(from, {1, 0}, {2}).ok());
  EXPECT_EQ(to, LiteralUtil::CreateR1<float>({1, 2, 6}));
  EXPECT_FALSE(to.CopyElementFrom(from, {2, 0}, {2}).ok());
  EXPECT_FALSE(to.CopyElementFrom(from, {1, 0}, {3}).ok());
  EXPECT_FALSE(to.CopyElementFrom(LiteralUtil::CreateR1<int32_t>({4}), {0}, {0}).ok());
  EXPECT_FALSE(to.CopyElementFrom(LiteralUtil::MakeTuple({}), {}, {0}).ok());
  Literal tuple = LiteralUtil::MakeTuple({});
  EXPECT_FALSE(tuple.CopyElementFrom(to, {0}, {}).ok());
  EXPECT_EQ(to, LiteralUtil::CreateR1<float>({1, 2, 6}));
}

TEST(FloatUtilities, Distances) {
  EXPECT_EQ(CalculateDistanceInFloats(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(CalculateDistanceInFloats(-1.0f, std::nextafter(-1.0f, 2.0f)), 1);
  EXPECT_EQ(CalculateDistanceInFloats(0.0f, -0.0f), 0);
  EXPECT_EQ(CalculateDistanceInFloats(std::numeric_limits<float>::denorm_min(),
                                      -std::numeric_limits<float>::denorm_min()),
            2);
  EXPECT_EQ(CalculateDistanceInFloats(tsl::float8_e4m3fn(1.0f), tsl::float8_e4m3fn(2.0f)), 8);
  EXPECT_EQ(UlpDistance(2.0, std::nextafter(2.0, 0.0)), 1);
  EXPECT_EQ(UlpDistance<double>(NAN, NAN), 0);
  EXPECT_EQ(UlpDistance<double>(NAN, 1), std::nullopt);
  EXPECT_EQ(UlpDistance<double>(1, NAN), std::nullopt);
  EXPECT_EQ(UlpDistance<double>(INFINITY, INFINITY), 0);
  EXPECT_EQ(UlpDistance<double>(INFINITY, -INFINITY), std::nullopt);
  EXPECT_EQ(UlpDistance<double>(1, INFINITY), std::nullopt);
  const auto packed = PackFloatPairAsBf16<uint32_t>(1.0f, -2.0f);
  EXPECT_EQ(packed, 0xc0003f80u);
  EXPECT_EQ(UnpackFloatPairAsBf16(packed), std::make_pair(1.0f, -2.0f));
}

TEST(ComparisonUtilities, EachDirectionSaysWhichItIs) {
  using D = Comparison::Direction;
  const std::vector<D> directions = {D::kEq, D::kNe, D::kGe, D::kGt, D::kLe, D::kLt};
  for (const D direction : directions) {
    const Comparison comparison(direction, F32);
    EXPECT_EQ(comparison.GetDirection(), direction);
    EXPECT_EQ(comparison.GetOrder(), Comparison::Order::kPartial);
    EXPECT_EQ(comparison.IsEq(), direction == D::kEq);
    EXPECT_EQ(comparison.IsNe(), direction == D::kNe);
    EXPECT_EQ(comparison.IsGe(), direction == D::kGe);
    EXPECT_EQ(comparison.IsGt(), direction == D::kGt);
    EXPECT_EQ(comparison.IsLe(), direction == D::kLe);
    EXPECT_EQ(comparison.IsLt(), direction == D::kLt);
    const Comparison total(direction, F32, Comparison::Order::kTotal);
    EXPECT_EQ(total.GetOrder(), Comparison::Order::kTotal);
    for (const float a : {-1.0f, -0.0f, 0.0f, 1.0f}) {
      for (const float b : {-1.0f, -0.0f, 0.0f, 1.0f}) {
        const bool holds[] = {a == b, a != b, a >= b, a > b, a <= b, a < b};
        EXPECT_EQ(comparison.Compare(a, b), holds[static_cast<int>(direction)]);
        const auto place = [](float x) { return 2 * x - (std::signbit(x) ? 0.5f : 0.0f); };
        const float x = place(a), y = place(b);
        const bool in_order[] = {x == y, x != y, x >= y, x > y, x <= y, x < y};
        EXPECT_EQ(total.Compare(a, b), in_order[static_cast<int>(direction)]) << a << " " << b;
      }
    }
  }
}

TEST(Arrays, AreFilledByPlanes) {
  const Array2D<float> value({{1, 2, 3}, {4, 5, 6}});
  Array4D<float> a(4, 5, 2, 3);
  a.FillWithYX(value);
  EXPECT_EQ(a(3, 1, 1, 2), 6);
  EXPECT_EQ(a(0, 4, 0, 1), 2);
  Array4D<float> b(4, 2, 3, 5);
  b.FillWithZY(value);
  EXPECT_EQ(b(3, 1, 2, 4), 6);
  EXPECT_EQ(b(0, 0, 1, 0), 2);
  Array4D<float> c(2, 3, 4, 5);
  c.FillWithPZ(value);
  EXPECT_EQ(c(1, 2, 3, 4), 6);
  EXPECT_EQ(c(0, 1, 3, 2), 2);
  c.FillWithMinorDimNum();
  EXPECT_EQ(c(0, 0, 3, 4), 0);
  EXPECT_EQ(c(0, 2, 1, 1), 2);
  EXPECT_EQ(c(1, 1, 0, 0), 4);
}

TEST(Arrays, AreFilledBySequences) {
  Array<int> a({2, 3});
  a.FillIota(4);
  EXPECT_EQ(a, (Array<int>({{4, 5, 6}, {7, 8, 9}})));
  a.FillRepeatedIota(1, 2);
  EXPECT_EQ(a, (Array<int>({{1, 2, 1}, {2, 1, 2}})));
  a.FillWithMultiples(3);
  EXPECT_EQ(a, (Array<int>({{0, 3, 6}, {9, 12, 15}})));
  Array<bool> flags({40});
  flags.FillRandomBool(7);
  int count = 0;
  flags.Each([&](absl::Span<const int64_t>, bool* flag) { count += *flag ? 1 : 0; });
  EXPECT_GT(count, 5);
  EXPECT_LT(count, 35);
  Array<double> draws({1000}), others({1000});
  draws.FillRandomDouble(2.0, 5.0, 1);
  others.FillRandomDouble(2.0, 5.0, 1);
  EXPECT_EQ(draws, others);
  others.FillRandomDouble(2.0, 5.0, 2);
  EXPECT_NE(draws, others);
  double sum = 0, squares = 0;
  draws.Each([&](absl::Span<const int64_t>, double* x) {
    sum += *x;
    squares += (*x - 5) * (*x - 5);
  });
  EXPECT_NEAR(sum / 1000, 5, 0.3);
  EXPECT_NEAR(squares / 1000, 4, 0.6);
  draws.FillRandomUniform(-1, 3, 3);
  draws.Each([](absl::Span<const int64_t>, double* x) {
    EXPECT_GE(*x, -1);
    EXPECT_LT(*x, 3);
  });
}

TEST(Arrays, AreVisitedUntilAnError) {
  Array<int> a({{1, 2}, {3, 4}});
  std::vector<int> seen;
  const auto visit = [&](absl::Span<const int64_t> index, int value) {
    EXPECT_EQ(value, 1 + 2 * index[0] + index[1]);
    seen.push_back(value);
    return value == 3 ? Internal("three") : absl::OkStatus();
  };
  const Array<int>& fixed = a;
  EXPECT_EQ(fixed.EachStatus(visit).message(), "three");
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(a.EachStatus([](absl::Span<const int64_t>, int* value) {
               *value += 10;
               return *value == 12 ? Internal("twelve") : absl::OkStatus();
             }).message(),
            "twelve");
  EXPECT_EQ(a, (Array<int>({{11, 12}, {3, 4}})));
  EXPECT_TRUE(a.EachStatus([](absl::Span<const int64_t>, int*) { return absl::OkStatus(); }).ok());
  a.TemplatedEach([](absl::Span<const int64_t>, int* value) { *value = 0; });
  EXPECT_EQ(a, (Array<int>({{0, 0}, {0, 0}})));
}

TEST(ShapeTrees, AreVisitedInOrder) {
  const Shape leaf = ShapeUtil::MakeShape(F32, {2});
  ShapeTree<int> tree(ShapeUtil::MakeTupleShape({leaf, ShapeUtil::MakeTupleShape({leaf, leaf})}));
  EXPECT_EQ(tree.leaf_count(), 3);
  int next = 0;
  tree.ForEachMutableElement([&](const ShapeIndex&, int* value) { *value = next++; });
  const auto text = [](const ShapeIndex& index, int value) {
    return absl::StrCat(index.ToString(), value, " ");
  };
  std::string before, after, changed, leaves, backwards;
  tree.ForEachElement([&](const ShapeIndex& i, const int& value) { before += text(i, value); });
  EXPECT_EQ(before, "{}0 {0}1 {1}2 {1,0}3 {1,1}4 ");
  tree.ForEachElementPostOrder(
      [&](const ShapeIndex& i, const int& value) { after += text(i, value); });
  EXPECT_EQ(after, "{1,1}4 {1,0}3 {1}2 {0}1 {}0 ");
  for (const auto& [i, value] : tree.leaves()) leaves += text(i, value);
  EXPECT_EQ(leaves, "{0}1 {1,0}3 {1,1}4 ");
  for (auto it = tree.leaf_rbegin(); it != tree.leaf_rend(); ++it)
    backwards += text(it->first, it->second);
  EXPECT_EQ(backwards, "{1,1}4 {1,0}3 {0}1 ");
  tree.ForEachMutableElementPostOrder([&](const ShapeIndex& i, int* value) {
    changed += text(i, *value);
    *value *= 10;
  });
  EXPECT_EQ(changed, after);
  EXPECT_EQ(tree.element({1, 0}), 30);
  EXPECT_EQ(tree.find({1, 1})->second, 40);
  EXPECT_EQ(tree.find({2}), tree.end());
  const auto part = tree.SubShapeTree({1});
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->element({1}), 40);
  EXPECT_EQ(part->shape().tuple_shapes_size(), 2);
  EXPECT_FALSE(tree.SubShapeTree({3}).ok());
}

TEST(ShapeTrees, StopAtErrors) {
  const Shape leaf = ShapeUtil::MakeShape(F32, {2});
  ShapeTree<int> tree(ShapeUtil::MakeTupleShape({leaf, leaf, leaf}), 1);
  *tree.mutable_element({1}) = 2;
  int visits = 0;
  const auto visit = [&](const ShapeIndex&, const int& value) {
    ++visits;
    return value == 2 ? Internal("two") : absl::OkStatus();
  };
  EXPECT_EQ(tree.ForEachElementWithStatus(visit).message(), "two");
  EXPECT_EQ(visits, 3);
  EXPECT_EQ(tree.ForEachMutableElementWithStatus([&](const ShapeIndex&, int* value) {
                  return *value == 2 ? Internal("2") : absl::OkStatus();
                })
                .message(),
            "2");
  const auto halves = tree.MapWithStatus<double>([](const int& value) -> absl::StatusOr<double> {
    if (value > 1) return Internal("more than one");
    return value / 2.0;
  });
  EXPECT_EQ(halves.status().message(), "more than one");
  *tree.mutable_element({1}) = 1;
  EXPECT_TRUE(tree.ForEachElementWithStatus(visit).ok());
  const auto mapped = tree.MapWithStatus<double>(
      [](const int& value) -> absl::StatusOr<double> { return value / 2.0; });
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->element({1}), 0.5);
  EXPECT_EQ(tree.Map<int>([](const int& value) { return value + 1; }).element({2}), 2);
}

}  // namespace
}  // namespace xla
