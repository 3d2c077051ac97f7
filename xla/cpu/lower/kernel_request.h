// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_LOWER_KERNEL_REQUEST_H_
#define XLA_CPU_LOWER_KERNEL_REQUEST_H_

#include "xla/cpu/codegen/target.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

// Returns the request for the kernel of a scheduled instruction: what it computes, with the
// strategy of its lowering, and the memory of its results. The request refers to the instruction.
KernelRequest RequestOf(const ProgramSchedule& schedule, const ScheduledItem& item,
                        const Target& target);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_KERNEL_REQUEST_H_
