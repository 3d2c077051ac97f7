// SPDX-License-Identifier: Apache-2.0
// exp, expm1, log, log1p and logistic, written once over a type of lanes F: vectors of the
// generated code (math.cc), or numbers in the tests, which compare all floats with exact
// results. The names end in the element type that F has there.
//
// What F needs, found by argument-dependent lookup; I is the type of integers of the same width:
//   F + - * /, unary -;  F < <= > >= == !=  to masks, which have & | !
//   Like(F, double)             the constant, in F's type;  LikeInt(I, int64_t)
//   Fma, Abs, Sqrt, RoundEven, Truncate, CopySign(magnitude, sign), Select(mask, a, b)
//   HasExactFma(F)              whether Fma rounds once
//   UnderflowsSlowly(F)         whether subnormal products take much longer (xla/base/machine.h)
//   Bits(F) to I, FromBits(I) to F, ToFloat(I) to F
//   I + - & ^; Shl, Shr (arithmetic), by a number of bits; I < I to masks
//   Widen(F of f32) to F of f64, Narrow(F of f64), NarrowInt(I of f64)
//   PerLane(mask, HloOpcode, x, otherwise)   the C library's function where the mask is set;
//     of two operands with y after x
//   WhereAny(mask, x, then)     then() if the mask is set for any lane, else x
//
// The polynomials come from scripts/fit_polynomials.py.
#ifndef XLA_CPU_CODEGEN_MATH_EXP_LOG_H_
#define XLA_CPU_CODEGEN_MATH_EXP_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>

#include "xla/cpu/codegen/math_pair.h"

namespace xla::cpu::math {

// The mask of all lanes.
template <class F>
auto AllLanes(const F& x) {
  return LikeInt(Bits(x), 0) < LikeInt(Bits(x), 1);
}

// Where subnormal products take long, two ways around them that change no result of a function f
// with f(x) = c or f(x) = c x, as far as x has bits, for |x| < 2^-25 (f64: 2^-54). The first one
// takes such an x for 0 in what is squared and so on, beside x itself; the second one adds what
// larger numbers do not notice, for f(0) = 1 and where tiny x are taken care of afterwards.
template <class F>
F UnlessTiny(const F& x, double tiny) {
  return UnderflowsSlowly(x) ? Select(Abs(x) < Like(x, tiny), Like(x, 0), x) : x;
}
template <class F>
F SquareUnlessTiny(const F& x, double tiny) {
  const F s = UnlessTiny(x, tiny);
  return s * s;
}
template <class F>
F SquareF32(const F& x) {
  return SquareUnlessTiny(x, 0x1p-25);
}
template <class F>
F SquareF64(const F& x) {
  return SquareUnlessTiny(x, 0x1p-54);
}
template <class F>
F AwayFromZero(const F& x, double little) {
  return UnderflowsSlowly(x) ? x + Like(x, little) : x;
}
template <class F>
F AwayFromZeroF32(const F& x) {
  return AwayFromZero(x, 0x1p-55);
}
template <class F>
F AwayFromZeroF64(const F& x) {
  return AwayFromZero(x, 0x1p-110);
}

// c[0] + c[1] x + c[2] x^2 + ...
template <class F>
F Polynomial(const F& x, std::initializer_list<double> coefficients) {
  auto c = std::rbegin(coefficients);
  F sum = Like(x, *c);
  for (++c; c != std::rend(coefficients); ++c) sum = Fma(sum, x, Like(x, *c));
  return sum;
}

// The same with half the latency, as two polynomials of x^2: for many coefficients.
template <class F>
F PolynomialInHalves(const F& x, std::initializer_list<double> coefficients) {
  const F square = x * x;
  const double* const c = coefficients.begin();
  const auto sum_from = [&](int last) {
    F sum = Like(x, c[last]);
    for (int i = last - 2; i >= 0; i -= 2) sum = Fma(sum, square, Like(x, c[i]));
    return sum;
  };
  const int last = static_cast<int>(coefficients.size()) - 1;
  const F even = sum_from(last - last % 2), odd = sum_from(last - (last + 1) % 2);
  return Fma(odd, x, even);
}

// The sign bit of `sign` flips the sign of `x`.
template <class F>
F FlipSign(const F& x, const F& sign) {
  return FromBits(Bits(x) ^ (Bits(sign) ^ Bits(Abs(sign))));
}

template <class F>
F Infinity(const F& x) {
  return Like(x, std::numeric_limits<double>::infinity());
}
template <class F>
F NaN(const F& x) {
  return Like(x, std::numeric_limits<double>::quiet_NaN());
}

// A number rounded to the nearest integer, also as an integer. |x| < 2^22 for f32, 2^51 for f64; of
// other numbers the integer is arbitrary.
template <class F, class I>
struct Rounded {
  F number;
  I integer;
};
template <class F>
auto RoundF32(const F& x) {
  const F shift = Like(x, 0x1.8p23);
  const F sum = x + shift;
  return Rounded<F, decltype(Bits(x))>{sum - shift, Bits(sum) - Bits(shift)};
}
template <class F>
auto RoundF64(const F& x) {
  const F shift = Like(x, 0x1.8p52);
  const F sum = x + shift;
  return Rounded<F, decltype(Bits(x))>{sum - shift, Bits(sum) - Bits(shift)};
}

// 2^n for exponents of normal numbers.
template <class I>
auto PowerOf2F32(const I& n) {
  return FromBits(Shl(n + LikeInt(n, 127), 23));
}
template <class I>
auto PowerOf2F64(const I& n) {
  return FromBits(Shl(n + LikeInt(n, 1023), 52));
}

// x * factor rounded to the nearest integer n, with bits of which the last nine are n + bias: the
// sum is shifted to where an exponent stands.
template <class F>
auto RoundToExponentF32(const F& x, double factor, int bias) {
  const F shift = Like(x, 0x1.8p23 + bias);
  const F sum = Fma(x, Like(x, factor), shift);
  return Rounded<F, decltype(Bits(x))>{sum - shift, Bits(sum)};
}

// Likewise for f64: the last twelve bits are n + bias.
template <class F>
auto RoundToExponentF64(const F& x, double factor, int bias) {
  const F shift = Like(x, 0x1.8p52 + bias);
  const F sum = Fma(x, Like(x, factor), shift);
  return Rounded<F, decltype(Bits(x))>{sum - shift, Bits(sum)};
}

// x 2^n, rounded once. In two steps: results may be subnormal. F may have faster functions of its
// own. The integer of f32 is n + kScaleBias in its last bits.
inline constexpr int kScaleBias = 254;
template <class F, class I>
F ScaleF32(const F& x, const Rounded<F, I>& n) {
  const I half = Shr(n.integer, 1);
  return x * FromBits(Shl(half, 23)) * FromBits(Shl(n.integer - half, 23));
}
template <class F, class I>
F ScaleF64(const F& x, const Rounded<F, I>& n) {
  const I half = Shr(n.integer, 1);
  return x * PowerOf2F64(half) * PowerOf2F64(n.integer - half);
}
// 2^n, a normal number; the integer of n is n + kPowerBias in its last bits.
inline constexpr int kPowerBias = 127;
template <class F, class I>
F PowerOf2F32(const Rounded<F, I>& n) {
  return FromBits(Shl(n.integer, 23));
}

// x = n ln 2 + r, |r| <= ln 2 / 2.
template <class F>
F LessMultipleOfLn2F32(const F& x, const F& n) {
  return Fma(n, Like(x, 2.12194440e-4), Fma(n, Like(x, -0.693359375), x));
}
template <class F>
F LessMultipleOfLn2F64(const F& x, const F& n) {
  return Fma(n, Like(x, -1.90821492927058770002e-10),
             Fma(n, Like(x, -6.93147180369123816490e-01), x));
}
// With the part of r that one number cannot hold.
template <class F>
Pair<F> PairLessMultipleOfLn2F32(const F& x, const F& n) {
  const F high = Fma(n, Like(x, -0.693359375), x);
  const F r = Fma(n, Like(x, 2.12194440e-4), high);
  return {r, Fma(n, Like(x, 2.12194440e-4), high - r)};
}
template <class F>
Pair<F> PairLessMultipleOfLn2F64(const F& x, const F& n) {
  const F high = Fma(n, Like(x, -6.93147180369123816490e-01), x);
  const F less = n * Like(x, 1.90821492927058770002e-10);
  const F r = high - less;
  return {r, (high - r) - less};
}

// x, or the bound that it is beyond. NaN stays.
template <class F>
F Bounded(const F& x, double low, double high) {
  const F below = Select(x > Like(x, high), Like(x, high), x);
  return Select(below < Like(x, low), Like(x, low), below);
}

// exp(r) = 1 + r + r^2 p(r), for |r| <= ln 2 / 2.
template <class F>
F ExpPolynomialF32(const F& r) {
  return Polynomial(r, {0.50000000957321326, 0.16666518896237258, 0.041666204290144804,
                        0.0083688826063520573, 0.0013950578188100459});
}
// exp(x - n ln 2), for the n nearest to x / ln 2.
template <class F>
F ExpOfRestF32(const F& x, const F& n) {
  const F r = LessMultipleOfLn2F32(x, n);
  return Like(x, 1) + Fma(r * r, ExpPolynomialF32(r), r);
}

// e 2^n = exp(x), rounded once, for e near 1. Subnormal results, and those that are rounded to
// zero, as masks of softmax make them, come from sums with the least normal number where products
// take long: a sum is rounded where subnormal numbers of the same size are.
template <class F, class I>
F ScaleExpF32(const F& x, const F& e, const Rounded<F, I>& n) {
  if (!UnderflowsSlowly(x) || !HasExactFma(x)) return ScaleF32(e, n);
  const auto is_subnormal = x < Like(x, -87.3365447505531);  // 2^-126
  const F zero = Like(x, 0);
  const I usual =
      Bits(Select(is_subnormal, FromBits(LikeInt(n.integer, kScaleBias)), FromBits(n.integer)));
  const F scaled = ScaleF32(e, Rounded<F, I>{Select(is_subnormal, zero, n.number), usual});
  return WhereAny(is_subnormal, scaled, [&] {
    constexpr int kShift = 60;
    const F least = Like(x, 0x1p-126);
    const F power = FromBits(Shl(n.integer + LikeInt(n.integer, kShift + 127 - kScaleBias), 23));
    const F sum = Fma(e * Like(x, 0x1p-60), power, least);
    return Select(is_subnormal, FromBits(Bits(sum) - Bits(least)), scaled);
  });
}
template <class F, class I>
F ScaleExpF64(const F& x, const F& e, const Rounded<F, I>& n) {
  if (!UnderflowsSlowly(x) || !HasExactFma(x)) return ScaleF64(e, n);
  const auto is_subnormal = x < Like(x, -708.396418532264106);  // 2^-1022
  const F zero = Like(x, 0);
  const I usual = Bits(Select(is_subnormal, zero, FromBits(n.integer)));
  const F scaled = ScaleF64(e, Rounded<F, I>{Select(is_subnormal, zero, n.number), usual});
  return WhereAny(is_subnormal, scaled, [&] {
    const F least = Like(x, 0x1p-1022);
    const F power = PowerOf2F64(n.integer + LikeInt(n.integer, 500));
    const F sum = Fma(e * Like(x, 0x1p-500), power, least);
    return Select(is_subnormal, FromBits(Bits(sum) - Bits(least)), scaled);
  });
}

template <class F>
F ExpF32(const F& x) {
  const F bounded = AwayFromZeroF32(Bounded(x, -104, 89));
  const auto n = RoundToExponentF32(bounded, 1.4426950408889634, kScaleBias);
  return ScaleExpF32(bounded, ExpOfRestF32(bounded, n.number), n);
}

// exp(r) = 1 + r + r^2 p(r), p(r) = 1/2 + r q(r), for |r| <= ln 2 / 2.
template <class F>
F ExpRestF64(const F& r) {
  return Polynomial(
      r, {0.16666666666666684, 0.041666666666666724, 0.0083333333333167516, 0.0013888888888858799,
          0.00019841269897026365, 2.4801587373139022e-5, 2.7557234269821422e-6,
          2.7557233816148039e-7, 2.5112228169837764e-8, 2.0926815174382327e-9});
}
template <class F>
F ExpPolynomialF64(const F& r) {
  return Fma(ExpRestF64(r), r, Like(r, 0.5));
}
template <class F>
F ExpF64(const F& x) {
  const F bounded = AwayFromZeroF64(Bounded(x, -746, 710));
  const auto n = RoundF64(bounded * Like(x, 1.4426950408889634));
  const F r = LessMultipleOfLn2F64(bounded, n.number);
  return ScaleExpF64(bounded, Like(x, 1) + Fma(r * r, ExpPolynomialF64(r), r), n);
}

// Within 0.6 units in the last place, 0.8 where results are subnormal; they need fused
// multiply-add.
template <class F>
F AccurateExpF32(const F& x) {
  const F bounded = AwayFromZeroF32(Bounded(x, -104, 89));
  const auto n = RoundToExponentF32(bounded, 1.4426950408889634, kScaleBias);
  const auto [r, low] = PairLessMultipleOfLn2F32(bounded, n.number);
  const Pair<F> sum = SumOf(Like(x, 1), r);
  return ScaleExpF32(bounded, sum.high + (sum.low + Fma(r * r, ExpPolynomialF32(r), low)), n);
}
// exp(x) = 2^n (high + low)
template <class F, class I>
struct ScaledPair {
  Pair<F> pair;
  Rounded<F, I> n;
};
template <class F>
auto ExpPairF64(const F& x) {
  const F bounded = AwayFromZeroF64(Bounded(x, -746, 710));
  const auto n = RoundF64(bounded * Like(x, 1.4426950408889634));
  const auto [r, low] = PairLessMultipleOfLn2F64(bounded, n.number);
  const Pair<F> sum = SumOf(Like(x, 1), r);
  const F rest = Fma(r * r, ExpPolynomialF64(r), Fma(low, r, low));
  return ScaledPair<F, decltype(n.integer)>{SumOf(sum.high, sum.low + rest), n};
}
template <class F>
F AccurateExpF64(const F& x) {
  const auto [e, n] = ExpPairF64(x);
  return ScaleExpF64(x, e.high, n);
}

// 2^n (q + 1) - 1, where q = expm1(r). As 2 (2^(n-1) q + (2^(n-1) - 1/2)): 2^128 is no number.
template <class F>
F Expm1F32(const F& x) {
  const F bounded = AwayFromZeroF32(
      Select(x > Like(x, 89), Like(x, 89), Select(x < Like(x, -20), Like(x, -20), x)));
  const auto n = RoundF32(bounded * Like(x, 1.4426950408889634));
  const F r = LessMultipleOfLn2F32(bounded, n.number);
  const F p = Polynomial(r, {0.5000000046384017, 0.16666666817274751, 0.041666354786412442,
                             0.0083332730108765549, 0.0013940998259587431, 0.00019914188140225664});
  const F q = Fma(r * r, p, r);
  const F scale = PowerOf2F32(n.integer - LikeInt(n.integer, 1));
  const F half = Fma(scale, q, scale - Like(x, 0.5));
  return Select(Abs(x) < Like(x, 0x1p-24), x, half + half);
}

template <class F>
F Expm1F64(const F& x) {
  const F bounded = AwayFromZeroF64(
      Select(x > Like(x, 710), Like(x, 710), Select(x < Like(x, -40), Like(x, -40), x)));
  const auto n = RoundF64(bounded * Like(x, 1.4426950408889634));
  // Without the rest of r, results near -1/2 and 1/2 would be off by more than one ulp.
  const auto [r, low] = PairLessMultipleOfLn2F64(bounded, n.number);
  const F p = Polynomial(r, {0.5, 0.16666666666666667, 0.041666666666666692, 0.0083333333333333385,
                             0.0013888888888871941, 0.00019841269841245495, 2.4801587350025086e-5,
                             2.7557319277668365e-6, 2.7557251968065617e-7, 2.5052047534169779e-8,
                             2.0921562169319284e-9, 1.6093389375350705e-10});
  const F rest = Fma(r * r, p, Fma(low, r, low));
  const F scale = PowerOf2F64(n.integer - LikeInt(n.integer, 1));
  const F head = Fma(scale, r, scale - Like(x, 0.5));
  const F lost = Fma(scale, r, (scale - Like(x, 0.5)) - head);
  const F half = head + Fma(scale, rest, lost);
  return Select(Abs(x) < Like(x, 0x1p-53), x, Select(x > Like(x, 709.9), Infinity(x), half + half));
}

// x = 2^exponent (1 + fraction), sqrt(1/2) <= 1 + fraction < sqrt(2); for normal x > 0.
template <class F>
struct LogParts {
  F fraction, exponent;
};
template <class F>
LogParts<F> SplitForLogF32(const F& x) {
  const auto bits = Bits(x) - LikeInt(Bits(x), 0x3f3504f3);
  const F m = FromBits((bits & LikeInt(bits, 0x7fffff)) + LikeInt(bits, 0x3f3504f3));
  return {m - Like(x, 1), ToFloat(Shr(bits, 23))};
}
template <class F>
LogParts<F> SplitForLogF64(const F& x) {
  const auto bits = Bits(x) - LikeInt(Bits(x), 0x3fe6a09e667f3bcd);
  const F m = FromBits((bits & LikeInt(bits, 0xfffffffffffff)) + LikeInt(bits, 0x3fe6a09e667f3bcd));
  // The exponent as a float, without instructions on 64-bit integers.
  const F shift = Like(x, 0x1.8p52);
  const F exponent = FromBits(Shr(bits, 52) + Bits(shift)) - shift;
  return {m - Like(x, 1), exponent};
}

// log(1 + fraction) + exponent ln 2 + correction
template <class F>
F LogOfPartsF32(const LogParts<F>& parts, const F& correction) {
  const F& f = parts.fraction;
  const F& e = parts.exponent;
  const F p = Polynomial(
      f, {0.33333316719660164, -0.25000810313668773, 0.20002286571036186, -0.16624556129081712,
          0.14181187574176945, -0.13128738833390071, 0.12881669728968829, -0.078596649460305167});
  const F z = f * f;
  F y = Fma(f * z, p, correction);
  y = Fma(e, Like(f, -2.12194440e-4), y);
  y = Fma(z, Like(f, -0.5), y);
  return Fma(e, Like(f, 0.693359375), f + y);
}
template <class F>
F LogOfPartsF64(const LogParts<F>& parts, const F& correction) {
  const F& f = parts.fraction;
  const F& e = parts.exponent;
  const F s = f / (f + Like(f, 2));
  const F z = s * s;
  const F r = z * Polynomial(z, {0.66666666666667344, 0.39999999999414701, 0.28571428742383993,
                                 0.2222219857344387, 0.1818356431794987, 0.15314050634842829,
                                 0.14795950039089619});
  const F half_square = f * f * Like(f, 0.5);
  const F low = Fma(e, Like(f, 1.90821492927058770002e-10), s * (half_square + r)) + correction;
  return Fma(e, Like(f, 6.93147180369123816490e-01), f - (half_square - low));
}

// Of any numbers, also those that are no normal positive ones.
template <class F>
F LogOfAnyF32(const F& x) {
  const auto subnormal = x < Like(x, 0x1p-126);
  LogParts<F> parts = SplitForLogF32(Select(subnormal, x * Like(x, 0x1p23), x));
  parts.exponent = parts.exponent - Select(subnormal, Like(x, 23), Like(x, 0));
  const F y = LogOfPartsF32(parts, Like(x, 0));
  return Select(x > Like(x, 0), Select(x == Infinity(x), x, y),
                Select(x == Like(x, 0), -Infinity(x), NaN(x)));
}
template <class F>
F LogF32(const F& x) {
  // One comparison: the bits of normal positive numbers, less those of the least, become the lowest
  // integers.
  const auto bits = Bits(x);
  const auto is_normal = bits + LikeInt(bits, 0x7f800000) < LikeInt(bits, -0x01000000);
  const F y = LogOfPartsF32(SplitForLogF32(x), Like(x, 0));
  return WhereAny(!is_normal, y, [&] { return LogOfAnyF32(x); });
}
template <class F>
F LogF64(const F& x) {
  const auto subnormal = x < Like(x, 0x1p-1022);
  LogParts<F> parts = SplitForLogF64(Select(subnormal, x * Like(x, 0x1p52), x));
  parts.exponent = parts.exponent - Select(subnormal, Like(x, 52), Like(x, 0));
  const F y = LogOfPartsF64(parts, Like(x, 0));
  return Select(x > Like(x, 0), Select(x == Infinity(x), x, y),
                Select(x == Like(x, 0), -Infinity(x), NaN(x)));
}

// log(u) + c / u, where u + c = 1 + x exactly.
template <class F>
F Log1pLost(const F& x, const F& u) {
  const F one = Like(x, 1);
  return Select(x < one, x - (u - one), one - (u - x)) / u;
}
template <class F>
F Log1pSpecial(const F& x, const F& tiny, const F& y) {
  const F one = Like(x, 1);
  return Select(
      Abs(x) < tiny, x,
      Select(x > -one, Select(x == Infinity(x), x, y), Select(x == -one, -Infinity(x), NaN(x))));
}
template <class F>
F Log1pF32(const F& x) {
  const F u = x + Like(x, 1);
  return Log1pSpecial(x, Like(x, 0x1p-24), LogOfPartsF32(SplitForLogF32(u), Log1pLost(x, u)));
}
template <class F>
F Log1pF64(const F& x) {
  const F u = x + Like(x, 1);
  return Log1pSpecial(x, Like(x, 0x1p-53), LogOfPartsF64(SplitForLogF64(u), Log1pLost(x, u)));
}

// 1 / (1 + exp(-x)) or exp(x) / (1 + exp(x)), whichever has the exp that cannot overflow.
template <class F>
F LogisticOf(const F& x, const F& e) {
  const F one = Like(x, 1);
  const F d = e + one;
  const F lost = e - (d - one);  // of the sum, by rounding
  const auto is_negative = x < Like(x, 0);
  const F y = Select(is_negative, e, one) / d;
  const F inverse = Select(is_negative, one - y, y);  // 1 / d
  return Fma(-(y * inverse), lost, y);
}
template <class F>
F LogisticF32(const F& x) {
  return LogisticOf(x, ExpF32(-Abs(x)));
}
template <class F>
F LogisticF64(const F& x) {
  return LogisticOf(x, ExpF64(-Abs(x)));
}

template <class F>
F AccurateLogisticF64(const F& x) {
  const F zero = Like(x, 0), one = Like(x, 1);
  const auto [scaled, n] = ExpPairF64(-Abs(x));
  const Pair<F> e = {ScaleF64(scaled.high, n), ScaleF64(scaled.low, n)};
  const Pair<F> sum = SumOf(one, e.high);
  const auto is_negative = x < zero;
  const Pair<F> y =
      QuotientOf(Pair<F>{Select(is_negative, e.high, one), Select(is_negative, e.low, zero)},
                 Pair<F>{sum.high, sum.low + e.low});
  return y.high + y.low;
}

// What the root and the division lost by rounding is added.
template <class F>
F AccurateRsqrtF64(const F& x) {
  const F one = Like(x, 1);
  const auto is_small = x < Like(x, 0x1p-960);
  const F scaled = Select(is_small, x * Like(x, 0x1p108), x);
  const F root = Sqrt(scaled), y = one / root;
  const F rest = Fma(-root, root, scaled);
  const F relative = Fma(rest * y, y * Like(x, -0.5), Fma(-y, root, one));
  const F accurate = Fma(y, relative, y) * Select(is_small, Like(x, 0x1p54), one);
  return Select((x > Like(x, 0)) & (x < Infinity(x)), accurate, y);
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_EXP_LOG_H_
