// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers of f32 over a type of lanes (math_exp_log.h). They are computed in
// f64, where squares of f32 neither overflow nor vanish and their products are exact: parts are
// rounded once or twice more than a real function's result.
#ifndef XLA_CPU_CODEGEN_MATH_COMPLEX_H_
#define XLA_CPU_CODEGEN_MATH_COMPLEX_H_

#include <utility>

#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_hyperbolic.h"
#include "xla/cpu/codegen/math_trigonometric.h"

namespace xla::cpu::math {

// Lanes of f64; where `is_usual` is false the rules of C's Annex G apply instead.
template <class F>
struct ComplexF64 {
  F re, im;
  decltype(std::declval<F>() < std::declval<F>()) is_usual;
};

template <class F>
auto AreFinite(const F& x, const F& y) {
  return (Abs(x) < Infinity(x)) & (Abs(y) < Infinity(x));
}

template <class F>
ComplexF64<F> QuotientF64(const F& a, const F& b, const F& c, const F& d) {
  const F square = Fma(c, c, d * d);
  const F re = Fma(a, c, b * d) / square, im = Fma(b, c, -(a * d)) / square;
  return {re, im, (Like(square, 0) < square) & AreFinite(square, square) & AreFinite(re, im)};
}

// Beyond, the square of e^|x| may be infinite.
inline constexpr double kLargestExponent = 300;

template <class F>
ComplexF64<F> ComplexExpF64(const F& x, const F& y) {
  const F scale = ExpF64(x);
  return {scale * CosF64(y), scale * SinF64(y),
          (Abs(x) < Like(x, kLargestExponent)) & (Abs(y) < Infinity(y))};
}

// expm1(x) cos y - 2 sin^2(y/2), e^x sin y: no cancellation near 0.
template <class F>
ComplexF64<F> ComplexExpm1F64(const F& x, const F& y) {
  const F half_sine = SinF64(Like(y, 0.5) * y);
  return {Fma(Expm1F64(x), CosF64(y), -(half_sine * (half_sine + half_sine))),
          ExpF64(x) * SinF64(y), (Abs(x) < Like(x, kLargestExponent)) & (Abs(y) < Infinity(y))};
}

// The magnitude of numbers that are not finite: infinite, even if the other part is NaN.
template <class F>
F InfiniteMagnitude(const F& x, const F& y) {
  const auto is_infinite = (Abs(x) == Infinity(x)) | (Abs(y) == Infinity(x));
  return Select(is_infinite, Infinity(x), NaN(x));
}

// log |z| of finite numbers: where |z| is near 1, the logarithm of the rounded square and what
// rounding took away.
template <class F>
F LogOfMagnitudeF64(const F& x, const F& y) {
  const F one = Like(x, 1), square = Fma(x, x, y * y);
  const auto is_x_larger = Abs(x) > Abs(y);
  const F larger = Abs(Select(is_x_larger, x, y)), smaller = Select(is_x_larger, y, x);
  // Both products are exact.
  const F above_one = Fma(smaller, smaller, (larger - one) * (larger + one));
  const auto is_near = Abs(above_one) < Like(x, 0.5);
  const F sum = Select(is_near, above_one + one, square);
  const F rest = Select(is_near, (above_one - (sum - one)) / sum, Like(x, 0));
  return Like(x, 0.5) * (LogF64(sum) + rest);
}

template <class F>
ComplexF64<F> ComplexSqrtF64(const F& x, const F& y) {
  const F half = Like(x, 0.5);
  const F larger = Sqrt(half * (Sqrt(Fma(x, x, y * y)) + Abs(x)));
  const F smaller = half * y / larger;
  const auto is_negative = x < Like(x, 0);
  return {Select(is_negative, Abs(smaller), larger),
          Select(is_negative, FlipSign(larger, y), smaller),
          AreFinite(x, y) & (larger > Like(x, 0))};
}

template <class F>
ComplexF64<F> ComplexRsqrtF64(const F& x, const F& y) {
  const ComplexF64<F> root = ComplexSqrtF64(x, y);
  const F square = Fma(root.re, root.re, root.im * root.im);
  return {root.re / square, -root.im / square, root.is_usual};
}

template <class F>
struct SinhCosh {
  F sinh, cosh;
};
// For numbers up to kLargestExponent.
template <class F>
SinhCosh<F> SinhCoshF64(const F& x) {
  const F size = Abs(x), limit = Like(x, kLargestExponent);
  const SinhCoshPairs<F> halves = HalvesOfSinhCoshF64(Select(size > limit, limit, size));
  const F sinh = halves.sinh.high + halves.sinh.high;
  return {FlipSign(sinh, x), halves.cosh.high + halves.cosh.high};
}

template <class F>
ComplexF64<F> ComplexSinF64(const F& x, const F& y) {
  const SinhCosh<F> h = SinhCoshF64(y);
  return {SinF64(x) * h.cosh, CosF64(x) * h.sinh,
          (Abs(y) < Like(y, kLargestExponent)) & (Abs(x) < Infinity(x))};
}
template <class F>
ComplexF64<F> ComplexCosF64(const F& x, const F& y) {
  const SinhCosh<F> h = SinhCoshF64(y);
  return {CosF64(x) * h.cosh, -(SinF64(x) * h.sinh),
          (Abs(y) < Like(y, kLargestExponent)) & (Abs(x) < Infinity(x))};
}
template <class F>
ComplexF64<F> ComplexSinhF64(const F& x, const F& y) {
  const SinhCosh<F> h = SinhCoshF64(x);
  return {h.sinh * CosF64(y), h.cosh * SinF64(y),
          (Abs(x) < Like(x, kLargestExponent)) & (Abs(y) < Infinity(y))};
}
template <class F>
ComplexF64<F> ComplexCoshF64(const F& x, const F& y) {
  const SinhCosh<F> h = SinhCoshF64(x);
  return {h.cosh * CosF64(y), h.sinh * SinF64(y),
          (Abs(x) < Like(x, kLargestExponent)) & (Abs(y) < Infinity(y))};
}

// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), whose denominator does not cancel.
template <class F>
ComplexF64<F> ComplexTanhF64(const F& x, const F& y) {
  const SinhCosh<F> h = SinhCoshF64(x);
  const F sine = SinF64(y), cosine = CosF64(y);
  const F square = Fma(h.sinh, h.sinh, cosine * cosine);
  return {h.sinh * h.cosh / square, sine * cosine / square,
          (Abs(x) < Like(x, kLargestExponent)) & (Abs(y) < Infinity(y))};
}
template <class F>
ComplexF64<F> ComplexTanF64(const F& x, const F& y) {
  const ComplexF64<F> turned = ComplexTanhF64(-y, x);
  return {turned.im, -turned.re, turned.is_usual};
}

// 1 / (1 + e^-z), where 1 + e^-x cos y = expm1(-x) cos y + 2 cos^2(y/2) is exact near poles.
template <class F>
ComplexF64<F> ComplexLogisticF64(const F& x, const F& y) {
  const F half_cosine = CosF64(Like(y, 0.5) * y), sine = ExpF64(-x) * SinF64(y);
  const F re = Fma(Expm1F64(-x), CosF64(y), half_cosine * (half_cosine + half_cosine));
  const F square = Fma(re, re, sine * sine);
  return {re / square, sine / square,
          (Abs(x) < Like(x, kLargestExponent)) & (Abs(y) < Infinity(y)) & (square > Like(x, 0))};
}

// z / |z|
template <class F>
ComplexF64<F> ComplexSignF64(const F& x, const F& y) {
  const F magnitude = Sqrt(Fma(x, x, y * y));
  return {x / magnitude, y / magnitude, AreFinite(x, y) & (magnitude > Like(x, 0))};
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_COMPLEX_H_
