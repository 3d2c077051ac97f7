// SPDX-License-Identifier: Apache-2.0
// Special functions of math.h, in F64: the error and gamma functions, and what the others need.
// special_functions_f32.cc has those that are computed with fewer digits for F32.
#include "xla/hlo/builder/lib/special_functions.h"

#include <cmath>
#include <vector>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"

namespace xla {
namespace lib_internal {

XlaOp InF64(const char* call, absl::Span<const XlaOp> operands,
            absl::FunctionRef<absl::StatusOr<XlaOp>(absl::Span<const XlaOp>)> make) {
  return Make(call, operands, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    std::vector<Shape> shapes;
    size_t full = 0;  // the operand whose shape the result has
    for (size_t i = 0; i < operands.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(Shape shape, RealShape(b, operands[i]));
      if (shapes.empty() || shape.rank() > shapes[full].rank()) full = i;
      shapes.push_back(std::move(shape));
    }
    std::vector<XlaOp> wide;
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool fits =
          ShapeUtil::IsScalar(shapes[i]) || ShapeUtil::SameDimensions(shapes[i], shapes[full]);
      if (!fits || shapes[i].element_type() != shapes[full].element_type()) {
        return InvalidArgumentStrCat("Operands must have equal shapes and types, but got ",
                                     ShapeUtil::HumanString(shapes[full]), " and ",
                                     ShapeUtil::HumanString(shapes[i]), ".");
      }
      const XlaOp x = ConvertElementType(operands[i], F64);
      const bool stretches = shapes[i].rank() < shapes[full].rank();
      wide.push_back(stretches ? FullLikeScalar(operands[full], x) : x);
    }
    XLA_ASSIGN_OR_RETURN(const XlaOp result, make(wide));
    return ConvertElementType(result, shapes[full].element_type());
  });
}

bool IsF64(XlaOp x) {
  const auto shape = x.valid() ? x.builder()->GetShapePtr(x) : nullptr;
  return shape.ok() && *shape != nullptr && (*shape)->element_type() == F64;
}

XlaOp Horner(XlaOp x, absl::Span<const double> coefficients) {
  XlaOp value = ScalarLike(x, coefficients[0]);
  for (const double c : coefficients.subspan(1)) value = value * x + ScalarLike(x, c);
  return value;
}

XlaOp Polynomial(XlaOp x, absl::Span<const double> coefficients) {
  constexpr size_t kShortChain = 6;
  if (coefficients.size() <= kShortChain) return Horner(x, coefficients);
  // Of even and of odd powers, from the highest one down.
  std::vector<double> halves[2];
  for (size_t i = 0; i < coefficients.size(); ++i) {
    halves[(coefficients.size() - 1 - i) % 2].push_back(coefficients[i]);
  }
  const XlaOp square = x * x;
  return Polynomial(square, halves[0]) + x * Polynomial(square, halves[1]);
}

// Clenshaw's recurrence.
XlaOp Chebyshev(XlaOp t, absl::Span<const double> coefficients) {
  const XlaOp twice = t + t;
  XlaOp value = FullLike(t, 0), former = value, last = value;
  for (const double c : coefficients) {
    last = former;
    former = value;
    value = twice * former - last + ScalarLike(t, c);
  }
  return value - t * former;
}

absl::StatusOr<std::vector<XlaOp>> Iterate(const char* name, XlaBuilder* b,
                                           std::vector<XlaOp> initial, int limit, Step step) {
  std::vector<XlaOp> values = {ConstantR0<bool>(b, true), ConstantR0<double>(b, 1)};
  values.insert(values.end(), initial.begin(), initial.end());
  const auto condition = [&](absl::Span<const XlaOp> now, XlaBuilder*) -> absl::StatusOr<XlaOp> {
    return And(now[0], Le(now[1], ScalarLike(now[1], limit)));
  };
  const auto body = [&](absl::Span<const XlaOp> now,
                        XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
    std::vector<XlaOp> state(now.begin() + 2, now.end());
    const XlaOp going = Any(step(now[1], state));
    std::vector<XlaOp> next = {going, now[1] + ScalarLike(now[1], 1)};
    next.insert(next.end(), state.begin(), state.end());
    return next;
  };
  XLA_ASSIGN_OR_RETURN(values, WhileLoopHelper(condition, body, values, name, b));
  values.erase(values.begin(), values.begin() + 2);
  return values;
}

// exp(-a^2) t (1 + u p(u)) with a = |x|, t = 1 / (1 + a / 2) and u = t - 1; from 28 on the result
// is 0. The square of a rounded to F32 is exact; the exponential of the rest is a few powers of it.
XlaOp Erfc64(XlaOp x) {
  constexpr double kCoefficients[] = {
      0.020602988035820812,   0.19128121429049065,   0.79120340560815208,   1.8938895991427053,
      2.7863576972997839,     2.2242976347861072,    -0.21031782665124565,  -3.2882723560986189,
      -5.1552202485492234,    -5.0295348329976419,   -3.58517290679608,     -1.9645600387132976,
      -0.85004653298396852,   -0.29393326020911674,  -0.073794954937856624, -0.023531052913434088,
      -0.0054944600529509449, 0.01977367770650269,   -0.028689227232663468, -0.0073440652319155804,
      0.092849324658696817,   -0.099122240044873287, -0.21170277302816346,  0.48648333161675026,
      1.2567583341910205};
  const auto constant = [&](double value) { return ScalarLike(x, value); };
  const XlaOp one = constant(1), a = Min(Abs(x), constant(28));
  const XlaOp t = one / (one + constant(0.5) * a), u = t - one;
  const XlaOp rounded = ConvertElementType(ConvertElementType(a, F32), F64);
  const XlaOp rest = (a - rounded) * (a + rounded);
  const XlaOp exp_of_rest = one - rest * (one - rest * (constant(0.5) - rest * constant(1.0 / 6)));
  const XlaOp positive =
      Exp(-(rounded * rounded)) * (exp_of_rest * t * (one + u * Polynomial(u, kCoefficients)));
  return Select(Lt(x, constant(0)), constant(2) - positive, positive);
}

namespace {

// x + x (p(w) - 1) with w = -log(1 - x^2), in three ranges with polynomials of one degree that err
// by less than 2^-54 (scripts/fit_polynomials.py), each coefficient chosen by the range; 1 is taken
// off the constants, so that only little is rounded before the last sum. An error of w, of its size
// or absolute, counts less than half for the result.
XlaOp ErfInv64(XlaOp x) {
  // Of w - 2.5 below 5; of sqrt(w) - 2.9375 below 3.6^2; of sqrt(w) - 4.8125 beyond.
  constexpr double kCoefficients[][3] = {
      {2.3397248681369805e-18, -3.9883852128467678e-8, 3.5865739510828798e-12},
      {-2.1352643265521672e-17, -1.0668861098888423e-8, 1.5331575147531306e-12},
      {-9.5216551457731775e-17, 2.6776252832999879e-7, -6.2052041276260422e-11},
      {1.8213533414597276e-15, -3.4889741063155126e-7, 1.4403384539385443e-10},
      {-3.2583845618267038e-15, -4.683794774081465e-7, -7.5891895803833846e-11},
      {-7.5547677641049015e-14, 2.586615374283047e-6, -4.3863752125176751e-10},
      {5.3777125819785174e-13, -3.7967878724421717e-6, 2.4572169699654256e-9},
      {9.0884858510894556e-13, -3.6048739261369688e-6, -8.4897836966558708e-9},
      {-3.1110572574422962e-11, 2.5937277352583079e-5, 2.1957493371800244e-8},
      {1.1961500652006101e-10, -4.0943824272402069e-5, -4.6411170270090853e-8},
      {9.0732189732220356e-10, -2.4695610786977647e-5, 8.7093192654099431e-8},
      {-1.0861183687491205e-8, 0.00022840088103589764, -1.6654162687476051e-7},
      {1.341677704043376e-8, -0.00040580041133368438, 4.1157883190474915e-7},
      {4.7872523471928356e-7, 2.2793696260647212e-5, -1.4530316841478239e-6},
      {-3.4166195736955101e-6, 0.0015135612873250207, 6.1018170094264855e-6},
      {-4.9960796085366241e-6, -0.0041231333781549085, -2.560384571551571e-5},
      {0.00021825026433399306, 0.0068851879494631585, 9.7084930622675354e-5},
      {-0.001252707907808408, -0.0092114247279446284, -0.0002795888564028837},
      {-0.0041773177243818896, 0.011021012563241858, -3.4819580117991194e-7},
      {0.24664027674416679, 1.0003991786017228, 1.0103276736283717},
      {0.5014093511107919, 1.7704109469006149, 3.6604717035238229},
  };
  const auto constant = [&](double value) { return ScalarLike(x, value); };
  const XlaOp one = constant(1), a = Abs(x);
  const XlaOp square = Select(Lt(a, constant(0.7)), one - a * a, (one - a) * (one + a));
  const XlaOp w = -Log(square), root = Sqrt(w);
  const XlaOp is_central = Lt(w, constant(5)), is_middle = Lt(root, constant(3.6));
  const XlaOp t = Select(is_central, w - constant(2.5),
                         root - Select(is_middle, FullLike(x, 2.9375), FullLike(x, 4.8125)));
  XlaOp p;
  for (const auto& [central, middle, far] : kCoefficients) {
    const XlaOp c = Select(is_central, FullLike(x, central),
                           Select(is_middle, FullLike(x, middle), FullLike(x, far)));
    p = p.valid() ? p * t + c : c;
  }
  // w is infinite at the ends, and NaN beyond.
  return Select(Lt(w, FullLike(x, kInfinity)), x + x * p, x * w);
}

// Lanczos approximation with g = 7 and nine terms (P. Godfrey): gamma(z + 1) =
// sqrt(2 pi) t^(z + 1/2) e^-t A(z), t = z + g + 1/2.
constexpr double kLanczosG = 7;
constexpr double kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

// lgamma(1 + u) for 0 <= u <= 1: its zeros at 0 and 1, times a polynomial of u - 1/2.
XlaOp LgammaOfUnit(XlaOp u) {
  constexpr double kCoefficients[] = {
      1.2169520837928132e-5,  -1.854249540899762e-5,  1.3149180091783501e-5,
      -2.1470279529443475e-5, 4.3047221637980172e-5,  -6.7946028963506658e-5,
      0.00010534938769355158, -0.0001685694198701463, 0.00027131475634696214,
      -0.0004380355464877737, 0.00071151895580110023, -0.0011644113394708388,
      0.0019229163202541617,  -0.0032120742227798778, 0.0054464578388397096,
      -0.0094256224447619415, 0.016797098631279739,   -0.031308487501054231,
      0.06291140107456435,    -0.14595989591430593,   0.48312895054098089};
  return u * (u - ScalarLike(u, 1)) * Polynomial(u - ScalarLike(u, 0.5), kCoefficients);
}

// lgamma(a) for a >= 3, given log a: Stirling's formula with the best polynomial of 1 / a^2 in
// place of the asymptotic series. (a - 1/2) (log a - 1) overflows only where the result does.
XlaOp LgammaByStirling(XlaOp a, XlaOp log_a) {
  constexpr double kCoefficients[] = {
      0.23581210679502015,    -0.19180718552000445,   0.077474901121070145,
      -0.022478432802904861,  0.0060450781978966484,  -0.0019042336847803355,
      0.00084142692397074554, -0.0005952331529282136, 0.00079365075112950051,
      -0.0027777777776074805, 0.083333333333333131};
  const auto constant = [&](double value) { return ScalarLike(a, value); };
  const XlaOp reciprocal = constant(1) / a;
  return (a - constant(0.5)) * (log_a - constant(1)) +
         (constant(0.5 * std::log(2 * kPi) - 0.5) +
          reciprocal * Polynomial(reciprocal * reciprocal, kCoefficients));
}

// sin(pi d) / (pi d) for |d| <= 1/2.
XlaOp SineRatio(XlaOp d) {
  constexpr double kCoefficients[] = {
      2.4509185189189165e-7,  -6.9721656755028037e-6, 0.00014842787013771423,
      -0.0023460809020830893, 0.026147847806417809,   -0.19075182412156033,
      0.81174242528334183,    -1.6449340668482263,    1};
  return Polynomial(d * d, kCoefficients);
}

}  // namespace

XlaOp Lgamma64(XlaOp x) {
  const auto constant = [&](double value) { return ScalarLike(x, value); };
  const XlaOp zero = constant(0), one = constant(1), two = constant(2);
  // Below 0 by reflection: gamma(x) gamma(1 - x) = pi / sin(pi x).
  const XlaOp reflect = Lt(x, zero);
  const XlaOp a = Select(reflect, one - x, x);
  // Up to 3 that of a number between 1 and 2, and log a of gamma(a + 1) = a gamma(a) or log(a - 1)
  // of gamma(a) = (a - 1) gamma(a - 1): exact differences of a, so that the zeros at 1 and 2 stay
  // exact.
  const XlaOp is_below_1 = Lt(a, one), is_below_2 = Lt(a, two), is_large = Ge(a, constant(3));
  const XlaOp less_1 = a - one;
  const XlaOp u = Select(is_below_1, a, Select(is_below_2, less_1, a - two));
  const XlaOp factor = Select(is_below_2, Select(is_below_1, a, one), less_1);
  const XlaOp log = Log(Select(is_large, a, factor));
  const XlaOp large = LgammaByStirling(Max(a, constant(3)), log);
  const XlaOp small = LgammaOfUnit(u) + Select(is_below_1, -log, log);
  const XlaOp direct = Select(is_large, large, small);
  // log |sin(pi x) / pi| from the distance to the nearest integer, which is 0 at the poles.
  const XlaOp size = Abs(x), fraction = size - Floor(size);
  const XlaOp distance = Min(fraction, one - fraction);
  const XlaOp log_sine = Log(distance * SineRatio(distance));
  const XlaOp reflected = Select(Eq(distance, zero), FullLike(x, kInfinity), -log_sine - direct);
  const XlaOp result = Select(reflect, reflected, direct);
  return Select(IsInf(x), FullLike(x, kInfinity), result);
}

XlaOp Digamma64(XlaOp x) {
  const XlaOp half = ScalarLike(x, 0.5);
  const XlaOp one = ScalarLike(x, 1);
  const XlaOp zero = ScalarLike(x, 0);
  // Below 1/2 by reflection: digamma(x) = digamma(1 - x) - pi cot(pi x).
  const XlaOp reflect = Lt(x, half);
  const XlaOp z = Select(reflect, -x, x - one);
  XlaOp sum = ScalarLike(x, kLanczosBase);
  XlaOp slope = zero;
  for (int i = 0; i < 8; ++i) {
    const XlaOp term = z + ScalarLike(x, i + 1);
    sum = sum + ScalarLike(x, kLanczos[i]) / term;
    slope = slope - ScalarLike(x, kLanczos[i]) / (term * term);
  }
  const XlaOp t = z + ScalarLike(x, kLanczosG + 0.5);
  const XlaOp log_t =
      ScalarLike(x, std::log(kLanczosG + 0.5)) + Log1p(z / ScalarLike(x, kLanczosG + 0.5));
  const XlaOp direct = log_t + slope / sum - ScalarLike(x, kLanczosG) / t;
  // The cotangent has period 1 in x: reduce to [-1/2, 1/2].
  const XlaOp angle = ScalarLike(x, kPi) * (x - Floor(x + half));
  const XlaOp reflected = direct - ScalarLike(x, kPi) * Cos(angle) / Sin(angle);
  const XlaOp result = Select(reflect, reflected, direct);
  // At 0 the limits from both sides are opposite infinities, of which -Inf is usual; at the other
  // poles there is no value.
  const XlaOp is_pole = And(Lt(x, zero), Eq(x, Floor(x)));
  const XlaOp with_poles = Select(is_pole, FullLike(x, kNaN), result);
  return Select(Eq(x, zero), FullLike(x, -kInfinity), with_poles);
}

XlaOp Deviance(XlaOp a, XlaOp x) {
  const XlaOp difference = a - x;
  const XlaOp v = difference / (a + x);
  // Near a: 2 a artanh(v) - (a - x) by powers of v.
  constexpr double kOddReciprocals[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                        1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
  const XlaOp square = v * v;
  const XlaOp near =
      difference * v + ScalarLike(a, 2) * a * v * square * Polynomial(square, kOddReciprocals);
  const XlaOp far = a * Log(a / x) - difference;
  return Select(Lt(Abs(v), ScalarLike(v, 0.1)), near, far);
}

XlaOp StirlingError(XlaOp a) {
  // Bernoulli numbers: B(2 k) / (2 k (2 k - 1)), k = 8 to 1.
  constexpr double kSeries[] = {-0.029550653594771242,   0.0064102564102564103,
                                -0.0019175269175269175,  0.00084175084175084175,
                                -0.00059523809523809524, 0.00079365079365079365,
                                -0.0027777777777777778,  0.083333333333333333};
  const XlaOp one = ScalarLike(a, 1);
  const XlaOp reciprocal = one / a;
  const XlaOp far = reciprocal * Polynomial(reciprocal * reciprocal, kSeries);
  const XlaOp near = Lgamma64(a + one) - (a + ScalarLike(a, 0.5)) * Log(a) + a -
                     ScalarLike(a, 0.5 * std::log(2 * kPi));
  return Select(Lt(a, ScalarLike(a, 15)), near, far);
}

}  // namespace lib_internal

using lib_internal::InF64;
using lib_internal::IsF64;

XlaOp Erfc(XlaOp x) {
  return InF64("Erfc", {x}, [&](auto p) {
    return IsF64(x) ? lib_internal::Erfc64(p[0]) : lib_internal::Erfc32(p[0]);
  });
}
XlaOp ErfInv(XlaOp x) {
  return InF64("ErfInv", {x}, [&](auto p) {
    return IsF64(x) ? lib_internal::ErfInv64(p[0]) : lib_internal::ErfInv32(p[0]);
  });
}
XlaOp Lgamma(XlaOp input) {
  return InF64("Lgamma", {input}, [](auto p) { return lib_internal::Lgamma64(p[0]); });
}
XlaOp Digamma(XlaOp input) {
  return InF64("Digamma", {input}, [](auto p) { return lib_internal::Digamma64(p[0]); });
}

}  // namespace xla
