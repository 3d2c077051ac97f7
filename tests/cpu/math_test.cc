// SPDX-License-Identifier: Apache-2.0
// The functions of the generated code on a sample of all numbers; `bench_math_accuracy` goes
// through all of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/cpu/math_accuracy.h"

namespace xla::cpu::math {
namespace {

void ExpectAccurate(const char* name, const Accuracy& accuracy, double limit) {
  EXPECT_LE(accuracy.worst, limit) << name << " at " << accuracy.worst_at;
  EXPECT_EQ(accuracy.wrong, 0) << name << " at " << accuracy.wrong_at;
}

TEST(MathTest, FunctionsOfF32) {
  for (const FunctionF32& f : kFunctionsF32) {
    Accuracy accuracy = MeasureF32(f, 40961);
    for (const double x : kSpecialNumbers) CompareF32(f, static_cast<float>(x), accuracy);
    ExpectAccurate(f.name, accuracy, f.limit);
  }
}

TEST(MathTest, FunctionsOfF64) {
  for (const FunctionF64& f : kFunctionsF64) {
    Accuracy accuracy = MeasureF64(f, 50000);
    for (const double x : kSpecialNumbers) CompareF64(f, x, accuracy);
    ExpectAccurate(f.name, accuracy, f.limit);
  }
}

// Of the functions that generated code has there.
TEST(MathTest, WithoutFusedMultiplyAdd) {
  rounds_fma_twice = true;
  for (const FunctionF32& f : kFunctionsF32)
    ExpectAccurate(f.name, MeasureF32(f, 40961), std::max(f.limit, 1.3));
  for (const FunctionF64& f : kFunctionsF64) ExpectAccurate(f.name, MeasureF64(f, 50000), 2);
  rounds_fma_twice = false;
}

// What is made of sums where products underflow slowly is what the products are.
template <class T, class Exp, class AccurateExp>
void ExpectSameSubnormals(double first, double last, Exp exp, AccurateExp accurate_exp) {
  const auto results = [&](T x) {
    return std::pair(std::bit_cast<typename Native<T>::Int>(exp(Native<T>{x}).v).v,
                     std::bit_cast<typename Native<T>::Int>(accurate_exp(Native<T>{x}).v).v);
  };
  constexpr int kSteps = 300000;
  for (int i = 0; i <= kSteps; ++i) {
    const auto x = static_cast<T>(first + (last - first) * i / kSteps);
    underflows_fast = true;
    const auto expected = results(x);
    underflows_fast = false;
    ASSERT_EQ(results(x), expected) << x;
  }
}
TEST(MathTest, SubnormalExponentialsAreTheSameWithoutUnderflow) {
  ExpectSameSubnormals<float>(
      -106, -85, [](Float x) { return ExpF32(x); }, [](Float x) { return AccurateExpF32(x); });
  ExpectSameSubnormals<double>(
      -750, -705, [](Double x) { return ExpF64(x); }, [](Double x) { return AccurateExpF64(x); });
}

// Numbers of all sizes: what keeps squares of tiny ones from underflowing changes no result.
template <class T, class Functions>
void ExpectSameOfAllSizes(const Functions& functions, int least_exponent, int greatest_exponent) {
  std::mt19937_64 random(11);
  for (const auto& f : functions) {
    for (int exponent = least_exponent; exponent <= greatest_exponent; ++exponent) {
      for (int i = 0; i < 200; ++i) {
        const double mantissa = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
        const auto size = static_cast<T>(std::ldexp(i == 0 ? 1 : mantissa, exponent));
        const Native<T> x{i % 2 == 0 ? size : -size};
        underflows_fast = true;
        const auto expected = std::bit_cast<typename Native<T>::Int>(f.function(x).v);
        underflows_fast = false;
        const auto result = std::bit_cast<typename Native<T>::Int>(f.function(x).v);
        ASSERT_EQ(result.v, expected.v) << f.name << " of " << x.v;
      }
    }
  }
}
TEST(MathTest, TinyArgumentsGiveTheSameWithoutUnderflow) {
  ExpectSameOfAllSizes<float>(kFunctionsF32, -149, 127);
  ExpectSameOfAllSizes<double>(kFunctionsF64, -1074, 1023);
}

TEST(MathTest, FunctionsOfPairsF64) {
  for (const FunctionOfPairsF64& f : kFunctionsOfPairsF64) {
    Accuracy accuracy;
    for (const auto& [x, y] : PairsF64(20000))
      CompareF64(f.exact(x, y), x, f.function(Double{x}, Double{y}).v, accuracy);
    ExpectAccurate(f.opcode, accuracy, f.limit);
  }
}

TEST(MathTest, PowersThatAreNumbersAreExact) {
  for (int base = 2; base < 200; ++base) {
    double power = 1;
    for (int exponent = 0; power <= 0x1p53; ++exponent, power *= base) {
      EXPECT_EQ(PowF64(Double{1.0 * base}, Double{1.0 * exponent}).v, power);
      if (exponent % 2 == 0) {
        EXPECT_EQ(PowF64(Double{power}, Double{0.5}).v, std::sqrt(power));
      }
    }
  }
}

// pow and atan2 on pairs of special numbers, of any floats, and of floats near 1.
template <class Check>
void ForPairs(Check check) {
  for (const double x : kSpecialNumbers) {
    for (const double y : kSpecialNumbers) check(static_cast<float>(x), static_cast<float>(y));
  }
  std::mt19937 random(3);
  const auto any = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
  const auto near = [&] { return static_cast<float>(static_cast<int32_t>(random())) * 0x1p-28F; };
  for (int i = 0; i < 100000; ++i) {
    const float x = any(), y = any();
    check(x, y);
    const float u = near(), v = near();
    check(u, v);
  }
}

void ExpectNear(float got, double exact, double limit, float x, float y) {
  const auto rounded = static_cast<float>(exact);
  ASSERT_EQ(std::isnan(got), std::isnan(rounded)) << x << ", " << y;
  if (std::isnan(got)) return;
  ASSERT_EQ(std::signbit(got), std::signbit(rounded)) << x << ", " << y;
  if (std::isinf(rounded) || rounded == 0) {
    ASSERT_EQ(got, rounded) << x << ", " << y;
    return;
  }
  const double unit = std::ldexp(1.0, std::max(-126, std::ilogb(exact)) - 23);
  ASSERT_LE(std::fabs(got - exact), limit * unit) << x << ", " << y;
}

TEST(MathTest, Pow) {
  ForPairs([](float x, float y) {
    ExpectNear(PowF32(Float{x}, Float{y}).v,
               std::pow(static_cast<double>(x), static_cast<double>(y)), 0.51, x, y);
  });
}

TEST(MathTest, Atan2) {
  ForPairs([](float x, float y) {
    ExpectNear(Atan2F32(Float{x}, Float{y}).v,
               std::atan2(static_cast<double>(x), static_cast<double>(y)), 1.4, x, y);
  });
}

TEST(MathTest, RemainderIsExact) {
  const auto check = [](float x, float y) {
    const float got = RemainderF32(Float{x}, Float{y}).v, exact = std::fmod(x, y);
    ASSERT_EQ(std::isnan(got), std::isnan(exact)) << x << ", " << y;
    if (std::isnan(got)) return;
    ASSERT_EQ(got, exact) << x << ", " << y;
    ASSERT_EQ(std::signbit(got), std::signbit(exact)) << x << ", " << y;
  };
  ForPairs([&](float x, float y) {
    check(x, y);
    // Quotients near integers.
    const float multiple = y * std::round(x);
    check(multiple, y);
    check(std::nextafter(multiple, -INFINITY), y);
  });
}

}  // namespace
}  // namespace xla::cpu::math
