// SPDX-License-Identifier: Apache-2.0
// Quotients by constants have the bits of a division.
#include "xla/cpu/codegen/constant_divisor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

template <class Real>
using BitsOf = std::conditional_t<sizeof(Real) == 4, uint32_t, uint64_t>;

template <class Real>
bool IsSame(Real a, Real b) {
  return std::isnan(a) ? std::isnan(b)
                       : std::bit_cast<BitsOf<Real>>(a) == std::bit_cast<BitsOf<Real>>(b);
}

template <class Real>
Real Quotient(Real x, const ReciprocalPair<Real>& pair) {
  return std::fma(x, pair.high, x * pair.low);
}

TEST(ReciprocalPairTest, EveryDividend) {
  std::mt19937 random(1);
  std::vector<float> divisors = {3, 5, 7, 10, 255, 127.5f, -0.2f, 0.225f, 1e10f, 3.1415927f};
  for (int i = 0; i < 4; ++i) divisors.push_back(std::ldexp(1 + random() * 0x1p-32f, i - 10));
  for (const float divisor : divisors) {
    const auto pair = FindReciprocalPair(divisor);
    if (!pair.has_value()) continue;
    int different = 0;
    for (uint32_t digits = 0; digits < 1u << 23; ++digits) {
      const auto x = std::bit_cast<float>(digits | 0x3f800000u);
      different += Quotient(x, *pair) != x / divisor;
    }
    EXPECT_EQ(different, 0) << divisor;
  }
}

template <class Real>
class ReciprocalPairTypes : public ::testing::Test {};
using RealTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ReciprocalPairTypes, RealTypes);

TYPED_TEST(ReciprocalPairTypes, MostDivisorsHaveOne) {
  std::mt19937_64 random(2);
  int found = 0;
  for (int i = 0; i < 1000; ++i)
    found += FindReciprocalPair<TypeParam>(1 + random() * TypeParam{0x1p-64}).has_value();
  EXPECT_GT(found, 850);
  EXPECT_LT(found, 1000);
}

// The dividends whose quotients are nearest to the middle of two numbers.
TYPED_TEST(ReciprocalPairTypes, QuotientsNearMiddles) {
  using Real = TypeParam;
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const Real divisor = 1 + random() * Real{0x1p-64};
    const auto pair = FindReciprocalPair(divisor);
    if (!pair.has_value()) continue;
    for (int j = 0; j < 50; ++j) {
      const Real quotient = 1 + random() * Real{0x1p-64};
      const Real half = std::numeric_limits<Real>::epsilon() / 2;
      const Real x = std::fma(quotient, divisor, half * divisor);
      for (const Real near : {x, std::nextafter(x, Real{0}), std::nextafter(x, Real{8})})
        ASSERT_EQ(Quotient(near, *pair), near / divisor) << near << " / " << divisor;
    }
  }
}

TYPED_TEST(ReciprocalPairTypes, RangeOfDividends) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  std::mt19937_64 random(4);
  for (const Real divisor : {Real{3}, Real{-255}, Real{0x1.8p-64}, Real{0x1.8p63}, Real{-0.2}}) {
    const auto pair = FindReciprocalPair(divisor);
    ASSERT_TRUE(pair.has_value()) << divisor;
    EXPECT_LE(pair->least, 1);
    std::vector<Real> dividends = {0,
                                   -Real{0},
                                   Limits::infinity(),
                                   -Limits::infinity(),
                                   Limits::quiet_NaN(),
                                   Limits::max(),
                                   Limits::lowest()};
    for (int i = 0; i < 20000; ++i)
      dividends.push_back(std::bit_cast<Real>(static_cast<BitsOf<Real>>(random())));
    for (int i = 0; i < 20000; ++i)
      dividends.push_back(pair->least * (1 + random() * Real{0x1p-64}));
    for (const Real x : dividends) {
      if (x != 0 && std::abs(x) < pair->least) continue;
      ASSERT_TRUE(IsSame(Quotient(x, *pair), x / divisor)) << x << " / " << divisor;
    }
  }
}

TYPED_TEST(ReciprocalPairTypes, DivisorsWithoutOne) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  for (const Real divisor :
       {Real{0}, Real{1}, Real{-4}, Real{0x1p-30}, Limits::infinity(), Limits::quiet_NaN(),
        Limits::denorm_min(), Limits::max(), Real{0x1.8p64}, Real{0x1.8p-66}})
    EXPECT_FALSE(FindReciprocalPair(divisor).has_value()) << divisor;
}

// x / divisor for the numbers of `x`, compiled; converted before from their type.
template <class Real, class Number>
void ExpectDivided(const std::vector<Number>& x, const std::string& divisor) {
  const auto name = [](PrimitiveType type) {
    return primitive_util::LowercasePrimitiveTypeName(type);
  };
  const std::string real = name(primitive_util::NativeToPrimitiveType<Real>());
  const std::string number = name(primitive_util::NativeToPrimitiveType<Number>());
  const std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\n  x = ", number, "[", x.size(), "] parameter(0)\n  y = ", real, "[",
      x.size(), "] convert(x)\n  c = ", real, "[] constant(", divisor, ")\n  b = ", real, "[",
      x.size(), "] broadcast(c), dimensions={}\n  ROOT q = ", real, "[", x.size(),
      "] divide(y, b)\n}\n");
  const auto module = ParseAndReturnUnverifiedModule(text);
  ASSERT_OK(module.status()) << text;
  auto program = CpuProgram::Compile(**module, {});
  ASSERT_OK(program.status());
  const Literal argument = LiteralUtil::CreateR1<Number>(x);
  const auto result = (*program)->Run({&argument});
  ASSERT_OK(result.status());
  const Real c = static_cast<Real>(std::stod(divisor));
  for (size_t i = 0; i < x.size(); ++i) {
    const Real quotient = result->template data<Real>()[i], expected = static_cast<Real>(x[i]) / c;
    ASSERT_TRUE(IsSame(quotient, expected))
        << x[i] << " / " << divisor << ": " << quotient << ", expected " << expected;
  }
}

constexpr const char* kDivisors[] = {"3",    "0.2",   "255", "-7",  "1e-10", "1e10", "0.7",
                                     "1e30", "1e-30", "8",   "inf", "nan",   "0",    "-0.0"};

TYPED_TEST(ReciprocalPairTypes, CompiledQuotients) {
  using Real = TypeParam;
  using Limits = std::numeric_limits<Real>;
  std::mt19937_64 random(5);
  std::vector<Real> x = {0,
                         -Real{0},
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::min(),
                         Limits::denorm_min(),
                         -Limits::denorm_min()};
  // Few and many tiny ones beside others.
  for (int i = 0; i < 3000; ++i) {
    x.push_back(std::bit_cast<Real>(static_cast<BitsOf<Real>>(random())));
    if (i % 50 == 0)
      x.insert(x.end(),
               {Limits::denorm_min() * (random() % 1000), Limits::min() * (1 + random() % 1000)});
    if (i % 10 != 0) x.back() = 1 + random() * Real{0x1p-64};
  }
  for (const char* divisor : kDivisors) ExpectDivided<Real, Real>(x, divisor);
}

TYPED_TEST(ReciprocalPairTypes, CompiledQuotientsOfIntegers) {
  std::vector<uint8_t> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  std::vector<int32_t> words = {0, 1, -1, INT32_MAX, INT32_MIN};
  std::mt19937 random(6);
  for (int i = 0; i < 1000; ++i) words.push_back(static_cast<int32_t>(random()) >> (i % 31));
  for (const char* divisor : kDivisors) {
    ExpectDivided<TypeParam, uint8_t>(bytes, divisor);
    ExpectDivided<TypeParam, int32_t>(words, divisor);
  }
}

}  // namespace
}  // namespace xla::cpu
