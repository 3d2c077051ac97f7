// SPDX-License-Identifier: Apache-2.0
// Elementary and special functions made of operations. Abs, Exp, Acos and so on are operations
// themselves (xla_ops.h).
#ifndef XLA_HLO_BUILDER_LIB_MATH_H_
#define XLA_HLO_BUILDER_LIB_MATH_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Tests of real floating-point numbers; pred results. Errors: other types.
XlaOp IsPosInf(XlaOp operand);
XlaOp IsNegInf(XlaOp operand);
XlaOp IsInf(XlaOp operand);
XlaOp IsNan(XlaOp operand);
XlaOp IsNegZero(XlaOp operand);

// The number next to `from` in the direction of `to`; F16, BF16, F32, F64.
XlaOp NextAfter(XlaOp from, XlaOp to);

XlaOp Square(XlaOp operand);
XlaOp Reciprocal(XlaOp operand);
XlaOp RoundToEven(XlaOp x);
XlaOp Atan(XlaOp x);
// The complex conjugate if `conjugate` and x is complex, else x.
XlaOp MaybeConjugate(XlaOp x, bool conjugate);

// Special functions of real numbers, computed in F64: accurate to the last place or two of
// narrower types. Operands have one shape and type; scalars are broadcast.
XlaOp Erfc(XlaOp x);         // 1 - erf(x)
XlaOp ErfInv(XlaOp x);       // in [-1, 1], else NaN
XlaOp Lgamma(XlaOp input);   // log |gamma(x)|
XlaOp Digamma(XlaOp input);  // its derivative
// The n-th derivative of Digamma; NaN unless n is 0, 1, 2, ...
XlaOp Polygamma(XlaOp n, XlaOp x);
// The Hurwitz zeta function: the sum of (q + k)^-x, k = 0, 1, ... Inf for x = 1 and for q = 0, -1,
// ...; NaN for x < 1, and for q < 0 unless x is whole.
XlaOp Zeta(XlaOp x, XlaOp q);
// The regularized incomplete gamma functions, P(a, x) and Q(a, x) = 1 - P(a, x), for a > 0 and
// x >= 0. Elsewhere Igamma is NaN and Igammac 1.
XlaOp Igamma(XlaOp a, XlaOp x);
XlaOp Igammac(XlaOp a, XlaOp x);
// The derivative of P(a, x) by a; and that of a sample x of the gamma distribution by a, which is
// the same divided by -density.
XlaOp IgammaGradA(XlaOp a, XlaOp x);
XlaOp RandomGammaGrad(XlaOp a, XlaOp x);
// I_x(a, b) for a, b > 0 and x in [0, 1], else NaN.
XlaOp RegularizedIncompleteBeta(XlaOp a, XlaOp b, XlaOp x);
// e^-|x| I_0(x) and e^-|x| I_1(x), modified Bessel functions of the first kind.
XlaOp BesselI0e(XlaOp x);
XlaOp BesselI1e(XlaOp x);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_MATH_H_
