// SPDX-License-Identifier: Apache-2.0
// Decides which instructions are computed where they are used rather than in memory.
//
// Users are decided before operands. The work of a kernel stays bounded: what costs more than a
// store and a load is computed by one kernel, and there once for each element, or twice where a row
// is reduced before its elements are used (bounded_work.h measures it).
#ifndef XLA_CPU_PLAN_FUSION_PLANNER_H_
#define XLA_CPU_PLAN_FUSION_PLANNER_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Instructions that become part of the fusions of their users; all others are materialized.
using FusedProducers = absl::flat_hash_set<const HloInstruction*>;

FusedProducers PlanFusions(HloComputation* computation);

// Operands that the operation updates in place.
int64_t UpdatedCount(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_FUSION_PLANNER_H_
