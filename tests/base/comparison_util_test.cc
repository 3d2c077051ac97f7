// SPDX-License-Identifier: Apache-2.0
// Comparison: defaults, converse and inverse against the meaning, words.
#include "xla/comparison_util.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/test_util.h"

namespace xla {
namespace {

using Direction = Comparison::Direction;
using Order = Comparison::Order;
using Type = Comparison::Type;

constexpr Direction kDirections[] = {Direction::kEq, Direction::kNe, Direction::kGe,
                                     Direction::kGt, Direction::kLe, Direction::kLt};

template <typename T>
bool Apply(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::kEq:
      return a == b;
    case Direction::kNe:
      return a != b;
    case Direction::kGe:
      return a >= b;
    case Direction::kGt:
      return a > b;
    case Direction::kLe:
      return a <= b;
    case Direction::kLt:
      return a < b;
  }
  return false;
}

// Order-preserving map to integers: -NaN < -Inf < .. < -0 < +0 < .. < +Inf < +NaN.
int64_t TotalOrderKey(float x) {
  int32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits >= 0 ? bits : -static_cast<int64_t>(bits & 0x7fffffff) - 1;
}

bool Holds(const Comparison& comparison, float a, float b) {
  if (comparison.IsTotalOrder()) {
    return Apply(comparison.GetDirection(), TotalOrderKey(a), TotalOrderKey(b));
  }
  return Apply(comparison.GetDirection(), a, b);
}

const float kValues[] = {-NAN, -INFINITY, -1.5f, -0.0f, 0.0f, 2.0f, INFINITY, NAN};

TEST(Comparison, ConverseAndInverseMeanWhatTheySay) {
  for (const Order order : {Order::kPartial, Order::kTotal}) {
    for (const Direction direction : kDirections) {
      const Comparison comparison(direction, F32, order);
      const std::optional<Comparison> inverse = comparison.Inverse();
      bool always = true, never = true, negated_has_direction = false;
      for (const float a : kValues) {
        always &= Holds(comparison, a, a);
        never &= !Holds(comparison, a, a);
        for (const float b : kValues) {
          EXPECT_EQ(Holds(comparison, a, b), Holds(comparison.Converse(), b, a)) << comparison;
          if (inverse.has_value()) {
            EXPECT_EQ(Holds(comparison, a, b), !Holds(*inverse, a, b)) << comparison;
          }
        }
      }
      for (const Direction other : kDirections) {
        bool is_negation = true;
        for (const float a : kValues) {
          for (const float b : kValues) {
            is_negation &= Holds(comparison, a, b) != Holds(Comparison(other, F32, order), a, b);
          }
        }
        negated_has_direction |= is_negation;
      }
      EXPECT_EQ(inverse.has_value(), negated_has_direction) << comparison;
      EXPECT_EQ(comparison.IsReflexive(), always) << comparison;
      EXPECT_EQ(comparison.IsAntireflexive(), never) << comparison;
    }
  }
}

TEST(Comparison, TheUsualOrderOfAType) {
  EXPECT_TRUE(Comparison(Direction::kLt, F32).IsPartialOrder());
  EXPECT_TRUE(Comparison(Direction::kLt, S32).IsTotalOrder());
  EXPECT_TRUE(Comparison(Direction::kLt, PRED).IsTotalOrder());
  EXPECT_EQ(Comparison::DefaultComparisonType(BF16), Type::kFloat);
  EXPECT_EQ(Comparison::DefaultComparisonType(C64), Type::kFloat);
  EXPECT_EQ(Comparison::DefaultComparisonType(S4), Type::kSigned);
  EXPECT_EQ(Comparison::DefaultComparisonType(U4), Type::kUnsigned);
  EXPECT_EQ(Comparison::DefaultComparisonType(PRED), Type::kUnsigned);
  EXPECT_EQ(Comparison(Direction::kLt, F32, Order::kTotal).GetType(), Type::kFloatTotalOrder);
  EXPECT_EQ(Comparison(Direction::kLt, Type::kFloatTotalOrder),
            Comparison(Direction::kLt, F32, Order::kTotal));
}

TEST(Comparison, WordsReadBack) {
  for (const Direction direction : kDirections) {
    EXPECT_EQ(StringToComparisonDirection(ComparisonDirectionToString(direction)).value(),
              direction);
  }
  for (const Type type : {Type::kFloat, Type::kFloatTotalOrder, Type::kSigned, Type::kUnsigned}) {
    EXPECT_EQ(StringToComparisonType(ComparisonTypeToString(type)).value(), type);
  }
  EXPECT_EQ(StringToComparisonOrder("TOTALORDER").value(), Order::kTotal);
  EXPECT_ERROR(StringToComparisonDirection("=="),
               "unknown comparison direction '=='; expected one of EQ, NE, GE, GT, LE, LT");
  EXPECT_ERROR(StringToComparisonType("float"), "FLOAT, TOTALORDER, SIGNED, UNSIGNED");
  EXPECT_EQ(Comparison(Direction::kLt, BF16, Order::kTotal).ToString(), ".LT.BF16.TOTALORDER");
}

}  // namespace
}  // namespace xla
