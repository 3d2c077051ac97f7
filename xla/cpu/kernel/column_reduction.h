// SPDX-License-Identifier: Apache-2.0
// Kernels of reductions that keep the minor dimension: rows are accumulated in the result.
#ifndef XLA_CPU_KERNEL_COLUMN_REDUCTION_H_
#define XLA_CPU_KERNEL_COLUMN_REDUCTION_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether a reduction keeps the minor dimension and is long enough to be a kernel of its own.
bool IsColumnReduction(const HloInstruction& reduce);

// Suits fusions whose root is a column reduction. A unit is a range of columns.
bool FitsColumnReduction(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanColumnReduction(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_COLUMN_REDUCTION_H_
