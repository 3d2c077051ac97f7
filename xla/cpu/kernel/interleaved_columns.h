// SPDX-License-Identifier: Apache-2.0
// Kernels of results with few columns: vectors run along the columns and are stored interleaved.
#ifndef XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_
#define XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether a concatenation of indices is only read by gathers, which know from which operand each
// index comes.
bool IsReadByPart(const HloInstruction& concatenate);

// Suits concatenations of a few columns, and fusions with results of a few columns that do not
// reduce.
bool FitsInterleavedColumns(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanInterleavedColumns(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_
