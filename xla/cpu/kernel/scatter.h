// SPDX-License-Identifier: Apache-2.0
// Kernels that scatter updates to an array in place.
#ifndef XLA_CPU_KERNEL_SCATTER_H_
#define XLA_CPU_KERNEL_SCATTER_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"

namespace xla::cpu {

// Suits fusions whose root is a scatter. A unit is a range of the minor window dimension, for all
// updates in order: the order in which updates of an element are combined does not depend on
// threads.
bool FitsScatter(const KernelRequest& request);
std::unique_ptr<const KernelPlan> PlanScatter(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_SCATTER_H_
