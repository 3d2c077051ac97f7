// SPDX-License-Identifier: Apache-2.0
// The text of numbers against printf, and of literals against what XLA prints.
#include "xla/literal_print.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

template <typename T>
std::string Text(T value) {
  const Literal literal = LiteralUtil::CreateR0<T>(value);
  return literal.ToStringWithoutShape();
}

std::string Printf(int precision, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", precision, value);
  return text;
}

// The rule as it is stated.
std::string Expected(float value) {
  const std::string few = Printf(6, value);
  return std::strtof(few.c_str(), nullptr) == value ? few : Printf(9, value);
}
std::string Expected(double value) {
  const std::string few = Printf(15, value);
  return std::strtod(few.c_str(), nullptr) == value ? few : Printf(17, value);
}

uint64_t Random(uint64_t* state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

TEST(NumberPrint, FloatsAreAsPrintfWritesThem) {
  uint64_t state = 1;
  const auto check = [](float value) {
    if (value != value || std::isinf(value)) return;
    std::string text;
    AppendFloat(&text, value);
    ASSERT_EQ(text, Expected(value)) << std::bit_cast<uint32_t>(value);
  };
  for (int i = 0; i < 150000; ++i) {
    check(std::bit_cast<float>(static_cast<uint32_t>(Random(&state))));  // any
    check(static_cast<float>(static_cast<int64_t>(Random(&state)) >>
                             (Random(&state) % 64)));                                 // whole
    check(static_cast<float>(static_cast<int32_t>(Random(&state) >> 44)) / 1000);     // few digits
    check(static_cast<float>(static_cast<int32_t>(Random(&state))) * 0x1p-31f);       // weights
    check(std::bit_cast<float>(static_cast<uint32_t>(Random(&state)) & 0x807fffff));  // subnormal
  }
  for (int e = 0; e < 255; ++e) {
    for (uint32_t m : {0u, 1u, 0x400000u, 0x7fffffu})
      check(std::bit_cast<float>(static_cast<uint32_t>(e) << 23 | m));
  }
  for (int e = -45; e <= 38; ++e) check(std::strtof(("1e" + std::to_string(e)).c_str(), nullptr));
}

TEST(NumberPrint, DoublesAreAsPrintfWritesThem) {
  uint64_t state = 2;
  const auto check = [](double value) {
    if (value != value || std::isinf(value)) return;
    std::string text;
    AppendFloat(&text, value);
    ASSERT_EQ(text, Expected(value)) << std::bit_cast<uint64_t>(value);
  };
  for (int i = 0; i < 60000; ++i) {
    check(std::bit_cast<double>(Random(&state)));
    check(static_cast<double>(static_cast<int64_t>(Random(&state)) >> (Random(&state) % 64)));
    check(static_cast<double>(static_cast<int64_t>(Random(&state) >> 30)) / 1e6);
    check(static_cast<double>(static_cast<int64_t>(Random(&state))) * 0x1p-63);
    check(std::bit_cast<double>(Random(&state) & 0x800fffffffffffff));
  }
  for (int e = -324; e <= 308; ++e) check(std::strtod(("1e" + std::to_string(e)).c_str(), nullptr));
}

TEST(NumberPrint, NarrowFloatsPrintMaxDigits10) {
  for (uint32_t code = 0; code < 1 << 16; ++code) {
    const half h = half::FromBits(static_cast<uint16_t>(code));
    const bfloat16 b = bfloat16::FromBits(static_cast<uint16_t>(code));
    if (isfinite(h)) {
      ASSERT_EQ(Text(h), Printf(5, static_cast<double>(h))) << code;
    }
    if (isfinite(b)) {
      ASSERT_EQ(Text(b), Printf(4, static_cast<double>(b))) << code;
    }
  }
  // As XLA prints them.
  EXPECT_EQ(Text(half(0.1f)), "0.099976");
  EXPECT_EQ(Text(bfloat16(0.1f)), "0.1001");
  EXPECT_EQ(Text(half(1e-7f)), "1.1921e-07");
  EXPECT_EQ(Text(float8_e4m3fn(0.1f)), "0.102");
  EXPECT_EQ(Text(float8_e5m2(0.1f)), "0.094");
  EXPECT_EQ(Text(float8_e5m2(57344.0f)), "5.7e+04");
  EXPECT_EQ(Text(float8_e3m4(0.1f)), "0.0938");
  EXPECT_EQ(Text(float8_e8m0fnu(1e38f)), "8.5e+37");
  EXPECT_EQ(Text(float6_e3m2fn(7.5f)), "8");
  EXPECT_EQ(Text(float6_e2m3fn(7.5f)), "7.5");
  EXPECT_EQ(Text(float4_e2m1fn(-0.0f)), "-0");
}

TEST(NumberPrint, NaNsPrintTheirPayload) {
  const auto f32 = [](uint32_t bits) { return Text(std::bit_cast<float>(bits)); };
  EXPECT_EQ(f32(0x7fc00000), "nan");
  EXPECT_EQ(f32(0xffc00000), "-nan");
  EXPECT_EQ(f32(0x7f800001), "nan(0x1)");
  EXPECT_EQ(f32(0xff801234), "-nan(0x1234)");
  EXPECT_EQ(f32(0x7f800000), "inf");
  EXPECT_EQ(Text(std::bit_cast<double>(uint64_t{0x7ff8000000000001})), "nan(0x8000000000001)");
  EXPECT_EQ(Text(half::FromBits(0x7c01)), "nan(0x1)");
  EXPECT_EQ(Text(half::FromBits(0xfc12)), "-nan(0x12)");
  EXPECT_EQ(Text(float8_e5m2::FromBits(0x7d)), "nan(0x1)");
  EXPECT_EQ(Text(float8_e5m2::FromBits(0x7e)), "nan");
  EXPECT_EQ(Text(float8_e4m3fn::FromBits(0xff)), "-nan");
  EXPECT_EQ(Text(float8_e4m3fnuz::FromBits(0x80)), "-nan") << "its only NaN has the sign bit";
  EXPECT_EQ(Text(float8_e8m0fnu::FromBits(0xff)), "nan");
}

TEST(NumberPrint, OtherTypes) {
  EXPECT_EQ(Text(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Text(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Text(s4(-8)), "-8");
  EXPECT_EQ(Text(u2(3)), "3");
  EXPECT_EQ(Text(int8_t{65}), "65");
  EXPECT_EQ(Text(complex64(1.5f, -0.0f)), "(1.5, -0)");
  EXPECT_EQ(Text(complex128(0.1, INFINITY)), "(0.1, inf)");
  EXPECT_EQ(Text(true), "true");
}

std::string Zeros(std::vector<int64_t> dimensions) {
  return Literal(ShapeUtil::MakeShape(S32, dimensions)).ToStringWithoutShapeOneline();
}

TEST(LiteralPrint, ArraysOnOneLine) {
  EXPECT_EQ(Zeros({}), "0");
  EXPECT_EQ(Zeros({3}), "{0, 0, 0}");
  EXPECT_EQ(Zeros({2, 2}), "{ { 0, 0 }, { 0, 0 } }");
  EXPECT_EQ(Zeros({2, 1, 1}), "{ { {0} }, { {0} } }");
  EXPECT_EQ(Zeros({2, 1, 1, 2}),
            "{ { /*i0=0*/ { /*i1=0*/ { 0, 0 } } }, { /*i0=1*/ { /*i1=0*/ { 0, 0 } } } }");
  EXPECT_EQ(Zeros({1, 2, 1, 1, 1}),
            "{ { /*i0=0*/ { /*i1=0*/ { /*i2=0*/ {0} } }, { /*i1=1*/ { /*i2=0*/ {0} } } } }");
}

TEST(LiteralPrint, ArraysWithoutElements) {
  EXPECT_EQ(Zeros({0}), "{}");
  EXPECT_EQ(Zeros({2, 0}), "{ {}, {} }");
  EXPECT_EQ(Zeros({0, 2}), "{  }");
  EXPECT_EQ(Zeros({2, 0, 3}), "{ {  }, {  } }");
  EXPECT_EQ(Zeros({2, 3, 0}), "{ { {}, {}, {} }, { {}, {}, {} } }");
}

TEST(LiteralPrint, HugeArraysWithoutElementsAreElided) {
  EXPECT_EQ(Zeros({1 << 20, 1 << 20, 0}), "{...}");
  EXPECT_EQ(Zeros({0, 1 << 30}), "{  }");
}

TEST(LiteralPrint, PredicatesAreDigitsInArrays) {
  EXPECT_EQ(LiteralUtil::CreateR2<bool>({{true, false}}).ToString(), "pred[1,2] {\n  { 1, 0 }\n}");
  EXPECT_EQ(LiteralUtil::CreateR0<bool>(false).ToString(), "pred[] false");
}

// Halfway between two numbers: digits are read as the one whose mantissa is even.
TEST(LiteralPrint, FewestDigitsThatReadBack) {
  const auto text = [](float value) {
    return LiteralUtil::CreateR0<float>(value).ToStringWithoutShape();
  };
  for (const float middle : {3e10f, 7e10f, 9e10f, 1.1e11f, 5e-11f, 16777216.f, 33554432.f}) {
    for (const float value : {middle, std::nextafter(middle, 0.f), std::nextafter(middle, 1e30f)}) {
      EXPECT_EQ(std::strtof(text(value).c_str(), nullptr), value) << text(value);
    }
  }
  EXPECT_EQ(text(3e10f), "3e+10");
  EXPECT_EQ(text(std::nextafter(3e10f, 0.f)), "2.9999999e+10");
  EXPECT_EQ(text(std::nextafter(3e10f, 1e30f)), "3.00000031e+10");
}

TEST(LiteralPrint, LayoutChangesNothingButTheShape) {
  const Literal literal =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2}, {3, 4}}, LayoutUtil::MakeLayout({0, 1}));
  EXPECT_EQ(literal.ToStringOneline(), "s32[2,2] { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(literal.ToStringWithLayoutOneline(), "s32[2,2]{0,1} { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(literal.ToString(), "s32[2,2] {\n  { 1, 2 },\n  { 3, 4 }\n}");
  EXPECT_EQ(literal.ToStringWithoutShape(), "{\n  { 1, 2 },\n  { 3, 4 }\n}");
}

TEST(LiteralPrint, Tuples) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(
      LiteralUtil::CreateR0<float>(1), Literal(),
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({3}), LiteralUtil::CreateToken()));
  EXPECT_EQ(tuple.ToStringWithoutShapeOneline(), "( 1, (  ), ( {3}, token ) )");
  EXPECT_EQ(tuple.ToString(), "(\nf32[] 1,\n(\n\n),\n(\ns32[1] {3},\ntoken\n)\n)");
}

TEST(LiteralPrint, DynamicSizesFollowTheShape) {
  Literal literal(ShapeUtil::MakeShape(S32, {3}, {true}));
  literal.SetDynamicSize(0, 2);
  EXPECT_EQ(literal.ToString(), "s32[<=3](2) {0, 0}");
}

}  // namespace
}  // namespace xla
