// SPDX-License-Identifier: Apache-2.0
// The regularized incomplete beta function of math.h. Source: DLMF 8.17.22, the continued fraction.
#include <vector>

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/special_functions.h"

namespace xla {
namespace {

using lib_internal::Deviance;
using lib_internal::StirlingError;

// It takes about the square root of the greater of a and b.
constexpr int kBetaSteps = 5000;

// 1 / (1 + d_1 / (1 + d_2 / ..)) by Lentz's method, two terms a step.
absl::StatusOr<XlaOp> BetaFraction(XlaOp a, XlaOp b, XlaOp x) {
  const auto step = [](XlaOp m, std::vector<XlaOp>& state) {
    const XlaOp a = state[0], b = state[1], x = state[2];
    XlaOp &c = state[3], &d = state[4], &h = state[5];
    const XlaOp one = ScalarLike(m, 1), two_m = m + m;
    const XlaOp even = m * (b - m) * x / ((a + two_m - one) * (a + two_m));
    const XlaOp odd = -(a + m) * (a + b + m) * x / ((a + two_m) * (a + two_m + one));
    XlaOp factor;
    for (const XlaOp numerator : {even, odd}) {
      c = one + numerator / c;
      d = Reciprocal(one + numerator * d);
      factor = c * d;
      h = h * factor;
    }
    return Gt(Abs(factor - one), ScalarLike(factor, 0x1p-51));
  };
  // The first odd term has m = 0; before it c is 1.
  const XlaOp one = FullLike(a, 1);
  const XlaOp d = Reciprocal(one - (a + b) * x / (a + one));
  std::vector<XlaOp> state = {a, b, x, one, d, d};
  XLA_ASSIGN_OR_RETURN(
      state, lib_internal::Iterate("betainc_fraction", a.builder(), state, kBetaSteps, step));
  return state[5];
}

}  // namespace

XlaOp RegularizedIncompleteBeta(XlaOp a, XlaOp b, XlaOp x) {
  const auto make = [](absl::Span<const XlaOp> p) -> absl::StatusOr<XlaOp> {
    const XlaOp zero = ScalarLike(p[2], 0), one = FullLike(p[2], 1);
    const XlaOp infinity = ScalarLike(p[2], lib_internal::kInfinity);
    const auto positive = [&](XlaOp order) { return And(Gt(order, zero), Lt(order, infinity)); };
    const XlaOp orders = And(positive(p[0]), positive(p[1]));
    const XlaOp inside = And(orders, And(Gt(p[2], zero), Lt(p[2], one)));
    XlaOp a = Select(inside, p[0], one), b = Select(inside, p[1], one);
    XlaOp x = Select(inside, p[2], FullLike(p[2], 0.5));
    XlaOp y = one - x;
    // The fraction converges quickly below the mean; above it 1 - I(b, a, 1 - x) serves.
    const XlaOp swap = Ge(x, (a + one) / (a + b + ScalarLike(a, 2)));
    const XlaOp first = Select(swap, b, a), second = Select(swap, a, b);
    const XlaOp low = Select(swap, y, x), high = Select(swap, x, y);
    XLA_ASSIGN_OR_RETURN(const XlaOp fraction, BetaFraction(first, second, low));
    // x^a (1 - x)^b / (a B(a, b)), as a binomial probability.
    const XlaOp n = a + b;
    const XlaOp exponent = StirlingError(n) - StirlingError(a) - StirlingError(b) -
                           Deviance(first, n * low) - Deviance(second, n * high);
    const XlaOp scale = Exp(exponent) * Sqrt(second / first / n) *
                        ScalarLike(n, 0.39894228040143267794);  // 1 / sqrt(2 pi)
    const XlaOp value = scale * fraction;
    const XlaOp result = Select(swap, one - value, value);
    // The ends of the interval, and outside of it.
    const XlaOp at_ends =
        Select(And(orders, Eq(p[2], zero)), FullLike(p[2], 0),
               Select(And(orders, Eq(p[2], one)), one, FullLike(p[2], lib_internal::kNaN)));
    return Select(inside, result, at_ends);
  };
  return lib_internal::InF64("RegularizedIncompleteBeta", {a, b, x}, make);
}

}  // namespace xla
