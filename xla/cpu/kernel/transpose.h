// SPDX-License-Identifier: Apache-2.0
// Transposes whose result's rows are another dimension than the operand's: tiles of vectors are
// transposed in registers. The operand is in memory, or computed along its rows.
#ifndef XLA_CPU_KERNEL_TRANSPOSE_H_
#define XLA_CPU_KERNEL_TRANSPOSE_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether a kernel that is a transpose computes what it transposes: rows of the operand are long
// enough for vectors, and the result's as well, or so short that they are stored side by side.
bool TransposesComputedRows(const HloInstruction& transpose);

// Whether rows of a transpose's result are every second, third or fourth element of memory: it is
// as good as any other operation that reads such.
bool PicksFromShortRows(const HloInstruction& transpose);

// Suits fusions whose root is a transpose, but for those that are better done element by element.
bool FitsTranspose(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanTranspose(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_TRANSPOSE_H_
