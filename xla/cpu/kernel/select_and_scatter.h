// SPDX-License-Identifier: Apache-2.0
// Kernels of select-and-scatter: each window of the operand selects an element, to which an element
// of the source is scattered.
#ifndef XLA_CPU_KERNEL_SELECT_AND_SCATTER_H_
#define XLA_CPU_KERNEL_SELECT_AND_SCATTER_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"

namespace xla::cpu {

// Suits select-and-scatter, and the custom call of one with dynamic sizes. A unit is an index of
// the dimensions without a window, apart from the minor one: units share no element of the result.
bool FitsSelectAndScatter(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanSelectAndScatter(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_SELECT_AND_SCATTER_H_
