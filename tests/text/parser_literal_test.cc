// SPDX-License-Identifier: Apache-2.0
// Literals in HLO text: values, rounding, ranges, NaN payloads, nesting.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"

namespace xla {
namespace {

absl::StatusOr<Literal> Parse(std::string_view shape, std::string_view text) {
  const absl::StatusOr<Shape> parsed = ParseShape(shape);
  if (!parsed.ok()) return parsed.status();
  return ParseLiteral(*parsed, text);
}

template <typename T>
T Scalar(std::string_view shape, std::string_view text) {
  absl::StatusOr<Literal> literal = Parse(shape, text);
  EXPECT_OK(literal) << shape << " " << text;
  return literal.ok() ? literal->GetFirstElement<T>() : T();
}

TEST(ParserLiteralTest, ElementsStandInRowMajorOrderWhateverTheLayout) {
  ASSERT_OK_AND_ASSIGN(Literal literal, Parse("s32[2,3]{0,1}", "{ { 1, 2, 3 }, { 4, 5, 6 } }"));
  EXPECT_EQ(literal.Get<int32_t>({0, 2}), 3);
  EXPECT_EQ(literal.Get<int32_t>({1, 0}), 4);
  EXPECT_EQ(literal.data<int32_t>()[1], 4);  // in memory, column by column
}

TEST(ParserLiteralTest, ZeroSizedDimensions) {
  ASSERT_OK(Parse("f32[0]", "{}"));
  ASSERT_OK(Parse("f32[2,0]", "{ {}, {} }"));
  ASSERT_OK(Parse("f32[2,0,4]", "{ { /*i0=0*/ }, { /*i0=1*/ } }"));
}

TEST(ParserLiteralTest, TruthValues) {
  ASSERT_OK_AND_ASSIGN(Literal literal, Parse("pred[4]", "{true, 0, 7, false}"));
  EXPECT_TRUE(literal.Get<bool>({0}));
  EXPECT_FALSE(literal.Get<bool>({1}));
  EXPECT_TRUE(literal.Get<bool>({2}));
}

TEST(ParserLiteralTest, IntegersFitTheirType) {
  EXPECT_EQ(Scalar<int8_t>("s8[]", "-128"), -128);
  EXPECT_EQ(Scalar<uint64_t>("u64[]", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(Scalar<uint64_t>("u64[]", "-1"), UINT64_MAX);
  EXPECT_EQ(static_cast<int>(Scalar<s4>("s4[]", "-8")), -8);
  EXPECT_ERROR(Parse("s8[]", "128"),
               "value 128 is out of range for literal's primitive type S8 namely [-128, 127].");
  EXPECT_ERROR(Parse("u4[]", "-1"),
               "value -1 is out of range for literal's primitive type U4 namely [0, 15].");
  EXPECT_ERROR(Parse("s32[]", "1.0"), "expects integer for primitive type: S32");
  EXPECT_ERROR(Parse("s32[]", "true"), "unexpected truth value in a literal of primitive type S32");
}

TEST(ParserLiteralTest, DecimalsRoundOnceAndMustFitAfterRounding) {
  EXPECT_EQ(Scalar<float>("f32[]", "0.1"), 0.1f);
  EXPECT_EQ(Scalar<float>("f32[]", "16777217"), 16777216.0f);
  EXPECT_EQ(static_cast<float>(Scalar<half>("f16[]", "65519")), 65504.0f);
  EXPECT_EQ(static_cast<float>(Scalar<float8_e4m3fn>("f8e4m3fn[]", "449")), 448.0f);
  EXPECT_EQ(static_cast<float>(Scalar<float4_e2m1fn>("f4e2m1fn[]", "7")), 6.0f);
  EXPECT_ERROR(Parse("f16[]", "65520"),
               "value 65520 is out of range for literal's primitive type F16");
  EXPECT_ERROR(Parse("f8e8m0fnu[]", "0"),
               "value 0 is out of range for literal's primitive type F8E8M0FNU");
  EXPECT_ERROR(Parse("f64[]", "1e999"), "Constant is out of range for double");
}

// "-0" is an integer in this language; "-0.0" is not.
TEST(ParserLiteralTest, TheSignOfZeroNeedsAPoint) {
  EXPECT_FALSE(std::signbit(Scalar<float>("f32[]", "-0")));
  EXPECT_TRUE(std::signbit(Scalar<float>("f32[]", "-0.0")));
}

TEST(ParserLiteralTest, NonFiniteValues) {
  EXPECT_EQ(Scalar<float>("f32[]", "-inf"), -INFINITY);
  EXPECT_EQ(std::bit_cast<uint32_t>(Scalar<float>("f32[]", "nan")), 0x7fc00000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(Scalar<float>("f32[]", "-nan(0x12)")), 0xff800012u);
  EXPECT_EQ(Scalar<bfloat16>("bf16[]", "nan(0x7f)").bits(), 0x7fff);
  EXPECT_EQ(Scalar<float8_e4m3fn>("f8e4m3fn[]", "-nan").bits(), 0xff);
  EXPECT_ERROR(Parse("bf16[1]", "{nan(0x3ff)}"), "but the NaN payload is out of range (0x7f)");
  EXPECT_ERROR(Parse("f8e4m3fn[]", "nan(0x1)"), "but f8e4m3fn does not support payloads");
}

TEST(ParserLiteralTest, ComplexNumbersStandInParentheses) {
  EXPECT_EQ(Scalar<complex64>("c64[]", "(1, -2.5)"), complex64(1, -2.5f));
  ASSERT_OK_AND_ASSIGN(Literal literal, Parse("c128[2]", "{(1, 0), (inf, -1)}"));
  EXPECT_EQ(literal.Get<complex128>({1}).imag(), -1);
  EXPECT_ERROR(Parse("c64[]", "1"), "unsupported primitive type C64");
  EXPECT_ERROR(Parse("c64[]", "(1e300, 0)"),
               "real part 1e+300 is out of range for literal's primitive type C64");
  EXPECT_ERROR(Parse("f32[]", "(1, 0)"), "Parens are only valid for complex literals");
}

TEST(ParserLiteralTest, PartsOfComplexNumbersMayBeTheLargestOnes) {
  constexpr float kFloat = std::numeric_limits<float>::max();
  constexpr double kDouble = std::numeric_limits<double>::max();
  for (const int sign : {1, -1}) {
    const std::string f = absl::StrFormat("%.17g", sign * double{kFloat});
    EXPECT_EQ(Scalar<complex64>("c64[]", absl::StrCat("(", f, ", 0)")), complex64(sign * kFloat));
    EXPECT_EQ(Scalar<complex64>("c64[]", absl::StrCat("(0, ", f, ")")),
              complex64(0, sign * kFloat));
    const std::string d = absl::StrFormat("%.17g", sign * kDouble);
    EXPECT_EQ(Scalar<complex128>("c128[]", absl::StrCat("(", d, ", ", d, ")")),
              complex128(sign * kDouble, sign * kDouble));
    const std::string above =
        absl::StrFormat("%.17g", sign * std::nextafter(double{kFloat}, kDouble));
    EXPECT_ERROR(Parse("c64[]", absl::StrCat("(", above, ", 0)")), "real part");
    EXPECT_ERROR(Parse("c64[]", absl::StrCat("(0, ", above, ")")), "imaginary part");
  }
}

TEST(ParserLiteralTest, TuplesNest) {
  ASSERT_OK_AND_ASSIGN(Literal literal, Parse("(f32[2], (s32[], ()))", "( {1, 2}, ( 3, ( ) ) )"));
  EXPECT_EQ(literal.Get<int32_t>({}, {1, 0}), 3);
  EXPECT_ERROR(Parse("(f32[], f32[])", "(1)"), "expects ',' to separate tuple elements");
}

TEST(ParserLiteralTest, NestingMustFitTheShape) {
  EXPECT_ERROR(Parse("f32[2]", "{1, 2, 3}"),
               "expects 2 elements on the minor-most dimension, but sees more");
  EXPECT_ERROR(Parse("f32[2]", "{1}"), "expects 2 elements in the []th element, but sees 1");
  EXPECT_ERROR(Parse("f32[2,2]", "{{1, 2}, {3}}"),
               "expects 2 elements in the [1]th element, but sees 1");
  EXPECT_ERROR(Parse("f32[2]", "{{1}}"), "expects nested array in rank 1, but sees larger");
  EXPECT_ERROR(Parse("f32[2,1]", "{1, 2}"), "expects nested array in rank 2, but sees 1");
  EXPECT_OK(Parse("f32[2,3]", "5"));  // the first element, as in XLA
  EXPECT_ERROR(Parse("f32[2,3]", "{5}"), "expects nested array in rank 2, but sees 1");
  EXPECT_ERROR(Parse("f32[]", "}"), "unexpected '}' token");
}

TEST(ParserLiteralTest, ElidedConstantsAreZerosWithinTheBudget) {
  ASSERT_OK_AND_ASSIGN(Literal literal, Parse("f32[3,4]", "{...}"));
  EXPECT_TRUE(literal.IsAllFloat(0));
  ASSERT_OK(Parse("f32[3]", "{1, ...}"));
  EXPECT_ERROR(Parse("f32[2,2]", "{{...}}"),
               "expects `...` at nest level 1, but sees it at nest level 2");
  EXPECT_ERROR(Parse("f32[1000000000000]", "{...}"),
               "the elided constants of this text take more than");
  EXPECT_ERROR(Parse("f32[1000000000000]", "{1}"), "but the text has only");

  HloParserOptions options;
  options.max_elided_bytes = 0;
  const std::string many =
      "HloModule m ENTRY e { a = f32[100000] constant({...})\n b = f32[100000] constant({...}) }";
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(many, options),
               "the elided constants of this text take more than");
}

TEST(ParserLiteralTest, OnlyArraysAndTuplesAreConstant) {
  EXPECT_ERROR(Parse("token[]", "1"), "expects a constant of an array or tuple shape");
  EXPECT_ERROR(Parse("f32[?]", "{1}"), "a constant cannot have the unbounded shape");
  EXPECT_ERROR(Parse("f32[2,2]{0,0}", "{{1,2},{3,4}}"), "{0,0}");
}

// XLA reads one number as the first element; memory is bounded as for elided constants.
TEST(ParserLiteralTest, OneNumberForALargeArray) {
  const char* text = "HloModule m\nENTRY e { ROOT c = f32[1,384,1024] constant(15) }";
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  const Literal& literal = module->entry_computation()->root_instruction()->literal();
  EXPECT_EQ(literal.Get<float>({0, 0, 0}), 15);
  EXPECT_EQ(literal.Get<float>({0, 0, 1}), 0);
  HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(text, options), "elided constants of this text");
}

}  // namespace
}  // namespace xla
