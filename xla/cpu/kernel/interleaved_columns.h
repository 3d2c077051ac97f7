// SPDX-License-Identifier: Apache-2.0
// Results of few columns: vectors go along the columns, and are stored side by side.
#ifndef XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_
#define XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether gathers alone read a concatenation of indices, and each index from one known operand.
bool IsReadByPart(const HloInstruction& concatenate);

// Suits concatenations of columns, and what is computed of as many columns without reductions.
bool FitsInterleavedColumns(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanInterleavedColumns(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_INTERLEAVED_COLUMNS_H_
