// SPDX-License-Identifier: Apache-2.0
// Decides which instructions are computed where they are used rather than in memory.
//
// Users are decided before operands. The work of a kernel stays bounded: what costs more than a
// store and a load is computed by one kernel, and there once for each element, or twice where a row
// is reduced before its elements are used (recomputation.h measures it).
#ifndef XLA_CPU_PLAN_FUSION_PLANNER_H_
#define XLA_CPU_PLAN_FUSION_PLANNER_H_

#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

FusedProducers PlanFusions(HloComputation* computation);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_FUSION_PLANNER_H_
