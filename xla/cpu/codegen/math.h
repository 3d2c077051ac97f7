// SPDX-License-Identifier: Apache-2.0
// Mathematical functions as generated code, on scalars and vectors of float and double.
#ifndef XLA_CPU_CODEGEN_MATH_H_
#define XLA_CPU_CODEGEN_MATH_H_

#include "xla/cpu/codegen/ir.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::cpu {

// The function of an opcode of real numbers; `b` is null for unary ones. Results are within 2 units
// in the last place. Infinities, NaNs, signed zeros and subnormal numbers are those of C.
IrValue EmitMath(Ir& ir, HloOpcode opcode, IrValue a, IrValue b = nullptr);
// The same for unary functions within 1 unit in the last place: computed in the next wider type if
// need be.
IrValue EmitAccurateMath(Ir& ir, HloOpcode opcode, IrValue a);

// The same of complex numbers with these real and imaginary parts.
void EmitComplexMath(Ir& ir, HloOpcode opcode, IrValue a_re, IrValue a_im, IrValue b_re,
                     IrValue b_im, IrValue* re, IrValue* im);

// Whether the absolute values of complex numbers of f32 are less than the bound, and so on: without
// square roots. The predicate is one of OLT, OLE, OGT, OGE; the bound is between the
// following two.
inline constexpr float kLeastMagnitudeBound = 0x1p-28f, kGreatestMagnitudeBound = 0x1p58f;
IrValue EmitMagnitudeCompare(Ir& ir, LLVMRealPredicate predicate, IrValue re, IrValue im,
                             float bound);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_MATH_H_
