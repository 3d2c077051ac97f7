// SPDX-License-Identifier: Apache-2.0
// Elementary functions composed of others, for real numbers only: complex operands use the
// operation itself, which handles branch cuts.
#include "xla/hlo/builder/expansions.h"

#include <limits>

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;

// expanded(x), or operation(x) if x is not real.
XlaOp OfReal(XlaOp x, XlaOp (*operation)(XlaOp, const std::optional<ResultAccuracy>&, bool),
             absl::FunctionRef<XlaOp(XlaBuilder*, XlaOp)> expanded) {
  return lib_internal::Make("expansion", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, b->GetShape(x));
    if (!shape.IsArray() || !primitive_util::IsFloatingPointType(shape.element_type())) {
      return operation(x, std::nullopt, /*expand=*/false);
    }
    return lib_internal::InF32IfNarrow(x, shape, [&](XlaOp wide) { return expanded(b, wide); });
  });
}

// Above this, x * x overflows or x + 1 == x, and x stands for sqrt(x * x - 1).
XlaOp IsLarge(XlaOp magnitude) { return Ge(magnitude, ScalarLike(magnitude, 1e18)); }

// sqrt(1 - x^2) without cancellation.
XlaOp Cofunction(XlaOp x) {
  const XlaOp one = ScalarLike(x, 1);
  return Sqrt((one - x) * (one + x));
}

}  // namespace

// 2 atan2(sqrt(1 - x^2), 1 + x); at -1 both are 0.
XlaOp ExpandAcos(XlaOp operand) {
  return OfReal(operand, Acos, [](XlaBuilder*, XlaOp x) {
    return Select(Ne(x, ScalarLike(x, -1)),
                  ScalarLike(x, 2) * Atan2(Cofunction(x), ScalarLike(x, 1) + x), FullLike(x, kPi));
  });
}

// 2 atan2(x, 1 + sqrt(1 - x^2))
XlaOp ExpandAsin(XlaOp operand) {
  return OfReal(operand, Asin, [](XlaBuilder*, XlaOp x) {
    return ScalarLike(x, 2) * Atan2(x, ScalarLike(x, 1) + Cofunction(x));
  });
}

// log1p((x - 1) + sqrt((x - 1) (x + 1))); log(2 x) for large x; NaN below 1.
XlaOp ExpandAcosh(XlaOp operand) {
  return OfReal(operand, Acosh, [](XlaBuilder*, XlaOp x) {
    const XlaOp below = x - ScalarLike(x, 1);
    const XlaOp usual = Log1p(below + Sqrt(below * (x + ScalarLike(x, 1))));
    const XlaOp result = Select(IsLarge(x), Log(x) + ScalarLike(x, kLn2), usual);
    const XlaOp nan = FullLike(x, std::numeric_limits<double>::quiet_NaN());
    return Select(Lt(x, ScalarLike(x, 1)), nan, result);
  });
}

// The sign of x times log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))); log(2 |x|) for large |x|.
XlaOp ExpandAsinh(XlaOp operand) {
  return OfReal(operand, Asinh, [](XlaBuilder*, XlaOp x) {
    const XlaOp one = ScalarLike(x, 1);
    const XlaOp a = Abs(x);
    const XlaOp square = a * a;
    const XlaOp usual = Log1p(a + square / (one + Sqrt(square + one)));
    const XlaOp magnitude = Select(IsLarge(a), Log(a) + ScalarLike(x, kLn2), usual);
    return Sign(x) * magnitude;
  });
}

// (log1p(x) - log1p(-x)) / 2
XlaOp ExpandAtanh(XlaOp operand) {
  return OfReal(operand, Atanh,
                [](XlaBuilder*, XlaOp x) { return ScalarLike(x, 0.5) * (Log1p(x) - Log1p(-x)); });
}

// (e^x + e^-x) / 2, halved in the exponent so that the result alone overflows.
XlaOp ExpandCosh(XlaOp operand) {
  return OfReal(operand, Cosh, [](XlaBuilder*, XlaOp x) {
    const XlaOp ln_half = ScalarLike(x, -kLn2);
    return Exp(x + ln_half) + Exp(ln_half - x);
  });
}

// (e^x - e^-x) / 2; near 0 with m = e^x - 1 as (m + m / (m + 1)) / 2.
XlaOp ExpandSinh(XlaOp operand) {
  return OfReal(operand, Sinh, [](XlaBuilder*, XlaOp x) {
    const XlaOp ln_half = ScalarLike(x, -kLn2);
    const XlaOp one = ScalarLike(x, 1);
    const XlaOp large = Exp(x + ln_half) - Exp(ln_half - x);
    const XlaOp m = Expm1(x);
    const XlaOp small = ScalarLike(x, 0.5) * (m + m / (m + one));
    return Select(Lt(Abs(x), one), small, large);
  });
}

}  // namespace xla
