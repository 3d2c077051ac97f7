// SPDX-License-Identifier: Apache-2.0
// Code for transposes whose result's rows are another dimension than the operand's.
#ifndef XLA_CPU_TRANSPOSE_EMITTER_H_
#define XLA_CPU_TRANSPOSE_EMITTER_H_

#include <vector>

#include "xla/cpu/element.h"
#include "xla/cpu/element_emitter.h"
#include "xla/cpu/ir.h"
#include "xla/cpu/kernel_emitter.h"

namespace xla::cpu {

// Makes of n vectors of n lanes those of the first lanes, of the second ones, ... n is a power
// of 2.
void TransposeRows(Ir& ir, std::vector<IrValue>& rows);

// Plans a kernel that is a transpose. False for those that are better done element by element.
bool PlanTranspose(const HloInstruction& transpose, const Target& target, KernelPlan& plan);

// Emits a loop over the units [begin, end) of a plan whose `transposes` is set, to the array at
// `target`, which shares no memory with what is read. Tiles of rows of the operand, as wide as the
// lanes of `rows`, are transposed in registers and written by rows of the result; tiles of narrow
// types are made of smaller ones, so that they are read and written by whole vectors. A unit is a
// block of tiles (where rows of the result are short, a segment). The operand is in memory at
// `source`, or computed by `rows` if that is null. The last tiles of rows and columns that are not
// a multiple of a tile overlap those before: units write the same values there.
void EmitTranspose(const KernelPlan& plan, ElementOps& ops, ElementEmitter& rows, IrValue source,
                   IrValue target, IrValue begin, IrValue end);

}  // namespace xla::cpu

#endif  // XLA_CPU_TRANSPOSE_EMITTER_H_
