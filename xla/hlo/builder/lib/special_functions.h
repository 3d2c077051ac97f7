// SPDX-License-Identifier: Apache-2.0
// What the special functions of math.h share: they are computed in F64. Internal to
// xla/hlo/builder/lib.
#ifndef XLA_HLO_BUILDER_LIB_SPECIAL_FUNCTIONS_H_
#define XLA_HLO_BUILDER_LIB_SPECIAL_FUNCTIONS_H_

#include <limits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla::lib_internal {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// make(operands in F64), converted back. The operands are real numbers of one type and of one
// shape; scalars take the shape of the others.
XlaOp InF64(const char* call, absl::Span<const XlaOp> operands,
            absl::FunctionRef<absl::StatusOr<XlaOp>(absl::Span<const XlaOp>)> make);

// Whether the operand's elements are F64: other types need fewer digits.
bool IsF64(XlaOp x);

// Coefficients from the highest power down. Horner's method is a chain of dependent operations;
// Polynomial divides it into several, which a processor computes side by side, and rounds more.
XlaOp Horner(XlaOp x, absl::Span<const double> coefficients);
XlaOp Polynomial(XlaOp x, absl::Span<const double> coefficients);
// The sum of c T_n(t), coefficients from the highest n down; t in [-1, 1].
XlaOp Chebyshev(XlaOp t, absl::Span<const double> coefficients);

// step(k, state) for k = 1, 2, .., a scalar, until it returns true nowhere or k = limit; it changes
// the state, arrays of one shape, and returns where it has not converged yet.
using Step = absl::FunctionRef<XlaOp(XlaOp k, std::vector<XlaOp>& state)>;
absl::StatusOr<std::vector<XlaOp>> Iterate(const char* name, XlaBuilder* b,
                                           std::vector<XlaOp> initial, int limit, Step step);

// Of F64 operands that are numbers of F32, with results that are right for F32: at most two units
// in the last place off.
XlaOp Erfc32(XlaOp x);
XlaOp ErfInv32(XlaOp x);
XlaOp BesselI0e32(XlaOp x);
XlaOp BesselI1e32(XlaOp x);

// Of F64 operands.
XlaOp Erfc64(XlaOp x);
XlaOp Lgamma64(XlaOp x);
XlaOp Digamma64(XlaOp x);
// a log(a / x) + x - a without cancellation near x = a (C. Loader, "Fast and accurate computation
// of binomial probabilities", 2000); a, x > 0.
XlaOp Deviance(XlaOp a, XlaOp x);
// log(gamma(a + 1)) less Stirling's formula, (a + 1/2) log a - a + log(2 pi) / 2; a > 0.
XlaOp StirlingError(XlaOp a);

}  // namespace xla::lib_internal

#endif  // XLA_HLO_BUILDER_LIB_SPECIAL_FUNCTIONS_H_
