// SPDX-License-Identifier: Apache-2.0
// The incomplete gamma functions of math.h and their derivatives by the order.
//
// Sources: DLMF 8.7.1 (series, x <= a), 8.9.2 (continued fraction, x > a), 8.12 (uniform expansion
// for large a: N. Temme), for small a 5.7.3 and 8.7.3; dlmf.nist.gov. Derivatives are those of
// these formulas term by term.
#include <cmath>
#include <vector>

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/special_functions.h"

namespace xla {
namespace {

using lib_internal::Deviance;
using lib_internal::Digamma64;
using lib_internal::InF64;
using lib_internal::Iterate;
using lib_internal::kInfinity;
using lib_internal::kNaN;
using lib_internal::Polynomial;
using lib_internal::StirlingError;

// From here on the uniform expansion serves; below, no loop takes this many steps.
constexpr double kLargeOrder = 1e4;
constexpr int kGammaSteps = 2000;
// Up to here Q for x <= 1 is summed itself, not as 1 - P.
constexpr double kSmallOrder = 0.5;
constexpr double kPrecision = 0x1p-51;

// P or Q, the part of gamma(a) below or above x, divided by x^a e^-x / gamma(a + 1), and the
// derivative of P or Q by a, divided by the same.
struct Scaled {
  XlaOp value, slope;
};

// P: the sum of x^k / ((a + 1) .. (a + k)).
absl::StatusOr<Scaled> GammaSeries(XlaOp a, XlaOp x, bool with_slope) {
  const XlaOp zero = FullLike(a, 0), one = FullLike(a, 1);
  const auto step = [&](XlaOp k, std::vector<XlaOp>& state) {
    XlaOp &order = state[0], &term = state[2], &sum = state[3];
    const XlaOp denominator = order + k;
    const XlaOp ratio = state[1] / denominator;
    const XlaOp precision = ScalarLike(term, kPrecision);
    XlaOp going = Gt(term * ratio, precision * sum);
    if (with_slope) {
      XlaOp &term_slope = state[4], &slope = state[5];
      term_slope = (term_slope - term / denominator) * ratio;
      slope = slope + term_slope;
      going = Or(going, Gt(Abs(term_slope), precision * Abs(slope)));
    }
    term = term * ratio;
    sum = sum + term;
    return going;
  };
  std::vector<XlaOp> state = {a, x, one, one};
  if (with_slope) state.insert(state.end(), {zero, zero});
  XLA_ASSIGN_OR_RETURN(state, Iterate("igamma_series", a.builder(), state, kGammaSteps, step));
  if (!with_slope) return Scaled{state[3], {}};
  // And that of x^a / gamma(a + 1).
  return Scaled{state[3], state[5] + state[3] * (Log(x) - Digamma64(a + one))};
}

// Q: Lentz's method for the continued fraction 1 / (b + c_1 / (b + 2 + c_2 / (b + 4 + ..))) with
// b = x + 1 - a and c_i = -i (i - a), all with derivatives by a.
absl::StatusOr<Scaled> GammaFraction(XlaOp a, XlaOp x, bool with_slope) {
  const XlaOp one = FullLike(a, 1);
  const auto step = [&](XlaOp i, std::vector<XlaOp>& state) {
    XlaOp &order = state[0], &b = state[1], &c = state[2], &d = state[3], &h = state[4];
    const XlaOp numerator = i * (order - i);
    b = b + ScalarLike(b, 2);
    const XlaOp next_c = b + numerator / c;
    const XlaOp next_d = Reciprocal(b + numerator * d);
    const XlaOp factor = next_c * next_d;
    const XlaOp precision = ScalarLike(b, kPrecision);
    XlaOp going = Gt(Abs(factor - ScalarLike(b, 1)), precision);
    if (with_slope) {
      // b falls with a, and the numerator rises by i.
      XlaOp &c_slope = state[5], &d_slope = state[6], &h_slope = state[7];
      c_slope = i / c - numerator * c_slope / (c * c) - ScalarLike(b, 1);
      d_slope = -(i * d + numerator * d_slope - ScalarLike(b, 1)) * next_d * next_d;
      const XlaOp change = h * (c_slope * next_d + next_c * d_slope);
      h_slope = h_slope * factor + change;
      const XlaOp scale = Abs(h_slope) + Abs(h * next_c * d_slope);
      going = Or(going, Gt(Abs(change), precision * scale));
    }
    c = next_c;
    d = next_d;
    h = h * factor;
    return going;
  };
  const XlaOp b = x + one - a;
  const XlaOp h = Reciprocal(b);
  // Before the first step c is infinite.
  std::vector<XlaOp> state = {a, b, FullLike(a, 1e300), h, h};
  if (with_slope) state.insert(state.end(), {ZerosLike(a), h * h, h * h});
  XLA_ASSIGN_OR_RETURN(state, Iterate("igammac_fraction", a.builder(), state, kGammaSteps, step));
  if (!with_slope) return Scaled{a * state[4], {}};
  return Scaled{a * state[4], a * (state[7] + state[4] * (Log(x) - Digamma64(a)))};
}

// log(gamma(1 + a)) for 0 <= a <= kSmallOrder, without the loss of digits of 1 + a: DLMF 5.7.3.
XlaOp LogGammaNearOne(XlaOp a) {
  constexpr double kOneLessEuler = 0.42278433509846713;
  // (-1)^k (zeta(k) - 1) / k for k = 27 to 2.
  constexpr double kZetas[] = {
      -2.7595228851242334e-10, 5.731367241678862e-10,  -1.1921401405860912e-09,
      2.4836745438024785e-09,  -5.183475041970047e-09, 1.0838659214896955e-08,
      -2.2711094608943164e-08, 4.7698101693639804e-08, -1.0043224823968099e-07,
      2.1207184805554665e-07,  -4.492469198764566e-07, 9.55141213040742e-07,
      -2.039215753801366e-06,  4.374866789907488e-06,  -9.439488275268397e-06,
      2.050721277567069e-05,   -4.492623673813314e-05, 9.945751278180853e-05,
      -0.00022315475845357939, 0.0005096695247430425,  -0.001192753911703261,
      0.0028905103307415234,   -0.007385551028673986,  0.020580808427784546,
      -0.0673523010531981,     0.3224670334241132};
  return a * (ScalarLike(a, kOneLessEuler) + a * Polynomial(a, kZetas)) - Log1p(a);
}

// Q for a <= kSmallOrder, x <= 1. P is (1 + u) (1 + a s) with 1 + u = x^a / gamma(a + 1) and s the
// sum of (-x)^k / (k! (a + k)), k >= 1; where a is small, so are u, a s and Q.
absl::StatusOr<XlaOp> UpperOfSmallOrder(XlaOp a, XlaOp x) {
  const auto step = [&](XlaOp k, std::vector<XlaOp>& state) {
    XlaOp &order = state[0], &term = state[2], &sum = state[3];
    term = term * state[1] / k;
    sum = sum + term / (order + k);
    return Gt(Abs(term), ScalarLike(term, kPrecision) * Abs(sum));
  };
  std::vector<XlaOp> state = {a, -x, FullLike(a, 1), ZerosLike(a)};
  XLA_ASSIGN_OR_RETURN(state, Iterate("igammac_series", a.builder(), state, kGammaSteps, step));
  const XlaOp u = Expm1(a * Log(x) - LogGammaNearOne(a));
  return -(u + (ScalarLike(a, 1) + u) * (a * state[3]));
}

// Coefficients of DLMF 8.12.8: c_k as power series of eta, highest power first.
constexpr double kTemme0[] = {
    -2.551419399494625e-11, 9.1476995822367902e-10, -4.3820360184533532e-9,  1.0261809784240308e-8,
    6.7078535434014986e-9,  -1.7665952736826079e-7, 8.296711340953086e-7,    -1.85406221071516e-6,
    -2.1854485106799922e-6, 3.9192631785224378e-5,  -0.00017875514403292181, 0.0003527336860670194,
    0.0011574074074074074,  -0.014814814814814815,  0.083333333333333333,    -0.33333333333333333};
constexpr double kTemme1[] = {
    -1.7543241719747648e-11, 1.1951628599778147e-8,   -5.752545603517705e-8,
    1.378633446915721e-7,    4.6471278028074343e-9,   -1.6120900894563446e-6,
    7.6491609160811101e-6,   -1.8098550334489978e-5,  -4.0187757201646091e-7,
    0.00020576131687242798,  -0.00099022633744855967, 0.0026455026455026455,
    -0.0034722222222222222,  -0.0018518518518518519};
constexpr double kTemme2[] = {
    -2.0477098421990866e-10, 1.4280614206064242e-7,   -6.298992138380055e-7,
    1.3721957309062933e-6,   3.4235787340961381e-8,   -1.2760635188618728e-5,
    5.2923448829120125e-5,   -0.00010736653226365161, 2.0093878600823045e-6,
    0.00077160493827160494,  -0.0026813271604938272,  0.0041335978835978836};
constexpr double kTemme3[] = {-2.7861080291528142e-11, 1.4230900732435884e-6,
                              -5.6749528269915966e-6,  1.1082654115347302e-5,
                              -2.3965051138672967e-7,  -7.5618016718839764e-5,
                              0.00026772063206283885,  -0.00046918949439525571,
                              0.00022947209362139918,  0.00064943415637860082};
constexpr absl::Span<const double> kTemme[] = {kTemme0, kTemme1, kTemme2, kTemme3};

// The derivative of a polynomial, highest power first.
std::vector<double> DerivativeOf(absl::Span<const double> coefficients) {
  std::vector<double> derivative;
  for (size_t i = 0; i + 1 < coefficients.size(); ++i) {
    derivative.push_back(coefficients[i] * static_cast<double>(coefficients.size() - 1 - i));
  }
  return derivative;
}

// P (of `lower`) or Q for large a and x near a: erfc(-+eta sqrt(a / 2)) / 2 -+ R(a, eta).
struct Uniform {
  XlaOp value, slope;  // the slope is scaled as that of Scaled, and that of P
};
Uniform UniformExpansion(XlaOp a, XlaOp x, XlaOp deviance, bool lower, bool with_slope) {
  const XlaOp mu = (x - a) / a;
  const XlaOp half_square = deviance / a;
  const XlaOp eta = Sign(mu) * Sqrt(half_square + half_square);
  XlaOp sum = ZerosLike(a);  // of c_k(eta) a^-k
  for (int k = 3; k >= 0; --k) sum = sum / a + Polynomial(eta, kTemme[k]);
  const XlaOp scale = Exp(-deviance) / Sqrt(ScalarLike(a, 2 * lib_internal::kPi) * a);
  const XlaOp argument = eta * Sqrt(a * ScalarLike(a, 0.5));
  const XlaOp half = ScalarLike(a, 0.5);
  Uniform result;
  result.value = lower ? half * lib_internal::Erfc64(-argument) - scale * sum
                       : half * lib_internal::Erfc64(argument) + scale * sum;
  if (!with_slope) return result;
  // d eta / da = -mu / (a eta); mu / eta is 1 + eta / 3 where both vanish.
  const XlaOp is_small = Lt(Abs(eta), ScalarLike(eta, 1e-9));
  const XlaOp one = ScalarLike(a, 1);
  const XlaOp mu_by_eta = Select(is_small, one + eta / ScalarLike(eta, 3),
                                 mu / Select(is_small, FullLike(eta, 1), eta));
  XlaOp sum_slope = ZerosLike(a);
  for (int k = 3; k >= 0; --k) {
    const XlaOp by_eta = -Polynomial(eta, DerivativeOf(kTemme[k])) * mu_by_eta;
    sum_slope = sum_slope / a + (by_eta - ScalarLike(a, k) * Polynomial(eta, kTemme[k])) / a;
  }
  // Of erfc(-argument) / 2, and of scale * sum, both divided by `scale`.
  const XlaOp of_erfc = half * eta - mu_by_eta;
  const XlaOp of_rest = (Log1p(mu) - half / a) * sum + sum_slope;
  // scale is x^a e^-x / gamma(a + 1) but for the error of Stirling's formula.
  result.slope = (of_erfc - of_rest) * Exp(StirlingError(a));
  return result;
}

// Which formula serves an element, and arguments for each that do no harm elsewhere.
struct Regions {
  XlaOp in_domain;                             // 0 < a, x < infinity
  XlaOp use_uniform, use_fraction, use_small;  // small: of the series for Q
  XlaOp a, x;                                  // in the domain, else 1
  XlaOp series_a, series_x, fraction_a, fraction_x, uniform_a, uniform_x, small_a, small_x;
};
Regions RegionsOf(XlaOp a, XlaOp x) {
  const XlaOp zero = ScalarLike(a, 0), infinity = ScalarLike(a, kInfinity), one = FullLike(a, 1);
  Regions r;
  r.in_domain = And(And(Gt(a, zero), Gt(x, zero)), And(Lt(a, infinity), Lt(x, infinity)));
  r.a = Select(r.in_domain, a, one);
  r.x = Select(r.in_domain, x, one);
  r.use_uniform =
      And(Ge(r.a, ScalarLike(a, kLargeOrder)), Lt(Abs(r.x - r.a), ScalarLike(a, 0.3) * r.a));
  const XlaOp above = And(Gt(r.x, one), Gt(r.x, r.a));
  r.use_fraction = And(above, Not(r.use_uniform));
  const XlaOp use_series = Not(Or(above, r.use_uniform));
  r.series_a = Select(use_series, r.a, one);
  r.series_x = Select(use_series, r.x, one);
  r.fraction_a = Select(r.use_fraction, r.a, one);
  r.fraction_x = Select(r.use_fraction, r.x, FullLike(x, 4));
  r.uniform_a = Select(r.use_uniform, r.a, FullLike(a, kLargeOrder));
  r.uniform_x = Select(r.use_uniform, r.x, FullLike(x, kLargeOrder));
  r.use_small = And(Le(r.a, ScalarLike(a, kSmallOrder)), Le(r.x, one));
  r.small_a = Select(r.use_small, r.a, FullLike(a, kSmallOrder));
  r.small_x = Select(r.use_small, r.x, one);
  return r;
}

// x^a e^-x / gamma(a + 1).
XlaOp Prefactor(XlaOp a, XlaOp x) {
  const XlaOp is_small = Le(a, ScalarLike(a, kSmallOrder));
  const XlaOp small_a = Select(is_small, a, FullLike(a, kSmallOrder));
  // Exponentials of halves of x, which are exact, do not underflow.
  const XlaOp root = Exp(ScalarLike(x, -0.5) * x);
  const XlaOp small = root * Exp(small_a * Log(x) - LogGammaNearOne(small_a)) * root;
  return Select(
      is_small, small,
      Exp(-StirlingError(a) - Deviance(a, x)) / Sqrt(ScalarLike(a, 2 * lib_internal::kPi) * a));
}

// P or Q in the domain.
absl::StatusOr<XlaOp> Regularized(const Regions& r, bool lower) {
  XLA_ASSIGN_OR_RETURN(const Scaled series, GammaSeries(r.series_a, r.series_x, false));
  XLA_ASSIGN_OR_RETURN(const Scaled fraction, GammaFraction(r.fraction_a, r.fraction_x, false));
  const Uniform uniform =
      UniformExpansion(r.uniform_a, r.uniform_x, Deviance(r.uniform_a, r.uniform_x), lower, false);
  const XlaOp prefactor = Prefactor(r.a, r.x);
  const XlaOp one = FullLike(r.a, 1);
  const XlaOp p = series.value * prefactor, q = fraction.value * prefactor;
  if (lower) return Select(r.use_uniform, uniform.value, Select(r.use_fraction, one - q, p));
  XLA_ASSIGN_OR_RETURN(const XlaOp small, UpperOfSmallOrder(r.small_a, r.small_x));
  return Select(r.use_uniform, uniform.value,
                Select(r.use_fraction, q, Select(r.use_small, small, one - p)));
}

// The derivative of P by a in the domain, divided by the prefactor.
absl::StatusOr<XlaOp> ScaledSlope(const Regions& r) {
  XLA_ASSIGN_OR_RETURN(const Scaled series, GammaSeries(r.series_a, r.series_x, true));
  XLA_ASSIGN_OR_RETURN(const Scaled fraction, GammaFraction(r.fraction_a, r.fraction_x, true));
  const Uniform uniform =
      UniformExpansion(r.uniform_a, r.uniform_x, Deviance(r.uniform_a, r.uniform_x), true, true);
  return Select(r.use_uniform, uniform.slope,
                Select(r.use_fraction, -fraction.slope, series.slope));
}

// Outside of the domain: NaN, but for the ends of the range.
XlaOp AtEnds(const Regions& r, XlaOp a, XlaOp x, XlaOp inside, double at_zero, double at_infinity) {
  const XlaOp zero = ScalarLike(a, 0), infinity = ScalarLike(a, kInfinity);
  const XlaOp finite_a = And(Gt(a, zero), Lt(a, infinity));
  const XlaOp from_below =
      Or(And(Eq(x, zero), Gt(a, zero)), And(Eq(a, infinity), And(Ge(x, zero), Lt(x, infinity))));
  XlaOp result = Select(r.in_domain, inside, FullLike(a, kNaN));
  result = Select(from_below, FullLike(a, at_zero), result);
  return Select(And(finite_a, Eq(x, infinity)), FullLike(a, at_infinity), result);
}

}  // namespace

XlaOp Igamma(XlaOp a, XlaOp x) {
  return InF64("Igamma", {a, x}, [](auto p) -> absl::StatusOr<XlaOp> {
    const Regions regions = RegionsOf(p[0], p[1]);
    XLA_ASSIGN_OR_RETURN(const XlaOp inside, Regularized(regions, /*lower=*/true));
    return AtEnds(regions, p[0], p[1], inside, 0, 1);
  });
}

XlaOp Igammac(XlaOp a, XlaOp x) {
  return InF64("Igammac", {a, x}, [](auto p) -> absl::StatusOr<XlaOp> {
    const Regions regions = RegionsOf(p[0], p[1]);
    XLA_ASSIGN_OR_RETURN(const XlaOp inside, Regularized(regions, /*lower=*/false));
    const XlaOp result = AtEnds(regions, p[0], p[1], inside, 1, 0);
    // By definition of XLA 1 where nothing is defined.
    const XlaOp zero = ScalarLike(p[0], 0);
    const XlaOp undefined =
        And(Or(Le(p[0], zero), Le(p[1], zero)), Not(Or(IsNan(p[0]), IsNan(p[1]))));
    return Select(undefined, FullLike(p[0], 1), result);
  });
}

XlaOp IgammaGradA(XlaOp a, XlaOp x) {
  return InF64("IgammaGradA", {a, x}, [](auto p) -> absl::StatusOr<XlaOp> {
    const Regions regions = RegionsOf(p[0], p[1]);
    XLA_ASSIGN_OR_RETURN(const XlaOp slope, ScaledSlope(regions));
    return AtEnds(regions, p[0], p[1], slope * Prefactor(regions.a, regions.x), 0, 0);
  });
}

XlaOp RandomGammaGrad(XlaOp a, XlaOp x) {
  return InF64("RandomGammaGrad", {a, x}, [](auto p) -> absl::StatusOr<XlaOp> {
    const Regions regions = RegionsOf(p[0], p[1]);
    XLA_ASSIGN_OR_RETURN(const XlaOp slope, ScaledSlope(regions));
    // The density is the prefactor times a / x.
    return AtEnds(regions, p[0], p[1], -slope * regions.x / regions.a, 0, kNaN);
  });
}

}  // namespace xla
