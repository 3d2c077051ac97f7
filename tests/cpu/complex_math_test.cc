// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers of f32 as generated code: within a unit in the last place of each
// part, and special values as the interpreter has them.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/cpu/math_accuracy.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"

namespace xla::cpu::math {
namespace {

using Long = std::complex<long double>;

Long Expm1(Long z) {
  const long double sine = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * sine * sine,
          std::exp(z.real()) * std::sin(z.imag())};
}

Long Logistic(Long z) {
  const long double x = z.real(), y = z.imag(), cosine = std::cos(y / 2);
  return 1.0L /
         Long(std::expm1(-x) * std::cos(y) + 2 * cosine * cosine, -std::exp(-x) * std::sin(y));
}

struct Function {
  const char* opcode;
  Long (*exact)(Long);
  double limit = 0.6;  // units in the last place of a part
};

constexpr Function kFunctions[] = {
    {"exponential", [](Long z) { return std::exp(z); }},
    {"exponential-minus-one", Expm1},
    {"log", [](Long z) { return std::log(z); }, 2},  // the angle is computed in f32
    {"sqrt", [](Long z) { return std::sqrt(z); }},
    {"rsqrt", [](Long z) { return 1.0L / std::sqrt(z); }},
    {"sine", [](Long z) { return std::sin(z); }},
    {"cosine", [](Long z) { return std::cos(z); }},
    {"tan", [](Long z) { return std::tan(z); }},
    {"tanh", [](Long z) { return std::tanh(z); }},
    {"sinh", [](Long z) { return std::sinh(z); }},
    {"cosh", [](Long z) { return std::cosh(z); }},
    {"logistic", Logistic},
    {"sign", [](Long z) { return z / std::abs(z); }},
};

std::unique_ptr<HloModule> ModuleOf(const std::string& opcode, size_t count) {
  const std::string shape = absl::StrCat("c64[", count, "]");
  auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\n\nENTRY main {\n  x = ", shape,
                   " parameter(0)\n  ROOT y = ", shape, " ", opcode, "(x)\n}\n"));
  EXPECT_OK(module.status());
  return *std::move(module);
}

std::vector<complex64> Values(const Literal& literal) {
  const auto data = literal.data<complex64>();
  return std::vector<complex64>(data.begin(), data.end());
}

// Numbers of all magnitudes that functions with poles and exponentials can take, and some that lie
// near the unit circle, near zeros of sines and near poles of logistic functions.
std::vector<complex64> UsualNumbers() {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal(0, 2);
  std::uniform_real_distribution<float> angles(-3.14159f, 3.14159f), exponents(-60, 5);
  std::vector<complex64> values;
  while (values.size() < 20000) {
    values.emplace_back(normal(random), normal(random));
    const float angle = angles(random);
    values.emplace_back(std::cos(angle), std::sin(angle));
    values.emplace_back(std::copysign(std::exp2(exponents(random)), normal(random)),
                        std::copysign(std::exp2(exponents(random)), normal(random)));
    values.emplace_back(std::copysign(std::exp2(exponents(random)), normal(random)),
                        3.14159265f + normal(random) * 1e-4f);
  }
  return values;
}

TEST(ComplexMathTest, PartsAreWithinUnitsInTheLastPlace) {
  const std::vector<complex64> x = UsualNumbers();
  const Literal argument = LiteralUtil::CreateR1<complex64>(x);
  for (const Function& function : kFunctions) {
    const auto module = ModuleOf(function.opcode, x.size());
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&argument}));
    const std::vector<complex64> y = Values(result);
    for (const bool imaginary : {false, true}) {
      Accuracy worst;
      for (size_t i = 0; i < x.size(); ++i) {
        const Long exact = function.exact(Long(x[i].real(), x[i].imag()));
        const auto part = static_cast<double>(imaginary ? exact.imag() : exact.real());
        // Numbers of the samples, by their place.
        CompareF32(part, static_cast<float>(i), imaginary ? y[i].imag() : y[i].real(), worst);
      }
      const auto at = [&](double i) { return x[static_cast<size_t>(i)]; };
      EXPECT_LE(worst.worst, function.limit)
          << function.opcode << " of " << at(worst.worst_at) << ", imaginary: " << imaginary;
      EXPECT_EQ(worst.wrong, 0) << function.opcode << " of " << at(worst.wrong_at)
                                << ", imaginary: " << imaginary;
    }
  }
}

// Alone and beside usual numbers, in vectors and in the elements after the last one.
TEST(ComplexMathTest, SpecialValuesAreTheInterpreters) {
  std::vector<complex64> x;
  for (const double re : kSpecialNumbers) {
    for (const double im : kSpecialNumbers) {
      x.emplace_back(static_cast<float>(re), static_cast<float>(im));
      if (x.size() % 7 == 0) x.emplace_back(0.5f, static_cast<float>(re));
    }
  }
  const Literal argument = LiteralUtil::CreateR1<complex64>(x);
  for (const Function& function : kFunctions) {
    const auto module = ModuleOf(function.opcode, x.size());
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&argument}));
    ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*module, {&argument}));
    const std::vector<complex64> y = Values(result), z = Values(expected);
    for (size_t i = 0; i < x.size(); ++i) {
      const auto same = [&](float got, float want) {
        if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
        if (std::signbit(want) != std::signbit(got)) return false;
        return std::abs(int64_t{std::bit_cast<int32_t>(got)} -
                        int64_t{std::bit_cast<int32_t>(want)}) <= 2;
      };
      EXPECT_TRUE(same(y[i].real(), z[i].real()) && same(y[i].imag(), z[i].imag()))
          << function.opcode << " of " << x[i] << ": " << y[i] << ", interpreted " << z[i];
    }
  }
}

}  // namespace
}  // namespace xla::cpu::math
