// SPDX-License-Identifier: Apache-2.0
// Compares the functions of xla/cpu/codegen/math_*.h with the C library's in wider types.
#ifndef TESTS_CPU_MATH_ACCURACY_H_
#define TESTS_CPU_MATH_ACCURACY_H_

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/cpu/math_native.h"
#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_hyperbolic.h"
#include "xla/cpu/codegen/math_inverse.h"
#include "xla/cpu/codegen/math_power.h"
#include "xla/cpu/codegen/math_remainder.h"
#include "xla/cpu/codegen/math_trigonometric.h"

namespace xla::cpu::math {

struct FunctionF32 {
  const char* name;
  Float (*function)(const Float&);
  double (*exact)(double);
  double limit;  // units in the last place
};
struct FunctionF64 {
  const char* name;
  Double (*function)(const Double&);
  long double (*exact)(long double);
  double low, high;  // where samples lie, beside those of all magnitudes
  double limit = 2;  // units in the last place
};

inline double ExactLogistic(double x) { return 1 / (1 + std::exp(-x)); }
inline long double ExactLogisticLong(long double x) { return 1 / (1 + std::exp(-x)); }

inline long double ExactRsqrt(long double x) { return 1 / std::sqrt(x); }

inline constexpr FunctionF32 kFunctionsF32[] = {
    {"exp", ExpF32, std::exp, 1.1},
    {"expm1", Expm1F32, std::expm1, 1.5},
    {"log", LogF32, std::log, 0.9},
    {"log1p", Log1pF32, std::log1p, 0.9},
    {"sin", SinF32, std::sin, 1.2},
    {"cos", CosF32, std::cos, 1.2},
    {"tan", TanF32, std::tan, 1.2},
    {"asin", AsinF32, std::asin, 0.51},
    {"acos", AcosF32, std::acos, 0.51},
    {"tanh", TanhF32, std::tanh, 1.5},
    {"sinh", SinhF32, std::sinh, 0.51},
    {"cosh", CoshF32, std::cosh, 0.51},
    {"asinh", AsinhF32, std::asinh, 1.7},
    {"acosh", AcoshF32, std::acosh, 1.7},
    {"atan", AtanF32, std::atan, 1.2},
    {"exp, accurate", AccurateExpF32, std::exp, 0.8},
    {"atanh", AtanhF32, std::atanh, 0.51},
    {"erf", ErfF32, std::erf, 1.1},
    {"logistic", LogisticF32, ExactLogistic, 2.0},
    {"cbrt", CbrtF32, std::cbrt, 0.51},
};

inline constexpr FunctionF64 kFunctionsF64[] = {
    {"exp", ExpF64, std::exp, -745, 710},
    {"expm1", Expm1F64, std::expm1, -3, 3, 1},
    {"log", LogF64, std::log, 0, 4, 1},
    {"log1p", Log1pF64, std::log1p, -1, 2, 1},
    {"sin", SinF64, std::sin, -100, 100, 1},
    {"cos", CosF64, std::cos, -100, 100, 1},
    {"tanh", TanhF64, std::tanh, -3, 3},
    {"logistic", LogisticF64, ExactLogisticLong, -40, 40},
    {"erf", ErfF64, std::erf, -4, 4},
    {"tan", TanF64, std::tan, -100, 100, 1},
    {"sinh", SinhF64, std::sinh, -3, 3, 1},
    {"cosh", CoshF64, std::cosh, -711, 711, 1},
    {"asinh", AsinhF64, std::asinh, -3, 3},
    {"acosh", AcoshF64, std::acosh, 1, 4},
    {"atanh", AtanhF64, std::atanh, -1, 1, 1},
    {"cbrt", CbrtF64, std::cbrt, -8, 8, 1},
    {"asin", AsinF64, std::asin, -1, 1},
    {"acos", AcosF64, std::acos, -1, 1},
    {"atan", AtanF64, std::atan, -3, 3},
    {"exp, accurate", AccurateExpF64, std::exp, -745, 710, 0.8},
    {"tanh, accurate", AccurateTanhF64, std::tanh, -3, 3, 1},
    {"logistic, accurate", AccurateLogisticF64, ExactLogisticLong, -40, 40, 0.7},
    {"rsqrt, accurate", AccurateRsqrtF64, ExactRsqrt, 0, 4, 0.51},
};

struct FunctionOfPairsF64 {
  const char* opcode;
  Double (*function)(const Double&, const Double&);
  long double (*exact)(long double, long double);
  double limit;  // units in the last place
};

inline constexpr FunctionOfPairsF64 kFunctionsOfPairsF64[] = {
    {"power", PowF64, std::pow, 0.9},
    {"atan2", Atan2F64, std::atan2, 1.3},  // 0.6 where results are normal
    {"remainder", RemainderF64, std::fmod, 0},
};

struct Accuracy {
  double worst = 0, worst_at = 0;  // units in the last place
  int64_t wrong = 0;  // NaN, infinite or of the other sign, where the exact result is not
  double wrong_at = 0;
};

// `unit` is that of the last place of `exact`; `largest` rounds to infinity only beyond it.
inline void Compare(double x, double got, long double exact, long double rounded, long double unit,
                    Accuracy& accuracy) {
  const bool same_kind = std::isnan(rounded) == std::isnan(got) &&
                         (std::isnan(rounded) || std::signbit(rounded) == std::signbit(got));
  const auto off = static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
  if (!same_kind || (std::isinf(rounded) != std::isinf(got) && !(off < 2))) {
    if (accuracy.wrong++ == 0) accuracy.wrong_at = x;
  } else if (std::isfinite(rounded) && std::isfinite(got) && off > accuracy.worst) {
    accuracy.worst = off;
    accuracy.worst_at = x;
  }
}

// `got` is what a function of x gave, `exact` what it is.
inline void CompareF32(double exact, float x, float got, Accuracy& accuracy) {
  const int exponent =
      exact == 0 || !std::isfinite(exact) ? -126 : std::max(-126, std::min(127, std::ilogb(exact)));
  Compare(x, got, exact, static_cast<float>(exact), std::ldexp(1.0L, exponent - 23), accuracy);
}
inline void CompareF64(long double exact, double x, double got, Accuracy& accuracy) {
  const int exponent = exact == 0 || !std::isfinite(exact)
                           ? -1022
                           : std::max(-1022, std::min(1023, std::ilogb(exact)));
  Compare(x, got, exact, static_cast<double>(exact), std::ldexp(1.0L, exponent - 52), accuracy);
}
inline void CompareF32(const FunctionF32& f, float x, Accuracy& accuracy) {
  CompareF32(f.exact(x), x, f.function(Float{x}).v, accuracy);
}
inline void CompareF64(const FunctionF64& f, double x, Accuracy& accuracy) {
  CompareF64(f.exact(x), x, f.function(Double{x}).v, accuracy);
}

// Every `step`th float.
inline Accuracy MeasureF32(const FunctionF32& f, uint64_t step) {
  Accuracy accuracy;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += step)
    CompareF32(f, std::bit_cast<float>(static_cast<uint32_t>(bits)), accuracy);
  return accuracy;
}
// The same of `wide`, rounded, which is what the highest result_accuracy of f32 asks for.
inline Accuracy MeasureHighestF32(const FunctionF32& f, const FunctionF64& wide, uint64_t step) {
  Accuracy accuracy;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += step) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    CompareF32(f.exact(x), x, static_cast<float>(wide.function(Double{x}).v), accuracy);
  }
  return accuracy;
}
inline Accuracy MeasureF64(const FunctionF64& f, int64_t samples) {
  Accuracy accuracy;
  std::mt19937_64 random(1);
  for (int64_t i = 0; i < samples; ++i) {
    const uint64_t bits = random();
    const double fraction = static_cast<double>(bits >> 11) * 0x1p-53;
    CompareF64(f, i % 2 == 0 ? f.low + (f.high - f.low) * fraction : std::bit_cast<double>(bits),
               accuracy);
  }
  return accuracy;
}

inline constexpr std::array<double, 20> kSpecialNumbers = {
    0.0, -0.0, INFINITY, -INFINITY, NAN,      1.0,       -1.0,           0.5,    -0.5,   2.0, -2.0,
    3.0, -3.0, 88.8,     -104.2,    0x1p-149, -0x1p-149, 0x1.fffffep127, 0x1p30, -0x1p31};

// Pairs of special numbers, of any numbers, of moderate ones, of exponents with results of all
// magnitudes, and of numbers whose quotient is in reach of subnormal ones.
inline std::vector<std::pair<double, double>> PairsF64(int64_t samples) {
  std::vector<double> special(kSpecialNumbers.begin(), kSpecialNumbers.end());
  for (const double x : {0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 1 - 0x1p-53,
                         1 + 0x1p-52, 1024.0, -1074.0, 1e300, 1.0 / 3})
    special.push_back(x);
  std::vector<std::pair<double, double>> pairs;
  for (const double x : special) {
    for (const double y : special) pairs.emplace_back(x, y);
  }
  std::mt19937_64 random(3);
  const auto any = [&] { return std::bit_cast<double>(random()); };
  const auto near = [&] { return static_cast<double>(static_cast<int64_t>(random())) * 0x1p-60; };
  for (int64_t i = 0; i < samples; ++i) {
    pairs.emplace_back(any(), any());
    pairs.emplace_back(near(), near());
    pairs.emplace_back(1 + near() * 1e-10, near() * 1e10);
    const double base = std::fabs(any()), exponent = near() * 134 / std::log2(base);
    pairs.emplace_back(base, exponent);
    pairs.emplace_back(std::ldexp(near(), -1020), near());
    // Quotients that are integers, or nearly.
    const double divisor = near(), quotient = static_cast<double>(random() >> (11 + i % 53));
    const double product = divisor * quotient;
    pairs.emplace_back(product, divisor);
    pairs.emplace_back(std::nextafter(product, -INFINITY), divisor);
    pairs.emplace_back(std::ldexp(product, -1070), std::ldexp(divisor, -1070));
  }
  return pairs;
}

}  // namespace xla::cpu::math

#endif  // TESTS_CPU_MATH_ACCURACY_H_
