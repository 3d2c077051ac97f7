// SPDX-License-Identifier: Apache-2.0
// Kernels whose results need reductions of their own rows, as softmax does: each row is reduced
// before its elements are computed.
#ifndef XLA_CPU_KERNEL_ROW_REDUCTION_H_
#define XLA_CPU_KERNEL_ROW_REDUCTION_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Whether all reductions reduce the minor dimension of arrays with the dimensions of the result,
// and each row of the result only needs reductions of the same row.
bool ReducesOwnRows(const HloComputation& computation);

// Suits fusions that reduce their own rows, if these are long enough for vectors.
bool FitsRowReduction(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanRowReduction(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_ROW_REDUCTION_H_
