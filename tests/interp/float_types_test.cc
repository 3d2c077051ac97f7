// SPDX-License-Identifier: Apache-2.0
// Operations of narrow floats against the same program in a wide type, whose results are rounded
// once; conversions of floats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/interp/types_test_util.h"
#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

using testing::AllTypes;
using testing::ConvertAll;
using testing::ExpectSame;
using testing::IsAllowed;
using testing::Name;
using testing::NarrowFloats;
using testing::Parse;
using testing::RunModule;
using testing::Vector;

// All values of a type of at most 8 bits, and a spread of those of 16, by their bits.
Literal BitPatterns(PrimitiveType type) {
  const int bits = primitive_util::BitWidth(type);
  const int64_t count = bits <= 8 ? int64_t{1} << bits : 512;
  Literal literal = Vector(type, count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t pattern = bits <= 8 ? i : i * 128 + i * 37 % 128;
    if (bits <= 8) {
      static_cast<uint8_t*>(literal.untyped_data())[i] = static_cast<uint8_t>(pattern);
    } else {
      static_cast<uint16_t*>(literal.untyped_data())[i] = static_cast<uint16_t>(pattern);
    }
  }
  return literal;
}

// Of 65,536 random numbers in equal steps, a quarter rounds a value that lies a quarter of the way
// to the next one up to that.
TEST(InterpreterTypes, StochasticConversionsRoundUpInProportion) {
  constexpr int64_t kCount = 65536;
  int pairs = 0;
  for (const auto& [from, random_type] :
       {std::pair<PrimitiveType, PrimitiveType>{F16, U16}, {BF16, U16}, {F32, U32}, {F64, U64}}) {
    std::vector<PrimitiveType> targets = NarrowFloats();
    targets.insert(targets.end(), {S4, U4, S8, U8, S16, U16, S32, U32, S64, U64});
    for (const PrimitiveType to : targets) {
      const bool is_float = primitive_util::IsFloatingPointType(to);
      const int mantissa = is_float ? primitive_util::SignificandWidth(to) - 1 : 0;
      if (primitive_util::SignificandWidth(from) - 1 < mantissa + 2) continue;
      const double low = is_float ? 1 : 2, step = std::ldexp(1.0, -mantissa);
      std::vector<Literal> arguments;
      arguments.push_back(LiteralUtil::CreateR0<double>(low + step / 4).Convert(from).value());
      Literal steps = Vector(U64, kCount);
      const int shift = primitive_util::BitWidth(random_type) - 16;
      for (size_t i = 0; i < kCount; ++i) steps.data<uint64_t>()[i] = uint64_t{i} << shift;
      arguments.push_back(steps.Convert(random_type).value());
      const std::string size = absl::StrCat("[", kCount, "]");
      ASSERT_OK_AND_ASSIGN(
          const auto module,
          Parse(absl::StrCat(
              "HloModule m\nENTRY e {\n v = ", Name(from), "[] parameter(0)\n x = ", Name(from),
              size, " broadcast(v), dimensions={}\n r = ", Name(random_type), size,
              " parameter(1)\n ROOT y = ", Name(to), size, " stochastic-convert(x, r)\n}")));
      if (!IsAllowed(*module)) continue;
      ++pairs;
      ASSERT_OK_AND_ASSIGN(const Literal result, RunModule(*module, arguments));
      ASSERT_OK_AND_ASSIGN(const Literal values, result.Convert(F64));
      int64_t ups = 0;
      for (const double value : values.data<double>()) {
        ASSERT_TRUE(value == low || value == low + step) << Name(from) << " to " << Name(to);
        ups += value == low + step;
      }
      EXPECT_EQ(ups, kCount / 4) << Name(from) << " to " << Name(to);
    }
  }
  EXPECT_GE(pairs, 50);
}

TEST(InterpreterTypes, NarrowFloatsAreComputedInF32AndRoundedOnce) {
  const std::vector<std::string> unary = {"abs",
                                          "acos",
                                          "acosh",
                                          "asin",
                                          "asinh",
                                          "atanh",
                                          "cbrt",
                                          "ceil",
                                          "cosine",
                                          "cosh",
                                          "erf",
                                          "exponential",
                                          "exponential-minus-one",
                                          "floor",
                                          "log",
                                          "log-plus-one",
                                          "logistic",
                                          "negate",
                                          "round-nearest-afz",
                                          "round-nearest-even",
                                          "rsqrt",
                                          "sign",
                                          "sine",
                                          "sinh",
                                          "sqrt",
                                          "tan",
                                          "tanh"};
  const std::vector<std::string> binary = {"add",     "subtract", "multiply", "divide", "remainder",
                                           "maximum", "minimum",  "power",    "atan2"};
  int programs = 0;
  for (const PrimitiveType type : NarrowFloats()) {
    const Literal values = BitPatterns(type);
    const int64_t n = values.element_count();
    const auto check = [&](const std::string& body, const std::vector<Literal>& arguments) {
      const auto text = [&](PrimitiveType t) {
        return absl::StrReplaceAll("HloModule m\nENTRY e {\n" + body + "\n}", {{"$T", Name(t)}});
      };
      ASSERT_OK_AND_ASSIGN(const auto narrow, Parse(text(type)));
      if (!IsAllowed(*narrow)) return;
      ASSERT_OK_AND_ASSIGN(const auto wide, Parse(text(F32)));
      std::vector<Literal> widened;
      for (const Literal& argument : arguments) widened.push_back(argument.Convert(F32).value());
      ASSERT_OK_AND_ASSIGN(const Literal actual, RunModule(*narrow, arguments));
      ASSERT_OK_AND_ASSIGN(const Literal expected, RunModule(*wide, widened));
      ExpectSame(actual, ConvertAll(expected, F32, type), body + " of " + Name(type));
      ++programs;
    };
    std::vector<Literal> one;
    one.push_back(values.Clone());
    for (const std::string& op : unary) {
      check(absl::StrCat(" x = $T[", n, "] parameter(0)\n ROOT r = $T[", n, "] ", op, "(x)"), one);
    }
    check(absl::StrCat(" x = $T[", n, "] parameter(0)\n ROOT r = pred[", n, "] is-finite(x)"), one);

    // Every value with every other; of the 16-bit types a part.
    const int64_t m = std::min<int64_t>(n, 256), step = n / m;
    std::vector<Literal> two;
    two.push_back(Vector(type, m * m));
    two.push_back(Vector(type, m * m));
    for (int64_t i = 0; i < m * m; ++i) {
      ASSERT_OK(two[0].CopyElementFrom(values, {i / m * step}, {i}));
      ASSERT_OK(two[1].CopyElementFrom(values, {i % m * step}, {i}));
    }
    const std::string parameters = absl::StrCat(" x = $T[", m * m, "] parameter(0)\n y = $T[",
                                                m * m, "] parameter(1)\n ROOT r = ");
    for (const std::string& op : binary)
      check(absl::StrCat(parameters, "$T[", m * m, "] ", op, "(x, y)"), two);
    for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      check(absl::StrCat(parameters, "pred[", m * m, "] compare(x, y), direction=", direction),
            two);
    }
  }
  EXPECT_GE(programs, 13 * 40);
}

// Conversions of narrow floats to and from every real type go through their exact value.
TEST(InterpreterTypes, ConversionsOfFloats) {
  std::vector<PrimitiveType> targets = AllTypes();
  for (const PrimitiveType from : NarrowFloats()) {
    const Literal values = BitPatterns(from);
    std::vector<Literal> narrow, wide;
    narrow.push_back(values.Clone());
    wide.push_back(values.Convert(F64).value());
    for (const PrimitiveType to : targets) {
      const auto run = [&](PrimitiveType type, const std::vector<Literal>& arguments) {
        const std::string count = absl::StrCat("[", values.element_count(), "]");
        return RunModule(
            **Parse(absl::StrCat("HloModule m\nENTRY e {\n x = ", Name(type), count,
                                 " parameter(0)\n ROOT r = ", Name(to), count, " convert(x)\n}")),
            arguments);
      };
      ASSERT_OK_AND_ASSIGN(const Literal actual, run(from, narrow));
      ASSERT_OK_AND_ASSIGN(const Literal expected, run(F64, wide));
      ExpectSame(actual, expected, absl::StrCat(Name(from), " to ", Name(to)));
      ExpectSame(actual, values.Convert(to).value(), absl::StrCat(Name(from), " to ", Name(to)));
    }
  }
}

}  // namespace
}  // namespace xla
