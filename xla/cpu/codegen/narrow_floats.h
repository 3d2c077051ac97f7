// SPDX-License-Identifier: Apache-2.0
// Conversions between float and the formats of a byte or less, as vectors of integers: what
// MiniFloat (xla/types/mini_float.h) does for one number.
#ifndef XLA_CPU_CODEGEN_NARROW_FLOATS_H_
#define XLA_CPU_CODEGEN_NARROW_FLOATS_H_

#include "xla/cpu/codegen/ir.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {

// Whether the type is a floating-point format of a byte or less.
bool IsByteFloat(PrimitiveType type);

// Returns the code, an I8, that is nearest to a float, ties to even.
IrValue NarrowToByte(Ir& ir, PrimitiveType type, IrValue value);

// Returns the float that a code, an I8, represents.
IrValue WidenByte(Ir& ir, PrimitiveType type, IrValue code);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_NARROW_FLOATS_H_
