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

#include "absl/functional/function_ref.h"
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

Long Log1p(Long z) {
  const long double x = z.real(), y = z.imag();
  // |1 + z|^2 - 1, rounded once.
  const long double above_one = std::fma(x, x + 2, y * y);
  const long double log =
      std::abs(above_one) < 0.5L ? std::log1p(above_one) / 2 : std::log(std::hypot(1 + x, y));
  return {log, std::atan2(y, 1 + x)};
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
    {"log-plus-one", Log1p},
    {"asin", [](Long z) { return std::asin(z); }},
    {"acos", [](Long z) { return std::acos(z); }},
    {"asinh", [](Long z) { return std::asinh(z); }},
    {"acosh", [](Long z) { return std::acosh(z); }},
    {"atanh", [](Long z) { return std::atanh(z); }},
};

std::unique_ptr<HloModule> ModuleOf(const std::string& opcode, size_t count,
                                    bool is_binary = false) {
  const std::string shape = absl::StrCat("c64[", count, "]");
  auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\n\nENTRY main {\n  x = ", shape, " parameter(0)\n",
                   is_binary ? absl::StrCat("  y = ", shape, " parameter(1)\n") : "",
                   "  ROOT z = ", shape, " ", opcode, is_binary ? "(x, y)" : "(x)", "\n}\n"));
  EXPECT_OK(module.status());
  return *std::move(module);
}

std::vector<complex64> Values(const Literal& literal) {
  const auto data = literal.data<complex64>();
  return std::vector<complex64>(data.begin(), data.end());
}

// Numbers of all magnitudes that functions with poles and exponentials can take, and some that lie
// near the unit circle, that around -1, 1 and -1, zeros of sines and poles of logistic functions.
std::vector<complex64> UsualNumbers() {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal(0, 2);
  std::uniform_real_distribution<float> angles(-3.14159f, 3.14159f), exponents(-60, 5);
  std::vector<complex64> values;
  while (values.size() < 20000) {
    values.emplace_back(normal(random), normal(random));
    const float angle = angles(random);
    values.emplace_back(std::cos(angle), std::sin(angle));
    values.emplace_back(std::cos(angle) - 1, std::sin(angle));
    values.emplace_back(std::copysign(1 + normal(random) * 1e-5f, normal(random)),
                        std::copysign(std::exp2(exponents(random)), normal(random)));
    values.emplace_back(std::copysign(std::exp2(exponents(random)), normal(random)),
                        std::copysign(std::exp2(exponents(random)), normal(random)));
    values.emplace_back(std::copysign(std::exp2(exponents(random)), normal(random)),
                        3.14159265f + normal(random) * 1e-4f);
  }
  return values;
}

void ExpectParts(const char* opcode, double limit, const std::vector<complex64>& x,
                 const std::vector<complex64>& y, absl::FunctionRef<Long(size_t)> exact_at) {
  for (const bool imaginary : {false, true}) {
    Accuracy worst;
    for (size_t i = 0; i < x.size(); ++i) {
      const Long exact = exact_at(i);
      const auto part = static_cast<double>(imaginary ? exact.imag() : exact.real());
      // Numbers of the samples, by their place.
      CompareF32(part, static_cast<float>(i), imaginary ? y[i].imag() : y[i].real(), worst);
    }
    const auto at = [&](double i) { return x[static_cast<size_t>(i)]; };
    EXPECT_LE(worst.worst, limit) << opcode << " of " << at(worst.worst_at)
                                  << ", imaginary: " << imaginary;
    EXPECT_EQ(worst.wrong, 0) << opcode << " of " << at(worst.wrong_at)
                              << ", imaginary: " << imaginary;
  }
}

TEST(ComplexMathTest, PartsAreWithinUnitsInTheLastPlace) {
  const std::vector<complex64> x = UsualNumbers();
  const Literal argument = LiteralUtil::CreateR1<complex64>(x);
  for (const Function& function : kFunctions) {
    const auto module = ModuleOf(function.opcode, x.size());
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
    ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&argument}));
    ExpectParts(function.opcode, function.limit, x, Values(result),
                [&](size_t i) { return function.exact(Long(x[i].real(), x[i].imag())); });
  }
}

// Of e^(y log x).
TEST(ComplexMathTest, PartsOfPowersAreWithinUnitsInTheLastPlace) {
  std::vector<complex64> x = UsualNumbers(), y;
  std::mt19937_64 random(8);
  std::normal_distribution<float> normal(0, 2);
  for (size_t i = 0; i < x.size(); ++i) y.emplace_back(normal(random), i % 3 ? normal(random) : 0);
  const Literal a = LiteralUtil::CreateR1<complex64>(x), b = LiteralUtil::CreateR1<complex64>(y);
  const auto module = ModuleOf("power", x.size(), true);
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&a, &b}));
  ExpectParts("power", 0.6, x, Values(result), [&](size_t i) {
    const Long base(x[i].real(), x[i].imag()), exponent(y[i].real(), y[i].imag());
    return std::exp(exponent * std::log(base));
  });
}

// Of functions of one operand, in `x`, or of two.
void ExpectInterpreted(const char* opcode, const std::vector<complex64>& x,
                       const std::vector<complex64>* y = nullptr) {
  const auto module = ModuleOf(opcode, x.size(), y != nullptr);
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  std::vector<Literal> literals;
  literals.push_back(LiteralUtil::CreateR1<complex64>(x));
  if (y != nullptr) literals.push_back(LiteralUtil::CreateR1<complex64>(*y));
  std::vector<const Literal*> arguments;
  for (const Literal& literal : literals) arguments.push_back(&literal);
  ASSERT_OK_AND_ASSIGN(const Literal result, program->Run(arguments));
  ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(*module, arguments));
  const std::vector<complex64> got = Values(result), want = Values(expected);
  const auto same = [&](float a, float b) {
    if (std::isnan(b) || std::isnan(a)) return std::isnan(b) && std::isnan(a);
    if (std::signbit(b) != std::signbit(a)) return false;
    return std::abs(int64_t{std::bit_cast<int32_t>(a)} - int64_t{std::bit_cast<int32_t>(b)}) <= 2;
  };
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(same(got[i].real(), want[i].real()) && same(got[i].imag(), want[i].imag()))
        << opcode << " of " << x[i] << (y == nullptr ? complex64() : (*y)[i]) << ": " << got[i]
        << ", interpreted " << want[i];
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
  for (const Function& function : kFunctions) ExpectInterpreted(function.opcode, x);
  // All pairs of these numbers by turns.
  const size_t count = x.size();
  std::vector<complex64> a, b;
  for (size_t turn = 0; turn < count; turn += 5) {
    for (size_t i = 0; i < count; ++i) {
      // The interpreter's log |z| is zero where |z| is nearly 1.
      const float size = std::abs(x[i]), parts = std::abs(x[i].real()) + std::abs(x[i].imag());
      if (size == 1 && parts == 1 && x[i].real() != 0 && x[i].imag() != 0) continue;
      a.push_back(x[i]), b.push_back(x[(i + turn) % count]);
    }
  }
  ExpectInterpreted("power", a, &b);
}

}  // namespace
}  // namespace xla::cpu::math
