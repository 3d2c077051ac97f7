// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers of f64 over a type of lanes (math_exp_log.h). Each part is computed
// as a pair and rounded once.
#ifndef XLA_CPU_CODEGEN_MATH_COMPLEX_F64_H_
#define XLA_CPU_CODEGEN_MATH_COMPLEX_F64_H_

#include "xla/cpu/codegen/math_complex.h"
#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_hyperbolic.h"
#include "xla/cpu/codegen/math_inverse.h"
#include "xla/cpu/codegen/math_pair.h"
#include "xla/cpu/codegen/math_trigonometric.h"

namespace xla::cpu::math {

// A number times 2^-exponent, so that squares neither overflow nor vanish.
template <class F>
struct Scaled {
  F factor, exponent;
};
template <class F>
Scaled<F> ScaleForSquares(const F& large) {
  const auto is_large = large > Like(large, 0x1p500), is_small = large < Like(large, 0x1p-400);
  return {Select(is_large, Like(large, 0x1p-600),
                 Select(is_small, Like(large, 0x1p600), Like(large, 1))),
          Select(is_large, Like(large, 600), Select(is_small, Like(large, -600), Like(large, 0)))};
}

// a^2 + b^2 of a >= b whose squares are in range: the square of b is rounded, then the sum.
template <class F>
F SumOfSquares(const F& a, const F& b) {
  if (HasExactFma(a)) return Fma(a, a, b * b);
  // a^2 = high^2 + (a + high) (a - high), the first of which is exact (G. W. Veltkamp's split).
  const F shifted = a * Like(a, 0x1p27 + 1), high = shifted - (shifted - a);
  const Pair<F> sum = SumInAnyOrder(high * high, b * b);
  return sum.high + (sum.low + (a + high) * (a - high));
}

// |z|, infinite if either part is.
template <class F>
F HypotF64(const F& x, const F& y) {
  const F width = Abs(x), height = Abs(y);
  const auto is_wide = width > height;
  const F large = Select(is_wide, width, height), small = Select(is_wide, height, width);
  const auto is_infinite = (width == Infinity(x)) | (height == Infinity(x));
  const Scaled<F> scaled = ScaleForSquares(large);
  const F a = large * scaled.factor, b = small * scaled.factor;
  const F back = Select(scaled.exponent > Like(x, 0), Like(x, 0x1p600),
                        Select(scaled.exponent < Like(x, 0), Like(x, 0x1p-600), Like(x, 1)));
  return Select(is_infinite, Infinity(x), Sqrt(SumOfSquares(a, b)) * back);
}

// a b + c d of numbers whose products are in range. A sum of zeros keeps its sign.
template <class F>
Pair<F> SumOfProducts(const F& a, const F& b, const F& c, const F& d) {
  const Pair<F> first = ProductOf(a, b), second = ProductOf(c, d);
  const Pair<F> sum = SumInAnyOrder(first.high, second.high);
  const F low = sum.low + (first.low + second.low);
  const F high = Select(low == Like(a, 0), sum.high, sum.high + low);
  return {high, (sum.high - high) + low};
}

// The sum of a pair, where zeros keep their sign.
template <class F>
F RoundedSum(const Pair<F>& a) {
  return Select(a.high == Like(a.high, 0), a.high, a.high + a.low);
}

// Zeros and numbers whose products have all bits.
template <class F>
auto IsModerate(const F& x) {
  return (x == Like(x, 0)) | ((Abs(x) > Like(x, 0x1p-400)) & (Abs(x) < Like(x, 0x1p400)));
}

template <class F>
F QuotientOfPairs(const Pair<F>& a, const Pair<F>& b) {
  const Pair<F> quotient = QuotientOf(a, b);
  return Select(a.high == Like(a.high, 0), a.high, quotient.high + quotient.low);
}
template <class F>
ComplexF64<F> ComplexQuotientOfF64(const F& a, const F& b, const F& c, const F& d) {
  const Pair<F> square = SumOfProducts(c, c, d, d);
  return {
      QuotientOfPairs(SumOfProducts(a, c, b, d), square),
      QuotientOfPairs(SumOfProducts(b, c, -a, d), square),
      IsModerate(a) & IsModerate(b) & IsModerate(c) & IsModerate(d) & (square.high > Like(a, 0))};
}

template <class F>
ComplexF64<F> ComplexSqrtOfF64(const F& x, const F& y) {
  const F half = Like(x, 0.5), zero = Like(x, 0);
  const F width = Abs(x), height = Abs(y);
  const Scaled<F> scaled = ScaleForSquares(Select(width > height, width, height));
  const F a = width * scaled.factor, b = y * scaled.factor;
  // |z|, then sqrt((|z| + |x|) / 2), each with what rounding took away.
  const Pair<F> square = SumOfProducts(a, a, b, b);
  const Pair<F> size = SqrtOfPair(square);
  const Pair<F> sum = SumOf(size.high, a);
  const F mean = half * sum.high, mean_low = half * (sum.low + size.low);
  const F root = Sqrt(mean), inverse = half / root;
  const F root_low = (Fma(-root, root, mean) + mean_low) * inverse;
  const F back = Select(scaled.exponent > zero, Like(x, 0x1p300),
                        Select(scaled.exponent < zero, Like(x, 0x1p-300), Like(x, 1)));
  const F larger = (root + root_low) * back;
  // y / (2 larger), of the scaled y where that is larger.
  const F part = Select(scaled.exponent < zero, b, y);
  const F quotient = part * inverse;
  const F rest = Fma(-quotient, root + root, part) - quotient * (root_low + root_low);
  const F smaller = Select(y == zero, y,
                           Fma(rest, inverse, quotient) *
                               Select(scaled.exponent == zero, Like(x, 1), Like(x, 0x1p-300)));
  const auto is_negative = x < zero;
  return {Select(is_negative, Abs(smaller), larger),
          Select(is_negative, FlipSign(larger, y), smaller), AreFinite(x, y) & (root > zero)};
}

// |z| of moderate numbers.
template <class F>
Pair<F> SizeOfF64(const F& x, const F& y) {
  return SqrtOfPair(SumOfProducts(x, x, y, y));
}
template <class F>
ComplexF64<F> ComplexRsqrtOfF64(const F& x, const F& y) {
  const F zero = Like(x, 0), half = Like(x, 0.5);
  const Pair<F> size = SizeOfF64(x, y), sum = SumOfPairs(size, Pair<F>{Abs(x), zero});
  const Pair<F> larger = SqrtOfPair(Pair<F>{half * sum.high, half * sum.low});
  const Pair<F> smaller = QuotientOf(Pair<F>{half * y, zero}, larger);
  const F first = QuotientOfPairs(larger, size), second = QuotientOfPairs(smaller, size);
  const auto is_negative = x < zero;
  return {Select(is_negative, Abs(second), first),
          -Select(is_negative, FlipSign(first, y), Select(y == zero, y, second)),
          IsModerate(x) & IsModerate(y) & (size.high > zero)};
}
// z / |z|
template <class F>
ComplexF64<F> ComplexSignOfF64(const F& x, const F& y) {
  const Pair<F> size = SizeOfF64(x, y);
  return {QuotientOfPairs(Pair<F>{x, Like(x, 0)}, size),
          QuotientOfPairs(Pair<F>{y, Like(x, 0)}, size),
          IsModerate(x) & IsModerate(y) & (size.high > Like(x, 0))};
}

// x^2 + y^2 whose squares are in range; near 1 with the low part of x^2 + y^2 - 1,
// which is exact but for the last of its sums.
template <class F>
Pair<F> SquareOrAboveOne(const F& a, const F& b) {
  const F one = Like(a, 1);
  const Pair<F> first = ProductOf(a, a), second = ProductOf(b, b);
  const Pair<F> square = SumInAnyOrder(first.high, second.high);
  const Pair<F> low = SumInAnyOrder(first.low, second.low);
  const Pair<F> middle = SumInAnyOrder(square.low, low.high);
  const Pair<F> above = SumInAnyOrder(square.high - one, middle.high);
  const Pair<F> near = SumInAnyOrder(one, above.high);
  const auto is_near = Abs(above.high) < Like(a, 0.5);
  return {Select(is_near, near.high, square.high),
          Select(is_near, near.low + (above.low + (middle.low + low.low)), middle.high)};
}
// log |z| of any numbers.
template <class F>
F LogOfMagnitudeOfF64(const F& x, const F& y) {
  const F zero = Like(x, 0), half = Like(x, 0.5);
  const F width = Abs(x), height = Abs(y);
  const auto is_wide = width > height;
  const F large = Select(is_wide, width, height);
  const Scaled<F> scaled = ScaleForSquares(large);
  const Pair<F> square =
      SquareOrAboveOne(large * scaled.factor, Select(is_wide, height, width) * scaled.factor);
  LogParts<F> parts = SplitForLogF64(square.high);
  parts.exponent = parts.exponent + (scaled.exponent + scaled.exponent);
  const F log = half * LogOfPartsF64(parts, square.low / square.high);
  return Select(AreFinite(x, y), Select(large == zero, -Infinity(x), log), InfiniteMagnitude(x, y));
}

template <class F>
ComplexF64<F> ComplexLogOfF64(const F& x, const F& y) {
  return {LogOfMagnitudeOfF64(x, y), Atan2F64(y, x), AllLanes(x)};
}

// sin(r) = r - r^3 / 6 + r^5 s and cos(r) = 1 - r^2 / 2 + r^4 c to 2^-59, for |r| <= pi / 4.
template <class F>
SinCosPairs<F> SinCosOfPairOfRestF64(const Pair<F>& r) {
  const F z = r.high * r.high;
  const F z_low = Fma(r.high, r.high, -z) + (r.high + r.high) * r.low;
  const F s =
      Polynomial(z, {0.0083333333333333294, -0.00019841269841261158, 2.7557319216865319e-6,
                     -2.5052105519369002e-8, 1.6058435614723613e-10, -7.5817931849859352e-13});
  const F c =
      Polynomial(z, {0.0416666666666666, -0.0013888888888874139, 2.4801587289491934e-5,
                     -2.7557314355265984e-7, 2.0875723686751988e-9, -1.1359669940902088e-11});
  Pair<F> sixth = Multiple(Like(z, -0.16666666666666666), Pair<F>{z, z_low});
  sixth.low = Fma(z, Like(z, -9.2518585385429707e-18), sixth.low);
  const Pair<F> cube = Multiple(r.high, sixth);
  const Pair<F> sine = SumOf(r.high, cube.high);
  const F rest = Fma(r.high * z * z, s, cube.low + Fma(r.low, sixth.high, r.low));
  const F half = Like(z, 0.5);
  const Pair<F> cosine = SumOf(Like(z, 1), -half * z);
  return {SumOf(sine.high, sine.low + rest),
          SumOf(cosine.high, cosine.low + Fma(z * z, c, Fma(z + z, c, -half) * z_low))};
}
// sin and cos of numbers up to kReducedF64, and of pairs.
template <class F>
SinCosPairs<F> SinCosOfPairF64(const Pair<F>& x) {
  const auto reduced = ReduceF64(Abs(x.high));
  const Pair<F> r = SumOf(reduced.high, reduced.low + FlipSign(x.low, x.high));
  const auto [sine, cosine] = SinCosOfPairOfRestF64(r);
  const auto is_odd = IsOdd(reduced.quadrant, x.high);
  const auto two = LikeInt(reduced.quadrant, 2);
  const auto turned = [&](const F& value, const decltype(two)& quadrant) {
    return FromBits(Bits(value) ^ Shl(quadrant & two, 62));
  };
  const auto next = reduced.quadrant + LikeInt(two, 1);
  return {{FlipSign(turned(Select(is_odd, cosine.high, sine.high), reduced.quadrant), x.high),
           FlipSign(turned(Select(is_odd, cosine.low, sine.low), reduced.quadrant), x.high)},
          {turned(Select(is_odd, sine.high, cosine.high), next),
           turned(Select(is_odd, sine.low, cosine.low), next)}};
}
template <class F>
SinCosPairs<F> SinCosOfF64(const F& x) {
  return SinCosOfPairF64(Pair<F>{x, Like(x, 0)});
}
// For numbers up to 700 that are zero or not near subnormal ones.
template <class F>
SinhCoshPairs<F> SinhCoshOfF64(const F& x) {
  const F size = Abs(x), limit = Like(x, 700);
  const auto [sinh, cosh] = HalvesOfSinhCoshF64(Select(size > limit, limit, size));
  return {{FlipSign(sinh.high + sinh.high, x), FlipSign(sinh.low + sinh.low, x)},
          {cosh.high + cosh.high, cosh.low + cosh.low}};
}
template <class F>
auto AreInRange(const F& exponent, const F& angle, double limit) {
  const F size = Abs(exponent);
  return (size < Like(size, limit)) & ((size == Like(size, 0)) | (size > Like(size, 0x1p-900))) &
         (Abs(angle) <= Like(angle, kReducedF64));
}

// r + r^2 / 2 + r^3 q(r), of which the square is exact.
template <class F>
Pair<F> Expm1OfRestF64(const Pair<F>& r) {
  const Pair<F> square = ProductOf(r.high, r.high * Like(r.high, 0.5));
  const Pair<F> sum = SumOf(r.high, square.high);
  const F cube = r.high * r.high * r.high * ExpRestF64(r.high);
  return SumOf(sum.high, sum.low + (square.low + Fma(r.high + square.high, r.low, r.low)) + cube);
}
// exp(x + low) as a pair times 2^n.
template <class F, class I>
struct ExpPair {
  Pair<F> e;
  Rounded<F, I> n;
};
template <class F>
auto ExpPairF64(const F& x, const F& low) {
  const auto n = RoundF64(x * Like(x, 1.4426950408889634));
  const Pair<F> rest = PairLessMultipleOfLn2F64(x, n.number);
  const Pair<F> r = SumOf(rest.high, rest.low + low);
  const Pair<F> less_one = Expm1OfRestF64(r);
  const Pair<F> head = SumOf(Like(x, 1), less_one.high);
  return ExpPair<F, decltype(n.integer)>{SumOf(head.high, head.low + less_one.low), n};
}

template <class F>
ComplexF64<F> ComplexExpOfF64(const F& x, const F& y) {
  const auto is_usual = AreInRange(x, y, 700) & ((y == Like(y, 0)) | (Abs(y) > Like(y, 0x1p-900)));
  const auto [e, n] = ExpPairF64(Select(is_usual, x, Like(x, 0)), Like(x, 0));
  const SinCosPairs<F> of_y = SinCosOfF64(y);
  return {ScaleF64(RoundedSum(ProductOfPairs(e, of_y.cos)), n),
          ScaleF64(RoundedSum(ProductOfPairs(e, of_y.sin)), n), is_usual};
}

template <class F>
ComplexF64<F> ComplexSinhOfF64(const F& x, const F& y) {
  const SinhCoshPairs<F> of_x = SinhCoshOfF64(x);
  const SinCosPairs<F> of_y = SinCosOfF64(y);
  return {RoundedSum(ProductOfPairs(of_x.sinh, of_y.cos)),
          RoundedSum(ProductOfPairs(of_x.cosh, of_y.sin)), AreInRange(x, y, 700)};
}
template <class F>
ComplexF64<F> ComplexCoshOfF64(const F& x, const F& y) {
  const SinhCoshPairs<F> of_x = SinhCoshOfF64(x);
  const SinCosPairs<F> of_y = SinCosOfF64(y);
  return {RoundedSum(ProductOfPairs(of_x.cosh, of_y.cos)),
          RoundedSum(ProductOfPairs(of_x.sinh, of_y.sin)), AreInRange(x, y, 700)};
}
// sinh(z) = -i sin(i z), cosh(z) = cos(i z)
template <class F>
ComplexF64<F> ComplexSinOfF64(const F& x, const F& y) {
  const ComplexF64<F> turned = ComplexSinhOfF64(-y, x);
  return {turned.im, -turned.re, turned.is_usual};
}
template <class F>
ComplexF64<F> ComplexCosOfF64(const F& x, const F& y) {
  return ComplexCoshOfF64(-y, x);
}

// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), whose denominator does not cancel.
template <class F>
ComplexF64<F> ComplexTanhOfF64(const F& x, const F& y) {
  const SinhCoshPairs<F> of_x = SinhCoshOfF64(x);
  const SinCosPairs<F> of_y = SinCosOfF64(y);
  const Pair<F> first = ProductOfPairs(of_x.sinh, of_x.sinh),
                second = ProductOfPairs(of_y.cos, of_y.cos);
  const Pair<F> sum = SumInAnyOrder(first.high, second.high);
  const Pair<F> square = SumOf(sum.high, sum.low + (first.low + second.low));
  return {QuotientOfPairs(ProductOfPairs(of_x.sinh, of_x.cosh), square),
          QuotientOfPairs(ProductOfPairs(of_y.sin, of_y.cos), square),
          AreInRange(x, y, kLargestExponent)};
}
template <class F>
ComplexF64<F> ComplexTanOfF64(const F& x, const F& y) {
  const ComplexF64<F> turned = ComplexTanhOfF64(-y, x);
  return {turned.im, -turned.re, turned.is_usual};
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_COMPLEX_F64_H_
