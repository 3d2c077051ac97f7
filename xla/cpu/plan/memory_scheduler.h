// SPDX-License-Identifier: Apache-2.0
// The order of a computation's instructions that needs less memory.
#ifndef XLA_CPU_PLAN_MEMORY_SCHEDULER_H_
#define XLA_CPU_PLAN_MEMORY_SCHEDULER_H_

#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Takes the instructions of a computation in an order that keeps dependencies. Returns
// that order, or one that takes first what frees the most memory, if values alive at the same time
// take clearly less memory then. In time n log n. Precondition: FuseForCpu has run.
std::vector<const HloInstruction*> OrderForMemory(std::vector<const HloInstruction*> order);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_MEMORY_SCHEDULER_H_
