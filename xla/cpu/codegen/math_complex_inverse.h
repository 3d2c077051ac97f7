// SPDX-License-Identifier: Apache-2.0
// Logarithms, powers, roots and inverse functions of complex numbers of f32 over a type of lanes,
// in f64 (math_complex.h).
#ifndef XLA_CPU_CODEGEN_MATH_COMPLEX_INVERSE_H_
#define XLA_CPU_CODEGEN_MATH_COMPLEX_INVERSE_H_

#include "xla/cpu/codegen/math_complex.h"
#include "xla/cpu/codegen/math_inverse.h"
#include "xla/cpu/codegen/math_pair.h"

namespace xla::cpu::math {

template <class F>
ComplexF64<F> ComplexLogF64(const F& x, const F& y) {
  return {Select(AreFinite(x, y), LogOfMagnitudeF64(x, y), LogF64(InfiniteMagnitude(x, y))),
          AngleForF32(y, x), AllLanes(x)};
}

// log |1 + z| is half of log(1 + (x^2 + 2 x + y^2)), whose terms may cancel near the circle around
// -1, or of log((1 + x)^2 + y^2) elsewhere.
template <class F>
ComplexF64<F> ComplexLog1pF64(const F& x, const F& y) {
  const F one = Like(x, 1), next = one + x;
  const Pair<F> linear = SumInAnyOrder(x + x, y * y);
  const Pair<F> sum = SumInAnyOrder(linear.high, x * x);
  const F above_one = sum.high + (linear.low + sum.low);
  const auto is_near = Abs(above_one) < Like(x, 0.5);
  const F square = Select(is_near, above_one + one, Fma(next, next, y * y));
  const F rest = Select(is_near, (above_one - (square - one)) / square, Like(x, 0));
  return {Like(x, 0.5) * (LogF64(square) + rest), AngleForF32(y, next), AreFinite(x, y)};
}

// (r e^(i t))^(c + i d) = e^(c log r - d t) e^(i (c t + d log r))
template <class F>
ComplexF64<F> ComplexPowerF64(const F& x, const F& y, const F& c, const F& d) {
  const F zero = Like(x, 0), one = Like(x, 1);
  const F log = LogOfMagnitudeF64(x, y), angle = Atan2F64(y, x);
  const F grown = c * log, shrunk = d * angle;
  const F scale = ExpF64(grown - shrunk);
  const F turn = Select(d == zero, c * angle, Fma(c, angle, d * log));
  const auto is_one = ((c == zero) & (d == zero)) | ((x == one) & (y == zero));
  const auto is_zero = (x == zero) & (y == zero) & (c > zero);
  const F limit = Like(x, 700);
  const auto is_usual =
      AreFinite(x, y) & AreFinite(c, d) & (Abs(grown) < limit) & (Abs(shrunk) < limit);
  const F constant = Select(is_one, one, zero);
  return {Select(is_one | is_zero, constant, scale * CosF64(turn)),
          Select(is_one | is_zero, zero, scale * SinF64(turn)), is_one | is_zero | is_usual};
}

// asin(z) = t + i h and acos(z) = pi / 2 - t - i h for x and y that are not negative, after T.
// Hull, T. Fairgrieve and P. Tang, Implementing the complex arcsine and arccosine functions using
// exception handling, 1997. With r = |z + 1|, s = |z - 1| and a = (r + s) / 2, h = acosh(a) and sin
// t = x / a, of which a - 1 and a - x are sums without cancellation.
template <class F>
struct ArcParts {
  F height, root;  // h, and a cos t = sqrt(a^2 - x^2)
};
template <class F>
ArcParts<F> ArcPartsF64(const F& x, const F& y) {
  const F one = Like(x, 1), half = Like(x, 0.5), zero = Like(x, 0);
  const F square = y * y, above = x + one, below = x - one;
  const F r = Sqrt(Fma(above, above, square)), s = Sqrt(Fma(below, below, square));
  const auto is_right = x > one;
  // The factors s - |x - 1| and s + |x - 1|; both are zero at z = 1.
  const F wide = s + Abs(below);
  const F narrow = Select(wide == zero, zero, square / wide);
  const F r_rest = square / (r + above);  // r - (x + 1)
  const F less_one = half * (r_rest + Select(is_right, wide, narrow));
  const F less_x = half * (r_rest + Select(is_right, narrow, wide));
  const F a = half * (r + s);
  return {Log1pF64(less_one + Sqrt(less_one * (a + one))), Sqrt(less_x * (a + x))};
}

template <class F>
ComplexF64<F> ComplexAsinF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsF64(Abs(x), Abs(y));
  return {AngleForF32(x, parts.root), CopySign(parts.height, y), AreFinite(x, y)};
}
template <class F>
ComplexF64<F> ComplexAcosF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsF64(Abs(x), Abs(y));
  return {AngleForF32(parts.root, x), CopySign(parts.height, -y), AreFinite(x, y)};
}
// asinh(z) = -i asin(i z)
template <class F>
ComplexF64<F> ComplexAsinhF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsF64(Abs(y), Abs(x));
  return {CopySign(parts.height, x), AngleForF32(y, parts.root), AreFinite(x, y)};
}
// acosh(z) = i acos(z) or -i acos(z), whichever is on the right.
template <class F>
ComplexF64<F> ComplexAcoshF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsF64(Abs(x), Abs(y));
  return {parts.height, CopySign(AngleForF32(parts.root, x), y), AreFinite(x, y)};
}

// log1p(4 |x| / ((1 - |x|)^2 + y^2)) / 4, and half of the angle of (1 - x^2 - y^2, 2 y).
template <class F>
ComplexF64<F> ComplexAtanhF64(const F& x, const F& y) {
  const F one = Like(x, 1), size = Abs(x), less = one - size, square = y * y;
  const F ratio = (Like(x, 4) * size) / Fma(less, less, square);
  const F angle = AngleForF32(y + y, Fma(less, one + size, -square));
  return {CopySign(Like(x, 0.25) * Log1pF64(ratio), x), Like(x, 0.5) * angle, AreFinite(x, y)};
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_COMPLEX_INVERSE_H_
