// SPDX-License-Identifier: Apache-2.0
// Loops over the elements of the result, row by row: what no other strategy suits.
#ifndef XLA_CPU_KERNEL_LOOP_NEST_H_
#define XLA_CPU_KERNEL_LOOP_NEST_H_

#include <memory>

#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// Whether all arrays of a fusion may be seen as one dimension of the same length: it is
// elementwise.
bool IsLinear(const HloComputation& computation);

// Loops over each operand of a concatenation, over the update of a dynamic-update-slice, and over
// the result of all else.
std::unique_ptr<const KernelPlan> PlanLoopNest(const KernelRequest& request);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_LOOP_NEST_H_
