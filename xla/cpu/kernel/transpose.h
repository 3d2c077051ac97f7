// SPDX-License-Identifier: Apache-2.0
// Kernels of transposes that move the minor dimension: they transpose tiles of vectors in
// registers. The operand is in memory, or computed along its rows.
#ifndef XLA_CPU_KERNEL_TRANSPOSE_H_
#define XLA_CPU_KERNEL_TRANSPOSE_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether a transpose's kernel can compute its operand: the operand's rows are long enough for
// vectors, and the rows of the result are long enough as well, or so short that they are stored
// interleaved.
bool TransposesComputedRows(const HloInstruction& transpose);

// Whether rows of a transpose's result read every second, third or fourth element of memory: then a
// fusion reads it like any other strided access.
bool PicksFromShortRows(const HloInstruction& transpose);

// Suits fusions whose root is a transpose, except those that are faster element by element.
bool FitsTranspose(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanTranspose(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_TRANSPOSE_H_
