// SPDX-License-Identifier: Apache-2.0
// Orders the instructions of a computation so that they need less memory.
#ifndef XLA_CPU_PLAN_MEMORY_SCHEDULER_H_
#define XLA_CPU_PLAN_MEMORY_SCHEDULER_H_

#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// `order`: the instructions of a computation, operands before users. Returns that order or, if its
// peak memory is clearly lower, one that prefers instructions that free the most memory. Takes
// O(n log n) time. Precondition: FuseForCpu has run.
std::vector<const HloInstruction*> OrderForMemory(std::vector<const HloInstruction*> order);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_MEMORY_SCHEDULER_H_
