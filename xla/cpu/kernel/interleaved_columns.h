// SPDX-License-Identifier: Apache-2.0
// Kernels of results with few columns: vectors run along the columns and are stored interleaved.
#ifndef XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_
#define XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether only gathers read a concatenation of indices, each of them one known operand.
bool IsReadByPart(const HloInstruction& concatenate);

// Suits concatenations of columns, and fusions with as few columns that do not reduce.
bool FitsInterleavedColumns(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanInterleavedColumns(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_
