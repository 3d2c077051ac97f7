// SPDX-License-Identifier: Apache-2.0
// Logarithms, powers and inverse functions of complex numbers of f64 over a type of lanes
// (math_complex_f64.h).
#ifndef XLA_CPU_CODEGEN_MATH_COMPLEX_INVERSE_F64_H_
#define XLA_CPU_CODEGEN_MATH_COMPLEX_INVERSE_F64_H_

#include "xla/cpu/codegen/math_complex_f64.h"
#include "xla/cpu/codegen/math_power.h"

namespace xla::cpu::math {

// Results that are less than this part of their terms are computed by the library: pairs hold about
// 2^-58.
inline constexpr double kLeastRest = 0x1p-7;

// With s = sin(y / 2), e^z - 1 = (expm1 x - 2 s^2 e^x) + i 2 s cos(y / 2) e^x.
template <class F>
ComplexF64<F> ComplexExpm1OfF64(const F& x, const F& y) {
  const F one = Like(x, 1);
  const auto is_usual = AreInRange(x, y, 700) & IsModerate(y);
  const F bounded = Select(is_usual, x, Like(x, 0));
  const auto n = RoundF64(bounded * Like(x, 1.4426950408889634));
  const Pair<F> r = PairLessMultipleOfLn2F64(bounded, n.number);
  const Pair<F> rest = Expm1OfRestF64(r);
  // 2^1010 at most.
  const F scale = PowerOf2F64(n.integer);
  const Pair<F> scaled = {scale * rest.high, scale * rest.low};
  const Pair<F> less_one = SumOfPairs(SumInAnyOrder(scale, -one), scaled);
  const Pair<F> exp = SumOfPairs(Pair<F>{scale, Like(x, 0)}, scaled);
  const auto [sine, cosine] = SinCosOfF64(Like(x, 0.5) * y);
  const Pair<F> wave = ProductOfPairs(ProductOfPairs(sine, sine), exp);
  const Pair<F> re = SumOfPairs(less_one, Pair<F>{Like(x, -2) * wave.high, Like(x, -2) * wave.low});
  const F im = RoundedSum(ProductOfPairs(ProductOfPairs(sine, cosine), exp));
  return {Select((x == Like(x, 0)) & (y == Like(x, 0)), x, RoundedSum(re)), im + im,
          is_usual & (Abs(re.high) >= Like(x, 8 * kLeastRest) * Abs(less_one.high))};
}

// log |1 + z|, from x^2 + 2 x + y^2, or where 1 + x is exact from (1 + x)^2 - 1 + y^2.
template <class F>
ComplexF64<F> ComplexLog1pOfF64(const F& x, const F& y) {
  const F one = Like(x, 1), next = one + x;
  const auto is_left = x < Like(x, -0.5);
  const F base = Select(is_left, next, x);
  const Pair<F> first = ProductOf(base, base), second = ProductOf(y, y);
  const Pair<F> square = SumInAnyOrder(first.high, second.high);
  const Pair<F> low = SumInAnyOrder(first.low, second.low);
  const Pair<F> middle = SumInAnyOrder(square.low, low.high);
  const Pair<F> upper = SumInAnyOrder(Select(is_left, -one, x + x), square.high);
  const Pair<F> below = SumInAnyOrder(upper.low, middle.high);
  const Pair<F> above = SumInAnyOrder(upper.high, below.high);
  const Pair<F> one_more = SumInAnyOrder(one, above.high);
  const auto is_square = is_left & (Abs(above.high) > Like(x, 0.5));
  const F sum = Select(is_square, square.high, one_more.high);
  const F rest = Select(is_square, middle.high,
                        one_more.low + (above.low + (below.low + middle.low + low.low)));
  return {Like(x, 0.5) * LogOfPartsF64(SplitForLogF64(sum), rest / sum), Atan2F64(y, next),
          IsModerate(x) & IsModerate(y) & (sum > Like(x, 0))};
}

// (r e^(i t))^(c + i d) = e^(c log r - d t) e^(i (c t + d log r))
template <class F>
ComplexF64<F> ComplexPowerOfF64(const F& x, const F& y, const F& c, const F& d) {
  const F zero = Like(x, 0), one = Like(x, 1), half = Like(x, 0.5);
  const Pair<F> squares = SquareOrAboveOne(x, y);
  const Pair<F> log2 = Log2PairF64(SplitForLogF64(squares.high));
  const F ln2 = Like(x, 0.69314718055994529);
  const Pair<F> of_square =
      ProductOfPairs(log2, Pair<F>{half * ln2, half * Like(x, 2.3190468138462996e-17)});
  const Pair<F> log = SumOf(of_square.high, of_square.low + half * (squares.low / squares.high));
  const Pair<F> size = AnglePairF64<true>(y, x);
  const Pair<F> angle = {FlipSign(size.high, y), FlipSign(size.low, y)};
  const Pair<F> grown = Multiple(c, log), shrunk = Multiple(-d, angle);
  const Pair<F> exponent = SumOfPairs(grown, shrunk);
  const Pair<F> turned = Multiple(c, angle), more = Multiple(d, log);
  const Pair<F> both = SumOfPairs(turned, more);
  // Zeros keep the sign of the sum, or of c t alone if d is zero.
  const F sum = turned.high + more.high;
  const Pair<F> turn = {Select(d == zero, turned.high, Select(both.high == zero, sum, both.high)),
                        Select(d == zero, turned.low, both.low)};
  const F limit = Like(x, 16), least = Like(x, 0x1p-900);
  const auto in_range = [&](const F& v) { return (v == zero) | (Abs(v) > least); };
  auto is_usual = IsModerate(x) & IsModerate(y) & (squares.high > zero) & IsModerate(c) &
                  IsModerate(d) & (Abs(grown.high) < Like(x, 350)) & (Abs(shrunk.high) < limit) &
                  (Abs(turned.high) < limit) & (Abs(more.high) < Like(x, 32)) & in_range(turn.high);
  const auto [e, n] =
      ExpPairF64(Select(is_usual, exponent.high, zero), Select(is_usual, exponent.low, zero));
  const SinCosPairs<F> wave = SinCosOfPairF64(turn);
  const F larger = Select(Abs(turned.high) > Abs(more.high), Abs(turned.high), Abs(more.high));
  const F least_part = Like(x, kLeastRest) * larger;
  is_usual = is_usual & (Abs(wave.cos.high) >= least_part) &
             ((turn.high == zero) | (Abs(wave.sin.high) >= least_part));
  const auto is_one = ((c == zero) & (d == zero)) | ((x == one) & (y == zero));
  const auto is_zero = (x == zero) & (y == zero) & (c > zero);
  const F constant = Select(is_one, one, zero);
  return {Select(is_one | is_zero, constant, ScaleF64(RoundedSum(ProductOfPairs(e, wave.cos)), n)),
          Select(is_one | is_zero, zero, ScaleF64(RoundedSum(ProductOfPairs(e, wave.sin)), n)),
          is_one | is_zero | is_usual};
}

// Numbers whose products and quotients of four have all bits.
template <class F>
auto AreNearOne(const F& x, const F& y) {
  const auto is_near = [](const F& v) {
    return (v == Like(v, 0)) | ((Abs(v) > Like(v, 0x1p-150)) & (Abs(v) < Like(v, 0x1p150)));
  };
  return is_near(x) & is_near(y);
}
// Like ArcPartsF64 (math_complex_inverse.h), in pairs.
template <class F>
ArcParts<F> ArcPartsOfF64(const F& x, const F& y) {
  const F one = Like(x, 1), zero = Like(x, 0), half = Like(x, 0.5);
  const auto select = [](const auto& mask, const Pair<F>& a, const Pair<F>& b) {
    return Pair<F>{Select(mask, a.high, b.high), Select(mask, a.low, b.low)};
  };
  const auto half_sum = [&](const Pair<F>& a, const Pair<F>& b) {
    const Pair<F> sum = SumOfPairs(a, b);
    return Pair<F>{half * sum.high, half * sum.low};
  };
  const Pair<F> square = ProductOf(y, y), above = SumInAnyOrder(x, one),
                below = SumInAnyOrder(x, -one);
  const Pair<F> distance = {Abs(below.high), FlipSign(below.low, below.high)};
  const Pair<F> r = SqrtOfPair(SumOfPairs(ProductOfPairs(above, above), square));
  const Pair<F> s = SqrtOfPair(SumOfPairs(ProductOfPairs(below, below), square));
  const auto is_right = x > one;
  const Pair<F> wide = SumOfPairs(s, distance);
  const auto is_one = wide.high == zero;
  const Pair<F> narrow =
      select(is_one, Pair<F>{zero, zero},
             QuotientOf(square, Pair<F>{Select(is_one, one, wide.high), wide.low}));
  const Pair<F> r_rest = QuotientOf(square, SumOfPairs(r, above));
  const Pair<F> less_one = half_sum(r_rest, select(is_right, wide, narrow));
  const Pair<F> less_x = half_sum(r_rest, select(is_right, narrow, wide));
  const Pair<F> a = half_sum(r, s);
  const Pair<F> root_of_one =
      SqrtOfPair(ProductOfPairs(less_one, SumOfPairs(a, Pair<F>{one, zero})));
  const Pair<F> root = SqrtOfPair(ProductOfPairs(less_x, SumOfPairs(a, Pair<F>{x, zero})));
  return {LogOfSumF64(zero, SumOfPairs(less_one, root_of_one)), root.high + root.low};
}
template <class F>
ComplexF64<F> ComplexAsinOfF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsOfF64(Abs(x), Abs(y));
  return {Atan2F64(x, parts.root), CopySign(parts.height, y), AreNearOne(x, y)};
}
template <class F>
ComplexF64<F> ComplexAcosOfF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsOfF64(Abs(x), Abs(y));
  return {Atan2F64(parts.root, x), CopySign(parts.height, -y), AreNearOne(x, y)};
}
template <class F>
ComplexF64<F> ComplexAsinhOfF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsOfF64(Abs(y), Abs(x));
  return {CopySign(parts.height, x), Atan2F64(y, parts.root), AreNearOne(x, y)};
}
template <class F>
ComplexF64<F> ComplexAcoshOfF64(const F& x, const F& y) {
  const ArcParts<F> parts = ArcPartsOfF64(Abs(x), Abs(y));
  return {parts.height, CopySign(Atan2F64(parts.root, x), y), AreNearOne(x, y)};
}

// log(1 + 4 |x| / ((1 - |x|)^2 + y^2)) / 4, and half of the angle of (1 - x^2 - y^2, 2 y).
template <class F>
ComplexF64<F> ComplexAtanhOfF64(const F& x, const F& y) {
  const F zero = Like(x, 0), one = Like(x, 1), size = Abs(x);
  const Pair<F> less = SumInAnyOrder(one, -size);
  const Pair<F> width = ProductOfPairs(less, less), height = ProductOf(y, y);
  const Pair<F> ratio = QuotientOf(Pair<F>{Like(x, 4) * size, zero}, SumOfPairs(width, height));
  const F log = LogOfSumF64(zero, ratio);
  const Pair<F> square = SumOfProducts(x, x, y, y);
  const Pair<F> rest = SumInAnyOrder(one, -square.high);
  const F angle = Atan2F64(y + y, rest.high + (rest.low - square.low));
  return {CopySign(Like(x, 0.25) * log, x), Like(x, 0.5) * angle,
          IsModerate(x) & IsModerate(y) & (ratio.high < Like(x, 0x1p900))};
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_COMPLEX_INVERSE_F64_H_
