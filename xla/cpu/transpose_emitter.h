// SPDX-License-Identifier: Apache-2.0
// Code for transposes whose result's rows are another dimension than the operand's.
#ifndef XLA_CPU_TRANSPOSE_EMITTER_H_
#define XLA_CPU_TRANSPOSE_EMITTER_H_

#include "xla/cpu/ir.h"
#include "xla/cpu/kernel_emitter.h"

namespace xla::cpu {

// Emits a loop over the units [parameter 1, parameter 2) of a plan whose `transposes` is set, from
// the array at `source` to that at `target`, which share no memory. Tiles of lanes x lanes elements
// are read by rows, transposed in registers and written by rows; a unit is a row of tiles. The last
// tiles of rows and columns that are not a multiple of the lanes overlap those before: units write
// the same values there.
void EmitTranspose(Ir& ir, const KernelPlan& plan, IrValue source, IrValue target, IrValue begin,
                   IrValue end);

}  // namespace xla::cpu

#endif  // XLA_CPU_TRANSPOSE_EMITTER_H_
