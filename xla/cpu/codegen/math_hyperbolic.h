// SPDX-License-Identifier: Apache-2.0
// tanh, erf, sinh and cosh over a type of lanes (math_exp_log.h).
#ifndef XLA_CPU_CODEGEN_MATH_HYPERBOLIC_H_
#define XLA_CPU_CODEGEN_MATH_HYPERBOLIC_H_

#include "xla/cpu/codegen/math_exp_log.h"

namespace xla::cpu::math {

// One polynomial for t = tanh r: of x itself below 0.7, else of the rest of x = n ln 2 / 2 + r, for
// which exp(2 x) = 2^n (1 + t) / (1 - t).
template <class F>
F TanhF32(const F& x) {
  const F size = Abs(x);
  const auto is_near = size < Like(x, 0.7);
  // 1 from about 9 on.
  const F bounded = Select(size > Like(x, 10), Like(x, 10), size);
  const auto n = RoundToExponentF32(bounded, 2 * 1.4426950408889634, kPowerBias);
  const F r = Select(is_near, size, Fma(n.number, Like(x, -0.34657359027997264), bounded));
  const F z = SquareF32(r);
  const F t = Fma(r * z,
                  Polynomial(z, {-0.33333196623863971, 0.13329243201535679, -0.0535669892205198,
                                 0.020111649225190464, -0.00515509996826545}),
                  r);
  // 1 - 2 / (exp(2 x) + 1)
  const F less = Like(x, 1) - t;
  const F ratio = less / Fma(Like(x, 1) + t, PowerOf2F32(n), less);
  return FlipSign(Select(is_near, t, Fma(ratio, Like(x, -2), Like(x, 1))), x);
}

// A polynomial up to 1, 1 - exp of one beyond.
template <class F>
F ErfF32(const F& x) {
  const F size = Abs(x);
  const F z = SquareF32(size);
  const F near = Fma(size,
                     Polynomial(z, {0.12837916591389935, -0.37612627135528626, 0.1128360016912614,
                                    -0.026854444237171003, 0.0051895345933877163,
                                    -0.00080208342986788889, 7.8890955104775809e-5}),
                     size);
  const auto is_near = size < Like(x, 1);
  const F y = WhereAny(!is_near, near, [&] {
    const F t = Select(size > Like(x, 4), Like(x, 4), size);
    const F p = Polynomial(t, {-0.12859959251539459, -0.63541008489457312, -0.10566912879107684,
                               0.023091715792812377, -0.003182062642742892, 0.00013876727056235605,
                               2.8431803788675832e-5, -3.5567043689035418e-6});
    const F exponent = Fma(t, p, -t);
    const auto n = RoundToExponentF32(exponent, 1.4426950408889634, kPowerBias);
    // exp(r): a factor of what is subtracted from 1, which is below 0.16.
    const F r = Fma(n.number, Like(x, -0.6931471805599453), exponent);
    const F e = Polynomial(r, {1, 1, 0.49999146867623783, 0.1666645770303775, 0.041898291836593323,
                               0.0083746023456110166});
    return Select(is_near, near, Fma(-e, PowerOf2F32(n), Like(x, 1)));
  });
  return FlipSign(y, x);
}

template <class F>
F ErfF64(const F& x) {
  const F size = Abs(x);
  const F near =
      Fma(size,
          Polynomial(SquareF64(size),
                     {0.12837916709551257, -0.37612638903183748, 0.11283791670954884,
                      -0.026866170645077874, 0.0052239776248284296, -0.00085483269814259963,
                      0.00012055331132988645, -1.4925595773305657e-5, 1.6461008500463625e-6,
                      -1.6350396504903226e-7, 1.4660330858787548e-8, -1.1374964774195255e-9,
                      5.9607017395584994e-11}),
          size);
  const F t = Select(size > Like(x, 6), Like(x, 6), size);
  const F p =
      Polynomial(t, {-5.1324254937054441e-7, -1.1283739917028426, 0.36335594487355198,
                     -0.10270228975063718, 0.018988041990454265, 0.00041353657609694421,
                     -0.0019189455870865535, 0.00077304302426630158, -0.00013655414304941993,
                     -1.9523836651749164e-5, 2.253326944750579e-5, -8.5789030827153724e-6,
                     2.1148282714126255e-6, -3.69570374675865e-7, 4.5933831972411584e-8,
                     -3.890066355109437e-9, 2.0203706990343018e-10, -4.8651688689452687e-12});
  const F far = Like(x, 1) - ExpF64(Fma(-t, t, p));
  return FlipSign(Select(size < Like(x, 1), near, far), x);
}

// sinh x / 2 and cosh x / 2 as pairs, for 0 <= x <= 710.5: x = n ln 2 + r gives
// sinh x = (2^n - 2^-n) / 2 cosh r + (2^n + 2^-n) / 2 sinh r, and cosh x likewise.
template <class F>
struct SinhCoshPairs {
  Pair<F> sinh, cosh;
};
template <class F>
SinhCoshPairs<F> HalvesOfSinhCoshF64(const F& x) {
  const auto n = RoundF64(x * Like(x, 1.4426950408889634));
  const auto [r, low] = PairLessMultipleOfLn2F64(x, n.number);
  const F z = SquareF64(r);
  // Beyond sinh r = r and cosh r = 1.
  const F s = Fma(r * z,
                  Polynomial(z, {0.16666666666666677, 0.0083333333333216247, 0.00019841269886132981,
                                 2.7557244210440183e-6, 2.5109034044943379e-8}),
                  low);
  const F c =
      Fma(z,
          Fma(z,
              Polynomial(z, {0.041666666666666685, 0.0013888888888873474, 2.4801587348765742e-5,
                             2.7557252232460143e-7, 2.0921631776298806e-9}),
              Like(x, 0.5)),
          r * low);
  const auto two = LikeInt(n.integer, 2);
  const F grown = PowerOf2F64(n.integer - two);
  const F shrunk = Select(n.number < Like(x, 1000),
                          PowerOf2F64(LikeInt(n.integer, 0) - (n.integer + two)), Like(x, 0));
  const auto [sum, sum_low] = SumOf(grown, shrunk);
  const auto [difference, difference_low] = SumOf(grown, -shrunk);
  const F sinh = Fma(sum, r, difference), cosh = Fma(difference, r, sum);
  return {
      SumOf(sinh, Fma(sum, r, difference - sinh) + Fma(difference, c, Fma(sum, s, difference_low))),
      SumOf(cosh, Fma(difference, r, sum - cosh) + Fma(sum, c, Fma(difference, s, sum_low)))};
}

inline constexpr double kSinhIsX = 0x1p-28;  // below

template <class F>
F SinhF64(const F& x) {
  const F size = Abs(x);
  const F bounded = Select(size > Like(x, 710.5), Like(x, 710.5), size);
  const F half = HalvesOfSinhCoshF64(bounded).sinh.high;
  return Select(size < Like(x, kSinhIsX), x, FlipSign(half + half, x));
}
template <class F>
F CoshF64(const F& x) {
  const F size = Abs(x);
  const F bounded = Select(size > Like(x, 710.5), Like(x, 710.5), size);
  const F half = HalvesOfSinhCoshF64(bounded).cosh.high;
  return half + half;
}
// As TanhF32, with one constant for ln 2 / 2: the larger n is, the less the error of r counts.
template <class F>
F TanhF64(const F& x) {
  const F size = Abs(x);
  const auto is_near = size < Like(x, 0.65);
  // 1 from about 19 on.
  const F bounded = Select(size > Like(x, 22), Like(x, 22), size);
  const auto n = RoundToExponentF64(bounded, 2 * 1.4426950408889634, 1023);
  const F r = Select(is_near, size, Fma(n.number, Like(x, -0.34657359027997264), bounded));
  const F z = SquareF64(r);
  const F p =
      PolynomialInHalves(z, {-0.3333333333333233, 0.13333333333193849, -0.053968253900756638,
                             0.021869486904458669, -0.008863212548865224, 0.0035919236375957419,
                             -0.001454635289266156, 0.00058529642357990155, -0.00022657674418710208,
                             7.4964473214989269e-5, -1.5043315727861949e-5});
  const F t = Fma(r * z, p, r);
  const F less = Like(x, 1) - t;
  const F ratio = less / Fma(Like(x, 1) + t, FromBits(Shl(n.integer, 52)), less);
  return FlipSign(Select(is_near, t, Fma(ratio, Like(x, -2), Like(x, 1))), x);
}

template <class F>
F AccurateTanhF64(const F& x) {
  const F size = Abs(x);
  const auto [sinh, cosh] = HalvesOfSinhCoshF64(Select(size > Like(x, 22), Like(x, 22), size));
  const Pair<F> y = QuotientOf(sinh, cosh);
  return Select(size < Like(x, kSinhIsX), x, FlipSign(y.high + y.low, x));
}

template <class F>
F SinhF32(const F& x) {
  return Narrow(SinhF64(Widen(x)));
}
template <class F>
F CoshF32(const F& x) {
  return Narrow(CoshF64(Widen(x)));
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_HYPERBOLIC_H_
