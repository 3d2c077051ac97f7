// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers as generated code: within units in the last place of each part, and
// special values as the interpreter has them.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/cpu/math_accuracy.h"
#include "tests/test_util.h"
#include "xla/base/instruction_set.h"
#include "xla/base/machine.h"
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

// |z|^2 - 1 of numbers near 1 with all bits of the squares.
Long Log(Long z) {
  long double x = std::abs(z.real()), y = std::abs(z.imag());
  if (x < y) std::swap(x, y);
  const long double first = x * x, second = y * y;
  const long double low = std::fma(x, x, -first) + std::fma(y, y, -second);
  const long double above_one = ((first - 1) + second) + low;
  return {std::abs(above_one) < 0.5L ? std::log1p(above_one) / 2 : std::log(std::hypot(x, y)),
          std::arg(z)};
}

// |1 + z|^2 - 1 likewise: (1 + x)^2 - 1 + y^2 where 1 + x is exact, else x^2 + 2 x + y^2.
Long Log1p(Long z) {
  const long double x = z.real(), y = z.imag();
  if (x < -0.5L) return Log(Long(1 + x, y));
  long double sum = 2 * x, low = 0;
  for (const long double part : {x, y}) {
    const long double square = part * part, next = sum + square, back = next - sum;
    low += (sum - (next - back)) + (square - back) + std::fma(part, part, -square);
    sum = next;
  }
  return {std::log1p(sum + low) / 2, std::atan2(y, 1 + x)};
}

struct Function {
  const char* opcode;
  Long (*exact)(Long);
  double limit = 0.6;  // units in the last place of a part
};

constexpr Function kFunctionsC64[] = {
    {"exponential", [](Long z) { return std::exp(z); }},
    {"exponential-minus-one", Expm1},
    {"log", Log},
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

constexpr Function kFunctionsC128[] = {
    {"exponential", [](Long z) { return std::exp(z); }, 1},
    {"log", Log, 1.5},
    {"sqrt", [](Long z) { return std::sqrt(z); }, 0.8},
    {"rsqrt", [](Long z) { return std::conj(std::sqrt(z)) / std::abs(z); }, 0.8},
    {"sign", [](Long z) { return z / std::abs(z); }, 0.8},
    {"exponential-minus-one", Expm1, 2},
    {"log-plus-one", Log1p, 1.5},
    {"asin", [](Long z) { return std::asin(z); }, 1.6},
    {"acos", [](Long z) { return std::acos(z); }, 1.6},
    {"asinh", [](Long z) { return std::asinh(z); }, 1.6},
    {"acosh", [](Long z) { return std::acosh(z); }, 1.6},
    {"atanh", [](Long z) { return std::atanh(z); }, 1.6},
    {"sine", [](Long z) { return std::sin(z); }, 1},
    {"cosine", [](Long z) { return std::cos(z); }, 1},
    {"tan", [](Long z) { return std::tan(z); }, 1.2},
    {"tanh", [](Long z) { return std::tanh(z); }, 1.2},
    {"sinh", [](Long z) { return std::sinh(z); }, 1},
    {"cosh", [](Long z) { return std::cosh(z); }, 1},
};

template <typename T>
constexpr const char* kType = std::is_same_v<T, float> ? "c64" : "c128";

template <typename T>
std::unique_ptr<HloModule> ModuleOf(const std::string& opcode, size_t count,
                                    bool is_binary = false) {
  const std::string shape = absl::StrCat(kType<T>, "[", count, "]");
  auto module = ParseAndReturnUnverifiedModule(
      absl::StrCat("HloModule m\n\nENTRY main {\n  x = ", shape, " parameter(0)\n",
                   is_binary ? absl::StrCat("  y = ", shape, " parameter(1)\n") : "",
                   "  ROOT z = ", shape, " ", opcode, is_binary ? "(x, y)" : "(x)", "\n}\n"));
  EXPECT_OK(module.status());
  return *std::move(module);
}

template <typename T>
using Numbers = std::vector<std::complex<T>>;

// The opcode on one or two operands, by generated code and by the interpreter.
template <typename T>
struct Results {
  Numbers<T> compiled, interpreted;
};
template <typename T>
Results<T> ResultsOf(const char* opcode, const Numbers<T>& x, const Numbers<T>* y = nullptr) {
  const auto module = ModuleOf<T>(opcode, x.size(), y != nullptr);
  std::vector<Literal> literals;
  literals.push_back(LiteralUtil::CreateR1<std::complex<T>>(x));
  if (y != nullptr) literals.push_back(LiteralUtil::CreateR1<std::complex<T>>(*y));
  std::vector<const Literal*> arguments;
  for (const Literal& literal : literals) arguments.push_back(&literal);
  const auto program = CpuProgram::Compile(*module);
  if (!program.ok()) ADD_FAILURE() << program.status();
  if (!program.ok()) return {};
  const auto compiled = (*program)->Run(arguments), interpreted = Interpret(*module, arguments);
  if (!compiled.ok() || !interpreted.ok()) ADD_FAILURE() << opcode;
  if (!compiled.ok() || !interpreted.ok()) return {};
  const auto values = [](const Literal& literal) {
    const auto data = literal.data<std::complex<T>>();
    return Numbers<T>(data.begin(), data.end());
  };
  return {values(*compiled), values(*interpreted)};
}

// Numbers of all magnitudes that functions with poles and exponentials can take, and some that lie
// near the unit circle, that around -1, 1 and -1, zeros of sines and poles of logistic functions.
template <typename T>
Numbers<T> UsualNumbers() {
  std::mt19937_64 random(7);
  std::normal_distribution<T> normal(0, 2);
  std::uniform_real_distribution<T> angles(-3.14159f, 3.14159f), exponents(-60, 5);
  Numbers<T> values;
  const auto small = [&] { return std::copysign(std::exp2(exponents(random)), normal(random)); };
  while (values.size() < 20000) {
    values.emplace_back(normal(random), normal(random));
    const T angle = angles(random);
    values.emplace_back(std::cos(angle), std::sin(angle));
    values.emplace_back(std::cos(angle) - 1, std::sin(angle));
    values.emplace_back(std::copysign(1 + normal(random) * T{1e-5f}, normal(random)), small());
    values.emplace_back(small(), small());
    values.emplace_back(small(), T{3.14159265f} + normal(random) * T{1e-4f});
  }
  return values;
}

// Of parts that are not less than `least_part` of the absolute value.
template <typename T>
void ExpectParts(const char* opcode, double limit, const Numbers<T>& x, const Numbers<T>& y,
                 absl::FunctionRef<Long(size_t)> exact_at, long double least_part = 0) {
  ASSERT_EQ(x.size(), y.size());
  for (const bool imaginary : {false, true}) {
    Accuracy worst;
    for (size_t i = 0; i < x.size(); ++i) {
      const Long exact = exact_at(i);
      const long double part = imaginary ? exact.imag() : exact.real();
      if (std::abs(part) < least_part * std::abs(exact)) continue;
      const T got = imaginary ? y[i].imag() : y[i].real();
      // Numbers of the samples, by their place.
      if constexpr (std::is_same_v<T, float>) {
        CompareF32(static_cast<double>(part), static_cast<float>(i), got, worst);
      } else {
        CompareF64(part, static_cast<double>(i), got, worst);
      }
    }
    const auto at = [&](double i) { return x[static_cast<size_t>(i)]; };
    EXPECT_LE(worst.worst, limit) << opcode << " of " << kType<T> << at(worst.worst_at)
                                  << ", imaginary: " << imaginary;
    EXPECT_EQ(worst.wrong, 0) << opcode << " of " << kType<T> << at(worst.wrong_at)
                              << ", imaginary: " << imaginary;
  }
}

template <typename T>
void ExpectAccurate(absl::Span<const Function> functions) {
  const Numbers<T> x = UsualNumbers<T>();
  for (const Function& function : functions) {
    ExpectParts<T>(function.opcode, function.limit, x, ResultsOf(function.opcode, x).compiled,
                   [&](size_t i) { return function.exact(Long(x[i].real(), x[i].imag())); });
  }
}
TEST(ComplexMathTest, PartsOfF32AreWithinUnitsInTheLastPlace) {
  ExpectAccurate<float>(kFunctionsC64);
}
TEST(ComplexMathTest, PartsOfF64AreWithinUnitsInTheLastPlace) {
  ExpectAccurate<double>(kFunctionsC128);
}

// Functions of the run, which generated code calls there.
TEST(ComplexMathTest, PartsOfF64AreAccurateWithoutFusedMultiplyAdd) {
  const ScopedMaxInstructionSet bound(InstructionSet::kSse42);
  ExpectAccurate<double>(kFunctionsC128);
}

// Of e^(y log x).
template <typename T>
void ExpectAccuratePowers(double limit) {
  const Numbers<T> x = UsualNumbers<T>();
  Numbers<T> y;
  std::mt19937_64 random(8);
  std::normal_distribution<T> normal(0, 2);
  for (size_t i = 0; i < x.size(); ++i) y.emplace_back(normal(random), i % 3 ? normal(random) : 0);
  const auto exact = [&](size_t i) {
    const Long base(x[i].real(), x[i].imag()), exponent(y[i].real(), y[i].imag());
    return std::exp(exponent * Log(base));
  };
  // The angle of long double is known to 2^-61.
  const bool is_f64 = std::is_same_v<T, double>;
  ExpectParts<T>("power", limit, x, ResultsOf("power", x, &y).compiled, exact,
                 is_f64 ? 0x1p-8L : 0);
}
TEST(ComplexMathTest, PartsOfPowersAreWithinUnitsInTheLastPlace) {
  ExpectAccuratePowers<float>(0.6);
  ExpectAccuratePowers<double>(2);
}

// a c + b d, whose terms may cancel (W. Kahan).
long double SumOfProducts(long double a, long double c, long double b, long double d) {
  const long double product = b * d;
  return std::fma(a, c, product) + std::fma(b, d, -product);
}

TEST(ComplexMathTest, PartsOfQuotientsAreWithinAUnitInTheLastPlace) {
  const Numbers<double> x = UsualNumbers<double>(), y(x.rbegin(), x.rend());
  ExpectParts<double>("divide", 0.6, x, ResultsOf("divide", x, &y).compiled, [&](size_t i) {
    const long double a = x[i].real(), b = x[i].imag(), c = y[i].real(), d = y[i].imag();
    const long double square = SumOfProducts(c, c, d, d);
    return Long(SumOfProducts(a, c, b, d) / square, SumOfProducts(b, c, -a, d) / square);
  });
}

TEST(ComplexMathTest, AbsOfF64IsWithinAUnitInTheLastPlace) {
  Numbers<double> x = UsualNumbers<double>();
  // Squares that overflow or vanish.
  for (size_t i = 0; i < x.size(); i += 3) x[i] *= std::ldexp(1.0, i % 2 == 0 ? 1015 : -1060);
  const std::string shape = absl::StrCat("[", x.size(), "]");
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseAndReturnUnverifiedModule(
                           absl::StrCat("HloModule m\n\nENTRY main {\n  x = c128", shape,
                                        " parameter(0)\n  ROOT y = f64", shape, " abs(x)\n}\n")));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module));
  const Literal argument = LiteralUtil::CreateR1<complex128>(x);
  ASSERT_OK_AND_ASSIGN(const Literal result, program->Run({&argument}));
  Accuracy worst;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = std::hypot(static_cast<long double>(x[i].real()), x[i].imag());
    CompareF64(exact, static_cast<double>(i), result.data<double>()[i], worst);
  }
  EXPECT_LE(worst.worst, 1);
  EXPECT_EQ(worst.wrong, 0);
}

// Of functions of one operand, in `x`, or of two.
template <typename T>
void ExpectInterpreted(const char* opcode, const Numbers<T>& x, const Numbers<T>* y = nullptr) {
  const auto [got, want] = ResultsOf(opcode, x, y);
  ASSERT_EQ(got.size(), x.size());
  using Bits = std::conditional_t<std::is_same_v<T, float>, int32_t, int64_t>;
  const auto same = [&](T a, T b) {
    if (std::isnan(b) || std::isnan(a)) return std::isnan(b) && std::isnan(a);
    if (std::signbit(b) != std::signbit(a)) return false;
    return std::abs(int64_t{std::bit_cast<Bits>(a)} - int64_t{std::bit_cast<Bits>(b)}) <= 2;
  };
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_TRUE(same(got[i].real(), want[i].real()) && same(got[i].imag(), want[i].imag()))
        << opcode << " of " << kType<T> << x[i] << (y == nullptr ? std::complex<T>() : (*y)[i])
        << ": " << got[i] << ", interpreted " << want[i];
  }
}

// All pairs of special numbers, alone and beside usual numbers, in vectors and in the elements
// after the last one.
template <typename T>
Numbers<T> SpecialNumbers() {
  Numbers<T> x;
  for (const double re : kSpecialNumbers) {
    for (const double im : kSpecialNumbers) {
      x.emplace_back(static_cast<T>(re), static_cast<T>(im));
      if (x.size() % 7 == 0) x.emplace_back(T{0.5}, static_cast<T>(re));
    }
  }
  return x;
}

template <typename T>
void ExpectPowersInterpreted(const Numbers<T>& x) {
  // All pairs of these numbers by turns.
  const size_t count = x.size();
  Numbers<T> a, b;
  for (size_t turn = 0; turn < count; turn += 5) {
    for (size_t i = 0; i < count; ++i) {
      // The interpreter's log |z| is zero where |z| is nearly 1.
      const T size = std::abs(x[i]), parts = std::abs(x[i].real()) + std::abs(x[i].imag());
      if (size == 1 && parts == 1 && x[i].real() != 0 && x[i].imag() != 0) continue;
      a.push_back(x[i]), b.push_back(x[(i + turn) % count]);
    }
  }
  ExpectInterpreted("power", a, &b);
}

TEST(ComplexMathTest, SpecialValuesAreTheInterpreters) {
  const Numbers<float> x = SpecialNumbers<float>();
  for (const Function& function : kFunctionsC64) ExpectInterpreted(function.opcode, x);
  ExpectPowersInterpreted(x);
}

TEST(ComplexMathTest, SpecialValuesOfF64AreTheInterpreters) {
  Numbers<double> x = SpecialNumbers<double>();
  ExpectPowersInterpreted(x);
  for (const double re : {1e-310, 1e308, 1e-200, -1e200, 710.0, -745.0}) {
    for (const double im : {0.0, 1e-310, -1e308, 1e-200, 1.0, 1e7}) {
      x.emplace_back(re, im);
      x.emplace_back(im, re);
    }
  }
  for (const Function& function : kFunctionsC128) ExpectInterpreted(function.opcode, x);
}

// Pairs of numbers need fused multiply-adds; elsewhere the library's functions are called.
TEST(ComplexMathTest, FunctionsOfC128AreCodeWhereThereIsFma) {
  if (!MachineOfThread().fma) GTEST_SKIP() << "the machine has no fused multiply-add";
  for (const char* opcode : {"exponential", "sqrt", "tanh"}) {
    SCOPED_TRACE(opcode);
    ASSERT_OK_AND_ASSIGN(
        const auto module,
        ParseAndReturnUnverifiedModule(absl::StrCat(
            "HloModule m\nENTRY e {\n  x = c128[100] parameter(0)\n  ROOT y = c128[100] ", opcode,
            "(x)\n}\n")));
    CpuCompileOptions options;
    options.keep_llvm = true;
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module, options));
    EXPECT_TRUE(absl::StrContains(program->llvm_text(), "llvm.fma"));
  }
}

}  // namespace
}  // namespace xla::cpu::math
