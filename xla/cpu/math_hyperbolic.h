// SPDX-License-Identifier: Apache-2.0
// tanh, erf, sinh, cosh and the inverse hyperbolic functions over a type of lanes (math_exp_log.h).
#ifndef XLA_CPU_MATH_HYPERBOLIC_H_
#define XLA_CPU_MATH_HYPERBOLIC_H_

#include "xla/cpu/math_exp_log.h"

namespace xla::cpu::math {

template <class F>
F TanhF32(const F& x) {
  const F size = Abs(x);
  const F z = x * x;
  const F near = Fma(size * z,
                     Polynomial(z, {-0.33333283924872329, 0.13331491302310006, -0.05374349971142445,
                                    0.0206505915528771, -0.0057170479192328071}),
                     size);
  // 1 from about 9 on.
  const F bounded = Select(size > Like(x, 10), Like(x, 10), size);
  const F e = ExpOfBoundedF32(bounded + bounded);
  const F far = Like(x, 1) - Like(x, 2) / (e + Like(x, 1));
  return FlipSign(Select(size < Like(x, 0.625), near, far), x);
}

// A polynomial up to 0.3; beyond, m / (m + 2) = 1 - 2 / (m + 2), where m = expm1(2 |x|).
template <class F>
F TanhF64(const F& x) {
  const F size = Abs(x), two = Like(x, 2);
  const F z = x * x;
  const F near = Fma(size * z,
                     Polynomial(z, {-0.33333333333326868, 0.1333333333149123, -0.053968252191935114,
                                    0.021869407214522405, -0.0088612390570360304,
                                    0.0035650398563447081, -0.0012626241787064181}),
                     size);
  const F m = Expm1F64(size + size);
  const auto is_far = size > Like(x, 0.55);
  const F quotient = Select(is_far, two, m) / (m + two);
  const F far = Select(is_far, Like(x, 1) - quotient, quotient);
  return FlipSign(Select(size < Like(x, 0.3), near, far), x);
}

// A polynomial up to 1, 1 - exp of one beyond.
template <class F>
F ErfF32(const F& x) {
  const F size = Abs(x);
  const F z = x * x;
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
    return Select(is_near, near, Like(x, 1) - ExpOfBoundedF32(Fma(t, p, -t)));
  });
  return FlipSign(y, x);
}

template <class F>
F ErfF64(const F& x) {
  const F size = Abs(x);
  const F near =
      Fma(size,
          Polynomial(x * x, {0.12837916709551257, -0.37612638903183748, 0.11283791670954884,
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

// The following compute in f64.
template <class F>
F SinhF32(const F& x) {
  const auto m = Expm1F64(Widen(Abs(x)));
  const auto one = Like(m, 1);
  const auto y = Like(m, 0.5) * (m + Select(m < Infinity(m), m / (m + one), one));
  return FlipSign(Narrow(y), x);
}
template <class F>
F CoshF32(const F& x) {
  const auto e = ExpF64(Widen(Abs(x)));
  return Narrow(Like(e, 0.5) * (e + Like(e, 1) / e));
}
template <class F>
F AsinhF32(const F& x) {
  const auto w = Widen(Abs(x));
  const auto one = Like(w, 1);
  const auto y = Log1pF64(w + w * (w / (one + Sqrt(Fma(w, w, one)))));
  return Select(Abs(x) == Infinity(x), x, FlipSign(Narrow(y), x));
}
template <class F>
F AcoshF32(const F& x) {
  const auto t = Widen(x) - Like(Widen(x), 1);
  const F y = Narrow(Log1pF64(t + Sqrt(t * (t + Like(t, 2)))));
  return Select(x < Like(x, 1), NaN(x), y);
}
template <class F>
F AtanhF32(const F& x) {
  const auto w = Widen(Abs(x));
  const auto y = Like(w, 0.5) * Log1pF64((w + w) / (Like(w, 1) - w));
  return FlipSign(Narrow(y), x);
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_MATH_HYPERBOLIC_H_
