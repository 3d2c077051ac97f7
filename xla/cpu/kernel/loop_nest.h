// SPDX-License-Identifier: Apache-2.0
// Kernels that loop over the elements of the result, row by row: for fusions that no other strategy
// suits.
#ifndef XLA_CPU_KERNEL_LOOP_NEST_H_
#define XLA_CPU_KERNEL_LOOP_NEST_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Whether the fusion is elementwise, so that all of its arrays may be treated as one-dimensional.
bool IsLinear(const HloComputation& computation);

// Plans a loop nest for each operand of a concatenation, for the update of a dynamic-update-slice,
// or for the result of any other fusion.
std::unique_ptr<const KernelPlan> PlanLoopNest(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_LOOP_NEST_H_
