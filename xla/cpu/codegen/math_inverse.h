// SPDX-License-Identifier: Apache-2.0
// Inverse trigonometric and hyperbolic functions over a type of lanes (math_exp_log.h).
#ifndef XLA_CPU_CODEGEN_MATH_INVERSE_H_
#define XLA_CPU_CODEGEN_MATH_INVERSE_H_

#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_pair.h"

namespace xla::cpu::math {

// The angle of (x, y) in f64, accurate enough for results in f32.
template <class D>
D AngleForF32(const D& y, const D& x) {
  const D zero = Like(x, 0), one = Like(x, 1);
  const D height = Abs(y), width = Abs(x);
  const auto is_steep = height > width;
  const D small = Select(is_steep, width, height), large = Select(is_steep, height, width);
  // atan(q) = pi / 4 + atan((q - 1) / (q + 1)) beyond tan(pi / 8)
  const auto is_diagonal = small > large * Like(x, 0.41421356237309503);
  const D numerator = Select(is_diagonal, small - large, small);
  const D denominator = Select(is_diagonal, small + large, large);
  // 0 / 0 counts as 0, inf / inf as 1.
  const D quotient = Select(denominator == zero, zero,
                            Select(small == Infinity(x), zero, numerator / denominator));
  const D z = quotient * quotient;
  D angle = Fma(quotient * z,
                Polynomial(z, {-0.33333333331697144, 0.19999999685633153, -0.14285693597121778,
                               0.11110450021534811, -0.090791382592709909, 0.07568545784546333,
                               -0.058910837701627454, 0.030895141856751612}),
                quotient);
  angle = angle + Select(is_diagonal | (small == Infinity(x)), Like(x, 0.78539816339744828), zero);
  angle = Select(is_steep, Like(x, 1.5707963267948966) - angle, angle);
  angle = Select(CopySign(one, x) < zero, Like(x, 3.1415926535897931) - angle, angle);
  return Select((x == x) & (y == y), CopySign(angle, y), x + y);
}

// atan(q) = q + q z p(z), z = q^2, for 0 <= q <= 1; returns q z p(z) + low.
template <class F>
F AtanRestF32(const F& q, const F& low) {
  const F z = SquareF32(q);
  return Fma(q * z,
             Polynomial(z, {-0.33333301861447374, 0.19998638525971853, -0.14265244766675111,
                            0.10957574337790453, -0.08419456554143472, 0.058234542468436056,
                            -0.031455720568700773, 0.011064461702037748, -0.00182721932034664}),
             low);
}
// The first and the last ten terms have half the latency of all of them.
template <class F>
F AtanRestF64(const F& q, const F& low) {
  const F z = SquareUnlessTiny(q, 0x1p-30);  // z^10 counts
  const F head = Polynomial(
      z, {-0.33333333333333093, 0.19999999999955445, -0.14285714282802759, 0.11111111013665371,
          -0.090909071194900188, 0.076922811892192943, -0.066664150154827761, 0.058805926509953822,
          -0.052538059436333936, 0.047232945707726237});
  const F tail = Polynomial(
      z, {-0.042217206959819003, 0.036693579439380013, -0.029985642642087458, 0.022085228034535274,
          -0.013995051969232323, 0.0072634006876432265, -0.0029193634016434, 0.00084349217978951697,
          -0.00015479872079710023, 1.3489451018801344e-5});
  const F square = z * z, fourth = square * square;
  return Fma(q * z, Fma(fourth * fourth * square, tail, head), low);
}

// base + base_low + atan(q)
template <class F, class Rest>
F AngleFrom(const F& base, const F& base_low, const F& q, Rest rest) {
  return base + (q + rest(q, base_low));
}

inline constexpr double kHalfPiHigh = 1.5707963267948966, kHalfPiLow = 6.123233995736766e-17;
inline constexpr double kHalfPiF32 = 1.57079637050628662109375;
inline constexpr double kHalfPiLowF32 = -4.371138828673792886547744274139404296875e-8;

template <class F>
F Atan2F32(const F& y, const F& x) {
  const F zero = Like(x, 0), one = Like(x, 1);
  const F height = Abs(y), width = Abs(x);
  const auto is_steep = height > width, is_left = CopySign(one, x) < zero;
  const F small = Select(is_steep, width, height), large = Select(is_steep, height, width);
  // 0 / 0 counts as 0, inf / inf as 1.
  const F quotient = Select(small == large, Select(large == zero, zero, one), small / large);
  // pi / 2 -+ atan(q), or pi - atan(q).
  const F turns = Select(is_steep, one, Select(is_left, Like(x, 2), zero));
  const F sign = Select(is_left, -one, one) * Select(is_steep, -one, one);
  return CopySign(AngleFrom(turns * Like(x, kHalfPiF32), turns * Like(x, kHalfPiLowF32),
                            sign * quotient, AtanRestF32<F>),
                  y);
}
// The arc tangent; pi / 2 - atan(1 / x) beyond 1.
template <class F, class Rest>
F AtanOf(const F& x, double half_pi, double half_pi_low, Rest rest) {
  const F zero = Like(x, 0), one = Like(x, 1);
  const F size = Abs(x);
  const auto is_steep = size > one;
  const F quotient = Select(is_steep, -one, size) / Select(is_steep, size, one);
  return FlipSign(AngleFrom(Select(is_steep, Like(x, half_pi), zero),
                            Select(is_steep, Like(x, half_pi_low), zero), quotient, rest),
                  x);
}
template <class F>
F AtanF32(const F& x) {
  return AtanOf(x, kHalfPiF32, kHalfPiLowF32, AtanRestF32<F>);
}
template <class F>
F AsinF32(const F& x) {
  const auto wide = Widen(x);
  const auto one = Like(wide, 1);
  return Narrow(AngleForF32(wide, Sqrt((one - wide) * (one + wide))));
}
template <class F>
F AcosF32(const F& x) {
  const auto wide = Widen(x);
  const auto one = Like(wide, 1);
  return Narrow(AngleForF32(Sqrt((one - wide) * (one + wide)), wide));
}

// The size of the angle of (x, y) as a pair: multiples of pi / 4 and the arc tangent of a quotient
// up to tan(pi / 8).
template <bool kIsPair, class F>
Pair<F> AnglePairF64(const F& y, const F& x) {
  const F zero = Like(x, 0), one = Like(x, 1);
  const F height = Abs(y), width = Abs(x);
  const auto is_steep = height > width;
  F small = Select(is_steep, width, height), large = Select(is_steep, height, width);
  // 0 / 0 counts as 0, inf / inf as 1.
  const auto is_special = (large == zero) | (large == Infinity(x));
  small = Select(is_special, Select(small == Infinity(x), one, zero), small);
  large = Select(is_special, one, large);
  // Neither the sum nor the inverse overflows.
  const F scale = Select(large > Like(x, 0x1p512), Like(x, 0x1p-512),
                         Select(large < Like(x, 0x1p-512), Like(x, 0x1p512), one));
  small = small * scale, large = large * scale;
  // atan(q) = pi / 4 + atan((q - 1) / (q + 1))
  const auto is_diagonal = small > large * Like(x, 0.41421356237309503);
  const Pair<F> less = SumOf(-large, small), more = SumOf(large, small);
  const Pair<F> quotient = QuotientOf(
      Pair<F>{Select(is_diagonal, less.high, small), Select(is_diagonal, less.low, zero)},
      Pair<F>{Select(is_diagonal, more.high, large), Select(is_diagonal, more.low, zero)});
  const F q = quotient.high;
  const F s = UnlessTiny(q, 0x1p-54), z = s * s;
  // atan(q) = q - q^3 / 3 + q^5 p(q^2); as a pair, q^3 / 3 counts with more than one number.
  Pair<F> arc = {q, quotient.low};
  if constexpr (kIsPair) {
    const F higher = Polynomial(
        z, {0.19999999999999224, -0.14285714285543551, 0.11111111096264446, -0.090909083954096066,
            0.076922877438860188, -0.066662925259208673, 0.058776046408888022, -0.0522183535856633,
            0.045164171845683402, -0.033752765215324921, 0.015459354909347911});
    Pair<F> third =
        Multiple(Like(x, -0.33333333333333331), Pair<F>{z, Fma(s, s, -z) + (s + s) * quotient.low});
    third.low = Fma(z, Like(x, -1.8503717077085941e-17), third.low);
    const Pair<F> cube = Multiple(q, third);
    arc = SumOf(q, cube.high);
    arc.low = arc.low + (cube.low + Fma(q * z * z, higher,
                                        Fma(quotient.low, Fma(z, z, third.high), quotient.low)));
  } else {
    const F rest =
        Polynomial(z, {-0.33333333333333199, 0.1999999999995408, -0.14285714280248411,
                       0.11111110786135933, -0.090908978364412747, 0.076920616374181063,
                       -0.066631203897197532, 0.058480089654151218, -0.050398457377735928,
                       0.03807832650488772, -0.017922284983121477});
    arc.low = Fma(q * z, rest, quotient.low);
  }
  // quarters pi / 4 + atan(q), or pi / 2 and pi minus that.
  F quarters = Select(is_diagonal, one, zero), sign = one;
  quarters = Select(is_steep, Like(x, 2) - quarters, quarters);
  sign = Select(is_steep, -sign, sign);
  const auto is_left = CopySign(one, x) < zero;
  quarters = Select(is_left, Like(x, 4) - quarters, quarters);
  sign = Select(is_left, -sign, sign);
  const Pair<F> sum = SumOf(quarters * Like(x, 0.78539816339744828), sign * arc.high);
  return {sum.high, Fma(quarters, Like(x, 3.061616997868383e-17), Fma(sign, arc.low, sum.low))};
}
template <class F>
F Atan2F64(const F& y, const F& x) {
  const auto [high, low] = AnglePairF64<false>(y, x);
  return Select((x == x) & (y == y), CopySign(high + low, y), x + y);
}

template <class F>
F AtanF64(const F& x) {
  return AtanOf(x, kHalfPiHigh, kHalfPiLow, AtanRestF64<F>);
}

// For s = |x| if that is at most 1/2, otherwise s = sqrt((1 - |x|) / 2): asin(s) = s + s more.
template <class F>
struct AsinParts {
  F s, more;
};
template <class F>
AsinParts<F> AsinPartsF64(const F& x) {
  const F size = Abs(x), half = Like(x, 0.5);
  const auto is_near = size < half;
  const F z = Select(is_near, SquareF64(size), Fma(size, Like(x, -0.5), half));
  const F s = Select(is_near, size, Sqrt(z));
  return {s,
          z * Polynomial(z, {0.16666666666665383, 0.0750000000034304, 0.044642856823481125,
                             0.030381959331381231, 0.022371753520131129, 0.017359771145956693,
                             0.013884598196163385, 0.01217328042988559, 0.0065108511934765106,
                             0.019573905045433568, -0.016294061326912215, 0.031958950313593114})};
}
// pi / 2 - 2 asin(sqrt((1 - x) / 2))
template <class F>
F AsinF64(const F& x) {
  const auto [s, more] = AsinPartsF64(x);
  const auto is_near = Abs(x) < Like(x, 0.5);
  const F base = Select(is_near, Like(x, 0), Like(x, kHalfPiHigh));
  const F base_low = Select(is_near, Like(x, 0), Like(x, kHalfPiLow));
  const F term = Select(is_near, s, Like(x, -2) * s);
  const Pair<F> sum = SumOf(base, term);
  return FlipSign(sum.high + Fma(term, more, sum.low + base_low), x);
}
// pi / 2 - asin(x), 2 asin(sqrt((1 - x) / 2)), or pi - 2 asin(sqrt((1 + x) / 2))
template <class F>
F AcosF64(const F& x) {
  const auto [s, more] = AsinPartsF64(x);
  const F zero = Like(x, 0), two = Like(x, 2);
  const auto is_near = Abs(x) < Like(x, 0.5), is_left = x < zero;
  const F halves = Select(is_near, Like(x, 1), Select(is_left, two, zero));
  const F term = FlipSign(Select(is_near, -s, s + s), x);
  const Pair<F> sum = SumOf(halves * Like(x, kHalfPiHigh), term);
  return sum.high + Fma(term, more, Fma(halves, Like(x, kHalfPiLow), sum.low));
}

// log(high + low + 1), or log(2 x) for x beyond `large`; high >= 0. `split` and `log_of_parts` are
// SplitForLog and LogOfParts of the type.
template <class F, class Split, class LogOfParts>
F LogOfSum(const F& x, const Pair<F>& sum, double large, Split split, LogOfParts log_of_parts) {
  const F one = Like(x, 1);
  const auto is_large = x > Like(x, large);
  const F u = sum.high + one;
  const F lost = Select(sum.high < one, sum.high - (u - one), one - (u - sum.high)) + sum.low;
  LogParts<F> parts = split(Select(is_large, x, u));
  parts.exponent = parts.exponent + Select(is_large, one, Like(x, 0));
  return log_of_parts(parts, Select(is_large, Like(x, 0), lost / u));
}
template <class F>
F LogOfSumF32(const F& x, const Pair<F>& sum) {
  return LogOfSum(x, sum, 0x1p12, SplitForLogF32<F>, LogOfPartsF32<F>);
}
template <class F>
F LogOfSumF64(const F& x, const Pair<F>& sum) {
  return LogOfSum(x, sum, 0x1p28, SplitForLogF64<F>, LogOfPartsF64<F>);
}
// log1p(|x| + x^2 / (1 + sqrt(1 + x^2))); x itself up to `tiny`.
template <class F, class LogOfSum>
F AsinhOf(const F& x, double tiny, double little, LogOfSum log_of_sum) {
  const F size = Abs(x), one = Like(x, 1);
  const F away = AwayFromZero(size, little);
  const F root = Sqrt(Fma(away, away, one));
  const F y = log_of_sum(away, SumOf(away, away * (away / (root + one))));
  return Select((size > Like(x, tiny)) & (size < Infinity(x)), FlipSign(y, x), x);
}
template <class F>
F AsinhF32(const F& x) {
  return AsinhOf(x, 0x1p-12, 0x1p-42, LogOfSumF32<F>);
}
template <class F>
F AsinhF64(const F& x) {
  return AsinhOf(x, 0x1p-28, 0x1p-88, LogOfSumF64<F>);
}
// log1p(t + sqrt(t^2 + 2 t)), t = x - 1
template <class F, class LogOfSum>
F AcoshOf(const F& x, LogOfSum log_of_sum) {
  const F t = x - Like(x, 1);
  const F y = log_of_sum(x, SumOf(Sqrt(Fma(t, t, t + t)), t));
  return Select(t < Like(x, 0), NaN(x), Select(x < Infinity(x), y, x));
}
template <class F>
F AcoshF32(const F& x) {
  return AcoshOf(x, LogOfSumF32<F>);
}
template <class F>
F AcoshF64(const F& x) {
  return AcoshOf(x, LogOfSumF64<F>);
}
// log((1 + |x|) / (1 - |x|)) / 2 = n ln 2 / 2 + atanh((a - b) / (a + b)), where a = 1 + |x| and
// b = 2^n (1 - |x|): within a factor of 3/2 of each other, so that a - b is exact.
template <class F>
F AtanhF64(const F& x) {
  const F size = Abs(x), one = Like(x, 1);
  const Pair<F> above = SumOf(one, size), below = SumOf(one, -size);
  const auto shift = Bits(Like(x, 0x1.8p52));
  const auto n = Shr(Bits(above.high) - Bits(below.high) + LikeInt(shift, int64_t{1} << 51), 52);
  const F exponent = FromBits(n + shift) - Like(x, 0x1.8p52);
  const F scale = PowerOf2F64(n);
  const F a = above.high, b = scale * below.high;
  const F b_low = scale * below.low;
  const F sum = a + b;
  const Pair<F> s = QuotientOf(Pair<F>{a - b, above.low - b_low},
                               Pair<F>{sum, ((a - sum) + b) + (above.low + b_low)});
  const F z = s.high * s.high;
  const F rest = Fma(s.high * z,
                     Polynomial(z, {0.33333333333333298, 0.20000000000028476, 0.14285714277883967,
                                    0.11111112151428899, 0.090908327556318735, 0.076955617072316249,
                                    0.065867060173082609, 0.069221391486879705}),
                     s.low);
  const Pair<F> y = SumOf(exponent * Like(x, 0.5 * 6.93147180369123816490e-01), s.high);
  const F result = y.high + Fma(exponent, Like(x, 0.5 * 1.90821492927058770002e-10), y.low + rest);
  return Select(size < one, FlipSign(result, x),
                Select(size == one, FlipSign(Infinity(x), x), NaN(x)));
}

template <class F>
F AtanhF32(const F& x) {
  return Narrow(AtanhF64(Widen(x)));
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_INVERSE_H_
