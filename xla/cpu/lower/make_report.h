// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_LOWER_MAKE_REPORT_H_
#define XLA_CPU_LOWER_MAKE_REPORT_H_

#include "xla/cpu/codegen/target.h"
#include "xla/cpu/lower/loop_plan.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/program_report.h"

namespace xla::cpu {

// `loops`: the plans of the schedule's loops.
ProgramReport MakeReport(const ProgramSchedule& schedule, const LoopPlans& loops,
                         const Target& target);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_MAKE_REPORT_H_
