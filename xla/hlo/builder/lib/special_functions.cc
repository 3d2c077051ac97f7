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

XlaOp Polynomial(XlaOp x, absl::Span<const double> coefficients) {
  XlaOp value = ScalarLike(x, coefficients[0]);
  for (const double c : coefficients.subspan(1)) value = value * x + ScalarLike(x, c);
  return value;
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

namespace {

// erfc(x) for x >= 0. From 1 on exp(-x^2) times rational approximations: Cephes mathematical
// library, ndtr.c (S. Moshier).
XlaOp ErfcOfPositive(XlaOp x) {
  constexpr double kP[] = {
      2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
      4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
      9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
  constexpr double kQ[] = {1.0,
                           1.32281951154744992508e1,
                           8.67072140885989742329e1,
                           3.54937778887819891062e2,
                           9.75708501743205489753e2,
                           1.82390916687909736289e3,
                           2.24633760818710981792e3,
                           1.65666309194161350182e3,
                           5.57535340817727675546e2};
  constexpr double kR[] = {5.64189583547755073984e-1, 1.27536670759978104416e0,
                           5.01905042251180477414e0,  6.16021097993053585195e0,
                           7.40974269950448939160e0,  2.97886665372100240670e0};
  constexpr double kS[] = {1.0,
                           2.26052863220117276590e0,
                           9.39603524938001434673e0,
                           1.20489539808096656605e1,
                           1.70814450747565897222e1,
                           9.60896809063285878198e0,
                           3.36907645100081516050e0};
  const XlaOp middle = Polynomial(x, kP) / Polynomial(x, kQ);
  // Beyond 30 the result is 0; clamped, so that the powers stay finite.
  const XlaOp clamped = Min(x, ScalarLike(x, 30));
  const XlaOp far = Polynomial(clamped, kR) / Polynomial(clamped, kS);
  const XlaOp tail = Exp(-(x * x)) * Select(Lt(x, ScalarLike(x, 8)), middle, far);
  return Select(Lt(x, ScalarLike(x, 1)), ScalarLike(x, 1) - Erf(x), tail);
}

}  // namespace

XlaOp Erfc64(XlaOp x) {
  const XlaOp positive = ErfcOfPositive(Abs(x));
  return Select(Lt(x, ScalarLike(x, 0)), ScalarLike(x, 2) - positive, positive);
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

// lgamma(2 + z), |z| <= 1/2, by its Taylor series: (1 - Euler's constant) z and, from the second
// power on, (-1)^k (zeta(k) - 1) / k.
XlaOp LgammaNearTwo(XlaOp z) {
  constexpr double kSeries[] = {
      3.1044247747322276e-11,  -6.4229645638381e-11,   1.330476437424449e-10,
      -2.7595228851242334e-10, 5.731367241678862e-10,  -1.1921401405860912e-09,
      2.4836745438024785e-09,  -5.183475041970047e-09, 1.0838659214896955e-08,
      -2.2711094608943164e-08, 4.7698101693639804e-08, -1.0043224823968099e-07,
      2.1207184805554665e-07,  -4.492469198764566e-07, 9.55141213040742e-07,
      -2.039215753801366e-06,  4.374866789907488e-06,  -9.439488275268397e-06,
      2.050721277567069e-05,   -4.492623673813314e-05, 9.945751278180853e-05,
      -0.00022315475845357939, 0.0005096695247430425,  -0.001192753911703261,
      0.0028905103307415234,   -0.007385551028673986,  0.020580808427784546,
      -0.0673523010531981,     0.3224670334241132,     0.42278433509846713};
  return z * Polynomial(z, kSeries);
}

}  // namespace

XlaOp Lgamma64(XlaOp x) {
  const XlaOp half = ScalarLike(x, 0.5);
  const XlaOp one = ScalarLike(x, 1);
  // Below 1/2 by reflection: gamma(x) gamma(1 - x) = pi / sin(pi x).
  const XlaOp reflect = Lt(x, half);
  const XlaOp z = Select(reflect, -x, x - one);
  XlaOp sum = ScalarLike(x, kLanczosBase);
  for (int i = 0; i < 8; ++i) sum = sum + ScalarLike(x, kLanczos[i]) / (z + ScalarLike(x, i + 1));
  const XlaOp t = z + ScalarLike(x, kLanczosG + 0.5);
  const XlaOp log_t =
      ScalarLike(x, std::log(kLanczosG + 0.5)) + Log1p(z / ScalarLike(x, kLanczosG + 0.5));
  // (z + 1/2) log t - t, so that it overflows only where the result does.
  const XlaOp direct =
      ScalarLike(x, 0.5 * std::log(2 * kPi)) + (z + half - t / log_t) * log_t + Log(sum);
  // |sin(pi x)| from the distance to the nearest integer.
  const XlaOp a = Abs(x);
  const XlaOp fraction = a - Floor(a);
  const XlaOp distance = Min(fraction, one - fraction);
  // Products of subnormal numbers would lose digits.
  const XlaOp log_sine =
      Select(Lt(distance, ScalarLike(x, 1e-290)), Log(distance) + ScalarLike(x, std::log(kPi)),
             Log(Sin(ScalarLike(x, kPi) * distance)));
  // At the poles the sine alone decides.
  const XlaOp reflected =
      Select(IsFinite(log_sine), ScalarLike(x, std::log(kPi)) - log_sine - direct, -log_sine);
  // Around the zeros at 1 and 2 the sums above cancel: lgamma(1 + z) = lgamma(2 + z) - log(1 + z).
  const XlaOp from_two = x - ScalarLike(x, 2);
  const XlaOp is_near_one = Lt(x, ScalarLike(x, 1.5));
  const XlaOp near = LgammaNearTwo(Select(is_near_one, z, from_two)) -
                     Select(is_near_one, Log1p(z), ScalarLike(x, 0));
  const XlaOp not_reflected = Select(Lt(x, ScalarLike(x, 2.5)), near, direct);
  const XlaOp result = Select(reflect, reflected, not_reflected);
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
