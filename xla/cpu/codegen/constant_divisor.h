// SPDX-License-Identifier: Apache-2.0
// Division of vectors by constants in the time of multiplications, with the bits of a division:
// N. Brisebarre, J.-M. Muller and S. K. Raina, "Accelerating correctly rounded floating-point
// division when the divisor is known in advance" (IEEE Transactions on Computers 53, 2004).
#ifndef XLA_CPU_CODEGEN_CONSTANT_DIVISOR_H_
#define XLA_CPU_CODEGEN_CONSTANT_DIVISOR_H_

#include <optional>

#include "xla/cpu/codegen/ir.h"

namespace xla::cpu {

// 1 / divisor as the sum of two numbers of the type of the divisor: fma(x, high, x * low) is
// x / divisor, correctly rounded, for x = 0, NaN, infinities and all |x| >= least.
template <class Real>
struct ReciprocalPair {
  Real high, low;
  Real least;
};

// Returns nothing for divisors for which that holds for some x only, for powers of two, whose
// reciprocal needs no help, and for those outside [2^-65, 2^64).
template <class Real>
std::optional<ReciprocalPair<Real>> FindReciprocalPair(Real divisor);

// Emits a / b. `is_integral`: `a` was converted from integers, so that none is tiny.
IrValue EmitQuotient(Ir& ir, IrValue a, IrValue b, bool is_integral);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_CONSTANT_DIVISOR_H_
