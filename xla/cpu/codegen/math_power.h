// SPDX-License-Identifier: Apache-2.0
// pow and cbrt over a type of lanes (math_exp_log.h).
#ifndef XLA_CPU_CODEGEN_MATH_POWER_H_
#define XLA_CPU_CODEGEN_MATH_POWER_H_

#include "xla/cpu/codegen/math_exp_log.h"
#include "xla/cpu/codegen/math_pair.h"

namespace xla::cpu::math {

// The special values and the sign of IEEE 754's pow, for |x|^y.
template <class F>
F PowOfSize(const F& x, const F& y, const F& size) {
  const F one = Like(x, 1), zero = Like(x, 0);
  const F half = y * Like(x, 0.5);
  const auto is_integer = RoundEven(y) == y;
  const auto is_odd = is_integer & (RoundEven(half) != half);
  const F value = Select(is_odd, FlipSign(size, x), size);
  const auto is_undefined = (x < zero) & (x > -Infinity(x)) & !is_integer & (Abs(y) < Infinity(x));
  const auto is_one = (x == one) | (y == zero) | ((Abs(x) == one) & (Abs(y) == Infinity(x)));
  return Select(is_one, one, Select(is_undefined, NaN(x), value));
}

// exp(y log |x|) in f64.
template <class F>
F PowF32(const F& x, const F& y) {
  return PowOfSize(x, y, Narrow(ExpF64(Widen(y) * LogF64(Widen(Abs(x))))));
}

// log2(x) to 2^-64 of itself, for normal x > 0: e + 2 / ln 2 atanh(s), s = f / (2 + f).
template <class F>
Pair<F> Log2PairF64(const LogParts<F>& parts) {
  const F& f = parts.fraction;
  const F zero = Like(f, 0);
  const Pair<F> s = QuotientOf(Pair<F>{f, zero}, SumOf(Like(f, 2), f));
  const F z = s.high * s.high;
  const F z_low = Fma(s.high, s.high, -z) + (s.high + s.high) * s.low;
  // atanh(s) = s (1 + z / 3 + z^2 p(z)), of which z / 3 needs more than one number.
  const F third = Like(f, 0.33333333333333331);
  const Pair<F> cubic = ProductOf(z, third);
  const F cubic_low = cubic.low + Fma(z, Like(f, 1.8503717077085941e-17), z_low * third);
  const F rest = z * z *
                 Polynomial(z, {0.20000000000001128, 0.14285714285050053, 0.11111111259909654,
                                0.09090892188479192, 0.076933784224385563, 0.066284148911399648,
                                0.06598105496703905});
  const Pair<F> factor = SumOf(cubic.high, rest);
  const Pair<F> more = ProductOf(s.high, factor.high);
  const Pair<F> atanh = SumOf(s.high, more.high);
  const F atanh_low =
      atanh.low + (more.low + Fma(s.high, factor.low + cubic_low, Fma(s.low, factor.high, s.low)));
  const F scale = Like(f, 2.8853900817779268);
  const Pair<F> log = ProductOf(atanh.high, scale);
  const F log_low = log.low + Fma(atanh.high, Like(f, 4.0710547481862066e-17), atanh_low * scale);
  const Pair<F> sum = SumOf(parts.exponent, log.high);
  return SumOf(sum.high, sum.low + log_low);
}

// 2^(y log2 |x|), the exponent as two numbers.
template <class F>
F PowF64(const F& x, const F& y) {
  const F size = Abs(x), zero = Like(x, 0);
  const auto subnormal = size < Like(x, 0x1p-1022);
  LogParts<F> parts = SplitForLogF64(Select(subnormal, size * Like(x, 0x1p52), size));
  parts.exponent = parts.exponent - Select(subnormal, Like(x, 52), zero);
  const Pair<F> log = Log2PairF64(parts);
  const F infinite =
      Select(size == zero, -Infinity(x), Select(size == Infinity(x), size, log.high));
  const F product = y * Select(size == size, infinite, size);
  // Results beyond these are infinite and zero. NaN stays.
  const F limit = Like(x, 1100);
  const auto is_beyond = Abs(product) > limit;
  const F exponent = Select(is_beyond, CopySign(limit, product), product);
  const F rest = Select(is_beyond, zero, Fma(y, log.high, -product) + y * log.low);
  const auto n = RoundF64(exponent);
  const F f = exponent - n.number;
  const F ln2 = Like(x, 0.69314718055994529);
  const Pair<F> whole = ProductOf(f, ln2);
  const Pair<F> r =
      SumOf(whole.high, whole.low + Fma(f, Like(x, 2.3190468138462996e-17), rest * ln2));
  const Pair<F> head = SumOf(Like(x, 1), r.high);
  const F tail = Fma(r.high * r.high, ExpPolynomialF64(r.high), r.low) + head.low;
  return PowOfSize(x, y, ScaleF64(head.high + tail, n));
}

// x = 8^n m, 1/sqrt(8) <= m < sqrt(8). A guess of m^(-1/3) in four digits, a step of Halley's
// method, and a step of Newton's method for m^(1/3), whose residual is exact: without divisions.
template <class F>
F CbrtF64(const F& x) {
  const F size = Abs(x), one = Like(x, 1);
  const auto subnormal = size < Like(x, 0x1p-1022);
  const LogParts<F> parts = SplitForLogF64(Select(subnormal, size * Like(x, 0x1p54), size));
  const auto n = RoundF64(parts.exponent * Like(x, 1.0 / 3));
  const F rest = parts.exponent - (n.number + n.number + n.number);  // -1, 0 or 1
  const auto is_above = rest > Like(x, 0), is_below = rest < Like(x, 0);
  const F m =
      (parts.fraction + one) * Select(is_above, Like(x, 2), Select(is_below, Like(x, 0.5), one));
  const F guess = Polynomial(parts.fraction, {0.99977864141363944, -0.33467004797550145,
                                              0.23772120350997272, -0.15853909218020978}) *
                  Select(is_above, Like(x, 0.79370052598409974),
                         Select(is_below, Like(x, 1.2599210498948732), one));
  const F off = Fma(-(guess * guess * guess), m, one);
  const F inverse = Fma(guess * off, Fma(off, Like(x, 2.0 / 9), Like(x, 1.0 / 3)), guess);
  const F square = inverse * inverse;
  const F root = m * square;
  const Pair<F> root_square = ProductOf(root, root);
  const F residual = Fma(-root_square.high, root, m) - root_square.low * root;
  const F y = Fma(residual * square, Like(x, 1.0 / 3), root) * PowerOf2F64(n.integer) *
              Select(subnormal, Like(x, 0x1p-18), one);
  return Select((size > Like(x, 0)) & (size < Infinity(x)), FlipSign(y, x), x);
}
template <class F>
F CbrtF32(const F& x) {
  return Narrow(CbrtF64(Widen(x)));
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_POWER_H_
