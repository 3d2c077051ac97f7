// SPDX-License-Identifier: Apache-2.0
// The exponentially scaled Bessel functions, the Hurwitz zeta function and the polygamma functions
// of math.h.
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/special_functions.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using lib_internal::Chebyshev;
using lib_internal::InF64;
using lib_internal::IsF64;
using lib_internal::kInfinity;
using lib_internal::kNaN;

// Chebyshev series, highest power first, computed to 60 digits and rounded: e^-x I0(x) and
// e^-x I1(x) / x in x / 4 - 1 for x up to 8; sqrt(x) e^-x I(x) in 16 / x - 1 from there on.
constexpr double kI0Near[] = {
    3.3307945188222381e-17,  -2.4312798465479547e-16, 1.715391285555133e-15,
    -1.1685332877993452e-14, 7.6761854986049356e-14,  -4.8564467831119295e-13,
    2.9550526631296398e-12,  -1.7268262914415557e-11, 9.6758090353732369e-11,
    -5.1897956016352629e-10, 2.6598237246823867e-9,   -1.300025009986248e-8,
    6.0469950225419189e-8,   -2.6707938539406117e-7,  1.1173875391201037e-6,
    -4.4167383584587506e-6,  1.6448448070728897e-5,   -5.7541950100821037e-5,
    0.00018850288509584166,  -0.00057637557453858237, 0.0016394756169413358,
    -0.0043243099950505759,  0.010546460394594998,    -0.023737414805899469,
    0.049305284239670708,    -0.094901097048047644,   0.17162090152220878,
    -0.3046826723431984,     0.33839763720473804};
constexpr double kI0Far[] = {
    -7.233180487874754e-18,  -4.8305044859441821e-18, 4.46562142029676e-17,
    3.4612228676974611e-17,  -2.8276239805165835e-16, -3.4254856196772191e-16,
    1.7725601330565264e-15,  3.8116806693526224e-15,  -9.5548466988283076e-15,
    -4.1505693472872221e-14, 1.5400862175214098e-14,  3.8527783827421427e-13,
    7.1801244513836662e-13,  -1.7941785315068061e-12, -1.3215811840447713e-11,
    -3.1499165279632414e-11, 1.1889147107846438e-11,  4.9406023882249696e-10,
    3.3962320257083863e-9,   2.2666689904981781e-8,   2.0489185894690637e-7,
    2.8913705208347565e-6,   6.889758346916824e-5,    0.0033691164782556941,
    0.40224520550705442};
constexpr double kI1Near[] = {
    2.7779141127610464e-18,  -2.1114212143581661e-17, 1.5536319577362005e-16,
    -1.1055969477353863e-15, 7.6006842947354069e-15,  -5.0421855047279117e-14,
    3.2237933659455747e-13,  -1.9839743977649437e-12, 1.1736186298890902e-11,
    -6.6634897235020277e-11, 3.625590281552117e-10,   -1.8872497517228293e-9,
    9.3815373864957718e-9,   -4.4450591287963281e-8,  2.0032947535521353e-7,
    -8.5687202646954547e-7,  3.4702513081376785e-6,   -1.3273163656039436e-5,
    4.7815651075500542e-5,   -0.00016176081582589675, 0.00051228595616857577,
    -0.0015135724506312531,  0.0041564229443128882,   -0.010564084894626198,
    0.024726449030626517,    -0.052945981208094991,   0.1026436586898471,
    -0.17641651835783406,    0.12629359322181683};
constexpr double kI1Far[] = {
    7.5172963108421048e-18,  4.4143483230717079e-18,  -4.6503053684893583e-17,
    -3.209525921993424e-17,  2.9626289976459501e-16,  3.3082023109209283e-16,
    -1.8803547755107824e-15, -3.8144030724370078e-15, 1.0420276984128803e-14,
    4.2724400167119514e-14,  -2.1015418427726643e-14, -4.0835511110921973e-13,
    -7.1985517762459085e-13, 2.0356285441470895e-12,  1.4125807436613781e-11,
    3.2526035830154882e-11,  -1.8974958123505412e-11, -5.5897434621965838e-10,
    -3.835380385964237e-9,   -2.6314688468895195e-8,  -2.5122362378702089e-7,
    -3.8825648088776904e-6,  -0.00011058893876262372, -0.0097610974913614684,
    0.38928811750914006};

// The argument of the near series up to 8, else that of the far one.
XlaOp BesselOf(XlaOp magnitude, absl::Span<const double> near, absl::Span<const double> far,
               bool near_times_x) {
  const XlaOp eight = ScalarLike(magnitude, 8);
  const XlaOp one = ScalarLike(magnitude, 1);
  const XlaOp is_near = Le(magnitude, eight);
  const XlaOp small = Select(is_near, magnitude, FullLike(magnitude, 8));
  const XlaOp large = Select(is_near, FullLike(magnitude, 8), magnitude);
  XlaOp near_value = Chebyshev(small * ScalarLike(small, 0.25) - one, near);
  if (near_times_x) near_value = near_value * small;
  const XlaOp far_value = Chebyshev(ScalarLike(large, 16) / large - one, far) / Sqrt(large);
  return Select(is_near, near_value, far_value);
}

// q^-s with q > 0, of which results in F32 need no more digits than the logarithm has.
XlaOp NegativePower(XlaOp q, XlaOp s, bool is_f64) {
  return is_f64 ? Pow(q, -s) : Exp(-s * Log(q));
}

// Of s > 1 and q > 0: nine terms of the sum and the Euler-Maclaurin formula for the others
// (DLMF 25.11.5), which is exact enough from q + 9 on whatever s is.
XlaOp HurwitzOfPositive(XlaOp unbounded_s, XlaOp q, bool is_f64) {
  constexpr int kTerms = 9;
  // B(2 k) / (2 k)!
  constexpr double kBernoulli[] = {
      0.083333333333333333,    -0.0013888888888888889,  3.3068783068783069e-5,
      -8.2671957671957672e-7,  2.0876756987868099e-8,   -5.2841901386874932e-10,
      1.3382536530684679e-11,  -3.3896802963225829e-13, 8.5860620562778446e-15,
      -2.1748686985580619e-16, 5.5090028303602295e-18,  -1.3954464685812523e-19};
  // Finite: q = 1 raised to any power is 1.
  const XlaOp s = Min(unbounded_s, ScalarLike(unbounded_s, 1e300));
  XlaBuilder* b = s.builder();
  const XlaOp nth = Add(Broadcast(q, {kTerms}), Iota(b, F64, kTerms), /*broadcast_dimensions=*/{0});
  const XlaOp terms = NegativePower(nth, Broadcast(s, {kTerms}), is_f64);
  const XlaOp sum =
      Reduce(terms, ConstantR0<double>(b, 0), CreateScalarAddComputation(F64, b), {0});
  const XlaOp w = q + ScalarLike(q, kTerms);
  const XlaOp one = ScalarLike(s, 1), reciprocal = one / w;
  const XlaOp integral = NegativePower(w, s - one, is_f64);
  const XlaOp last = integral * reciprocal;
  XlaOp factor = last * s * reciprocal;
  XlaOp rest = factor * ScalarLike(s, kBernoulli[0]);
  for (int k = 1; k < 12; ++k) {
    factor = factor * ((s + ScalarLike(s, 2 * k - 1)) * reciprocal) *
             ((s + ScalarLike(s, 2 * k)) * reciprocal);
    rest = rest + factor * ScalarLike(s, kBernoulli[k]);
  }
  // Not finite only where `last` is zero.
  return sum + integral / (s - one) + ScalarLike(s, 0.5) * last +
         Select(IsFinite(rest), rest, ZerosLike(rest));
}

// For whole s the terms with negative q + k are, but for their sign, those of the distances:
// zeta(s, f) + (-1)^s (zeta(s, 1 - f) - zeta(s, 1 - q)) with f = q - floor(q). Where `reflect` is
// false, zeta(s, q) of q > 0.
XlaOp HurwitzOfAny(XlaOp s, XlaOp q, XlaOp reflect, bool is_f64) {
  const XlaOp one = FullLike(s, 1);
  const XlaOp fraction = Select(reflect, q - Floor(q), q);
  const XlaOp complement = Select(reflect, Ceil(q) - q, one);
  const XlaOp beyond = Select(reflect, one - q, one);
  // One computation for all three.
  const auto stacked = [&](XlaOp x, XlaOp y, XlaOp z) {
    return ConcatInDim(s.builder(), {Broadcast(x, {1}), Broadcast(y, {1}), Broadcast(z, {1})}, 0);
  };
  const XlaOp all =
      HurwitzOfPositive(Broadcast(s, {3}), stacked(fraction, complement, beyond), is_f64);
  // Sums of one number each: unlike reshapes they also take dynamic sizes.
  const auto part = [&](int64_t i) {
    return Reduce(SliceInDim(all, i, i + 1, 1, 0), ScalarLike(s, 0),
                  CreateScalarAddComputation(F64, s.builder()), {0});
  };
  const XlaOp main = part(0), mirrored = part(1) - part(2);
  const XlaOp is_odd = Ne(Rem(s, ScalarLike(s, 2)), ScalarLike(s, 0));
  return Select(reflect, main + Select(is_odd, -mirrored, mirrored), main);
}

absl::StatusOr<XlaOp> Zeta64(XlaOp s, XlaOp q, bool is_f64) {
  const XlaOp zero = ScalarLike(q, 0), one = FullLike(s, 1);
  const XlaOp is_negative = Lt(q, zero);
  const XlaOp is_whole_s = Eq(s, Floor(s)), is_whole_q = Eq(q, Floor(q));
  const XlaOp safe_s = Select(Gt(s, one), s, FullLike(s, 2));
  const XlaOp reflect = And(And(is_negative, is_whole_s), Not(is_whole_q));
  const XlaOp safe_q = Select(Or(reflect, Gt(q, zero)), q, one);
  // Three times the work only where some q are negative.
  XlaBuilder* b = s.builder();
  const auto branch = [&](bool reflects) -> absl::StatusOr<XlaComputation> {
    const std::unique_ptr<XlaBuilder> sub = b->CreateSubBuilder(reflects ? "reflected" : "direct");
    XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(safe_q));
    XLA_ASSIGN_OR_RETURN(const Shape predicates, b->GetShape(reflect));
    const XlaOp state =
        Parameter(sub.get(), 0, ShapeUtil::MakeTupleShape({shape, shape, predicates}), "state");
    const XlaOp s = GetTupleElement(state, 0), q = GetTupleElement(state, 1);
    return sub->Build(reflects ? HurwitzOfAny(s, q, GetTupleElement(state, 2), is_f64)
                               : HurwitzOfPositive(s, q, is_f64));
  };
  XLA_ASSIGN_OR_RETURN(const XlaComputation reflected, branch(true));
  XLA_ASSIGN_OR_RETURN(const XlaComputation direct, branch(false));
  const XlaOp state = Tuple(b, {safe_s, safe_q, reflect});
  XlaOp result = Conditional(Any(reflect), state, reflected, state, direct);
  result = Select(And(is_negative, Not(is_whole_s)), FullLike(s, kNaN), result);
  result = Select(And(Le(q, zero), is_whole_q), FullLike(s, kInfinity), result);
  result = Select(Eq(s, one), FullLike(s, kInfinity), result);
  result = Select(Lt(s, one), FullLike(s, kNaN), result);
  return Select(Or(IsNan(s), IsNan(q)), s + q, result);
}

absl::StatusOr<XlaOp> Polygamma64(XlaOp n, XlaOp x, bool is_f64) {
  const XlaOp zero = ScalarLike(n, 0), one = ScalarLike(n, 1), two = ScalarLike(n, 2);
  const XlaOp next = n + one;
  XLA_ASSIGN_OR_RETURN(const XlaOp zeta, Zeta64(next, x, is_f64));
  const XlaOp log_factorial = lib_internal::Lgamma64(next);
  const XlaOp factorial = Exp(log_factorial);
  // The factorial overflows before the product does.
  const XlaOp product = Select(IsFinite(factorial), factorial * zeta,
                               Sign(zeta) * Exp(log_factorial + Log(Abs(zeta))));
  const XlaOp sign = two * Rem(n, two) - one;
  const XlaOp value = Select(Eq(n, zero), lib_internal::Digamma64(x), sign * product);
  return Select(Or(Ne(n, Floor(n)), Lt(n, zero)), FullLike(n, kNaN), value);
}

}  // namespace

XlaOp BesselI0e(XlaOp x) {
  return InF64("BesselI0e", {x}, [&](auto p) {
    return IsF64(x) ? BesselOf(Abs(p[0]), kI0Near, kI0Far, false) : lib_internal::BesselI0e32(p[0]);
  });
}

XlaOp BesselI1e(XlaOp x) {
  return InF64("BesselI1e", {x}, [&](auto p) {
    return IsF64(x) ? Sign(p[0]) * BesselOf(Abs(p[0]), kI1Near, kI1Far, true)
                    : lib_internal::BesselI1e32(p[0]);
  });
}

XlaOp Zeta(XlaOp x, XlaOp q) {
  return InF64("Zeta", {x, q}, [&](auto p) { return Zeta64(p[0], p[1], IsF64(x)); });
}

XlaOp Polygamma(XlaOp n, XlaOp x) {
  return InF64("Polygamma", {n, x}, [&](auto p) { return Polygamma64(p[0], p[1], IsF64(x)); });
}

}  // namespace xla
