// SPDX-License-Identifier: Apache-2.0
// Emits mathematical functions on scalars and vectors of float and double.
#ifndef XLA_CPU_CODEGEN_MATH_H_
#define XLA_CPU_CODEGEN_MATH_H_

#include "xla/cpu/codegen/ir.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::cpu {

// Emits the real function of an opcode; `b` is null for unary ones. Results are within 2 units in
// the last place. Infinities, NaNs, signed zeros and subnormal numbers are those of C.
IrValue EmitMath(Ir& ir, HloOpcode opcode, IrValue a, IrValue b = nullptr);
// Emits unary functions within 1 unit in the last place, computed in the next wider type if need
// be.
IrValue EmitAccurateMath(Ir& ir, HloOpcode opcode, IrValue a);

// Emits the function of complex numbers with these real and imaginary parts.
void EmitComplexMath(Ir& ir, HloOpcode opcode, IrValue a_re, IrValue a_im, IrValue b_re,
                     IrValue b_im, IrValue* re, IrValue* im);

// Emits a comparison of the absolute values of complex numbers of f32 with a bound, without square
// roots. The predicate is one of OLT, OLE, OGT, OGE; the bound is between the following two.
inline constexpr float kLeastMagnitudeBound = 0x1p-28f, kGreatestMagnitudeBound = 0x1p58f;
IrValue EmitMagnitudeCompare(Ir& ir, LLVMRealPredicate predicate, IrValue re, IrValue im,
                             float bound);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_MATH_H_
