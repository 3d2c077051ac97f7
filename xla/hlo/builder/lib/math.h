// SPDX-License-Identifier: Apache-2.0
// Elementary and special functions made of operations. Abs, Exp, Acos and so on are operations
// themselves (xla_ops.h).
#ifndef XLA_HLO_BUILDER_LIB_MATH_H_
#define XLA_HLO_BUILDER_LIB_MATH_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Tests of real floating-point numbers; pred results. Errors: other types.
XlaOp IsPosInf(XlaOp operand, CallSite site = CallSite::Current());
XlaOp IsNegInf(XlaOp operand, CallSite site = CallSite::Current());
XlaOp IsInf(XlaOp operand, CallSite site = CallSite::Current());
XlaOp IsNan(XlaOp operand, CallSite site = CallSite::Current());
XlaOp IsNegZero(XlaOp operand, CallSite site = CallSite::Current());

// The number next to `from` in the direction of `to`; F16, BF16, F32, F64.
XlaOp NextAfter(XlaOp from, XlaOp to, CallSite site = CallSite::Current());

XlaOp Square(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Reciprocal(XlaOp operand, CallSite site = CallSite::Current());
XlaOp RoundToEven(XlaOp x, CallSite site = CallSite::Current());
XlaOp Atan(XlaOp x, CallSite site = CallSite::Current());
// The complex conjugate if `conjugate` and x is complex, else x.
XlaOp MaybeConjugate(XlaOp x, bool conjugate, CallSite site = CallSite::Current());

// Special functions of real numbers, computed in F64: accurate to the last place or two of
// narrower types.
XlaOp Erfc(XlaOp x, CallSite site = CallSite::Current());         // 1 - erf(x)
XlaOp ErfInv(XlaOp x, CallSite site = CallSite::Current());       // in [-1, 1], else NaN
XlaOp Lgamma(XlaOp input, CallSite site = CallSite::Current());   // log |gamma(x)|
XlaOp Digamma(XlaOp input, CallSite site = CallSite::Current());  // its derivative

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_MATH_H_
