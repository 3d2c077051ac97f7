// SPDX-License-Identifier: Apache-2.0
// Special functions of numbers in F32: polynomials of as few terms as that needs, of which only the
// largest terms are in F64, and functions of the hardware's width. Each is at most about one unit
// in the last place of F32 off. Coefficients: scripts/fit_polynomials.py, highest power first.
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/special_functions.h"

namespace xla::lib_internal {
namespace {

XlaOp ToF32(XlaOp x) { return ConvertElementType(x, F32); }
XlaOp ToF64(XlaOp x) { return ConvertElementType(x, F64); }

// A polynomial in F64, of which only the terms that count for results in F32 are computed in F64,
// the others of `narrow`, which is about x.
XlaOp PolynomialForF32(XlaOp x, XlaOp narrow, absl::Span<const double> coefficients) {
  constexpr size_t kInF64 = 2;
  const size_t first = coefficients.size() - kInF64;
  XlaOp sum = ToF64(Horner(narrow, coefficients.first(first)));
  for (const double c : coefficients.subspan(first)) sum = sum * x + ScalarLike(x, c);
  return sum;
}

XlaOp PolynomialForF32(XlaOp x, absl::Span<const double> coefficients) {
  return PolynomialForF32(x, ToF32(x), coefficients);
}

// exp(-x) for x >= 0: that of x in F32, and the first power of what that left out.
XlaOp ExpOfNegativeForF32(XlaOp x, XlaOp rounded) {
  return ToF64(Exp(-rounded)) * (ScalarLike(x, 1) + (ToF64(rounded) - x));
}
XlaOp ExpOfNegativeForF32(XlaOp x) { return ExpOfNegativeForF32(x, ToF32(x)); }

}  // namespace

// exp(-a^2) t (1 + u p(u)) with a = |x|, t = 1 / (1 + 0.75 a) and u = t - 1; from 11 on the result
// is 0. The first t is the reciprocal in F32, and has one step of Newton's method in F64; in all
// but the largest terms of p, the first will do.
XlaOp Erfc32(XlaOp wide_x) {
  constexpr double kCoefficients[] = {
      -0.17217583528434939, -0.77187918306796495,  -1.4315423172194334,  -1.5103124423260988,
      -1.0562807204338046,  -0.45430745746931224,  -0.13332145736749124, -0.085960212002925549,
      0.09278068802317479,  -0.036969394524990337, -0.23124341316904931, 0.5045054248151053};
  const XlaOp x = ToF32(wide_x), one = ScalarLike(x, 1), narrow_a = Min(Abs(x), ScalarLike(x, 11));
  const XlaOp narrow_t = one / (one + ScalarLike(x, 0.75) * narrow_a);
  const XlaOp a = ToF64(narrow_a), guess = ToF64(narrow_t);
  const auto constant = [&](double value) { return ScalarLike(a, value); };
  const XlaOp t = guess * (constant(2) - (constant(1) + constant(0.75) * a) * guess);
  const XlaOp u = t - constant(1);
  const XlaOp p = PolynomialForF32(u, narrow_t - one, kCoefficients);
  const XlaOp positive =
      ToF32(ExpOfNegativeForF32(a * a, narrow_a * narrow_a) * t * (constant(1) + u * p));
  return ToF64(Select(Lt(x, ScalarLike(x, 0)), ScalarLike(x, 2) - positive, positive));
}

// x p(w) with w = -log(1 - x^2) in two ranges, after M. Giles, Approximating the erfinv function,
// 2011. An error of w, of its size or absolute, counts less than a third for the result.
XlaOp ErfInv32(XlaOp wide_x) {
  constexpr double kCentral[] = {
      4.0462574864652573e-10, -8.7487662970722329e-9, 1.6962713644008704e-8,  4.6555431451423661e-7,
      -3.4287705641865972e-6, -4.9603317610252552e-6, 0.00021826969702593005, -0.001252747396039584,
      -0.0041773294137918213, 0.24664028891175436,    1.5014093522861552};
  constexpr double kTail[] = {
      1.1416941206988143e-5,  -2.7542487045760885e-5, -3.1760987538509668e-5,
      0.00020581837806972669, -0.000292148225245346,  -0.00014794300362969794,
      0.0014864619502584257,  -0.0035591536067714411, 0.0056847948629901192,
      -0.0076437634266789496, 0.0094455428215659227,  1.0016752754639712,
      2.832976798542911};
  const XlaOp x = ToF32(wide_x), one = ScalarLike(x, 1), a = Abs(x);
  const XlaOp w = -Log((one - a) * (one + a));
  const XlaOp wide = ToF64(w);
  const XlaOp p =
      Select(Lt(w, ScalarLike(w, 5)), PolynomialForF32(wide - ScalarLike(wide, 2.5), kCentral),
             PolynomialForF32(Sqrt(wide) - ScalarLike(wide, 3), kTail));
  // w is infinite at the ends, and NaN beyond.
  return ToF64(Select(Lt(w, FullLike(w, kInfinity)), ToF32(wide_x * p), x * w));
}

namespace {

// For x >= 0: up to 8 exp(-x) times a polynomial of x^2 (times x for I1), from there on one of 1 /
// x over the root of x. The root's reciprocal is that of F32 and one step of Newton's method.
XlaOp BesselForF32(XlaOp x, absl::Span<const double> near, absl::Span<const double> far,
                   bool near_times_x) {
  const auto constant = [&](double value) { return ScalarLike(x, value); };
  const XlaOp is_near = Le(x, constant(8)), eight = FullLike(x, 8);
  const XlaOp small = Select(is_near, x, eight), large = Select(is_near, eight, x);
  XlaOp near_value = ExpOfNegativeForF32(small) * PolynomialForF32(small * small, near);
  if (near_times_x) near_value = near_value * small;
  const XlaOp guess = ToF64(Rsqrt(ToF32(large)));
  const XlaOp root = guess * (constant(1.5) - constant(0.5) * large * guess * guess);
  // Infinity times the reciprocal of its root is none.
  const XlaOp finite_root = Select(Lt(large, FullLike(x, kInfinity)), root, guess);
  const XlaOp far_value = finite_root * PolynomialForF32(finite_root * finite_root, far);
  return Select(is_near, near_value, far_value);
}

}  // namespace

XlaOp BesselI0e32(XlaOp x) {
  constexpr double kNear[] = {
      1.3566410515723621e-19, 1.9913303228596585e-17, 1.0069572947670501e-14,
      2.3721381654981091e-12, 4.7179987718290129e-10, 6.7802352082662096e-8,
      6.7818306717239278e-6,  0.00043402696191109303, 0.015625002161855845,
      0.24999999796567962,    1.000000000280561};
  constexpr double kFar[] = {1.8277329324785831,   -0.30565190936914589, 0.085129150997404041,
                             0.027250685202984993, 0.028094823670737616, 0.049867418955989711,
                             0.39894228089394144};
  return BesselForF32(Abs(x), kNear, kFar, /*near_times_x=*/false);
}

XlaOp BesselI1e32(XlaOp x) {
  constexpr double kNear[] = {
      5.9673352642659867e-21, 1.0528313082718032e-18, 5.5253356017456812e-16,
      1.4871169293720008e-13, 3.3682257006923443e-11, 5.6506185387371189e-9,
      6.7817703958773019e-7,  5.4253418980258132e-5,  0.002604166826923513,
      0.062499999822906099,   0.50000000002999867};
  constexpr double kFar[] = {-2.0761296135878275,   0.33763704010933545,   -0.10340609244366818,
                             -0.038659078688412134, -0.046801836579974883, -0.14960293110476483,
                             0.39894227982517157};
  const XlaOp magnitude = BesselForF32(Abs(x), kNear, kFar, /*near_times_x=*/true);
  return Sign(x) * magnitude;
}

}  // namespace xla::lib_internal
