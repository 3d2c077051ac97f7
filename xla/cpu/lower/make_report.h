// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_LOWER_MAKE_REPORT_H_
#define XLA_CPU_LOWER_MAKE_REPORT_H_

#include "xla/cpu/codegen/target.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/program_report.h"

namespace xla::cpu {

ProgramReport MakeReport(const ProgramSchedule& schedule, const Target& target);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_MAKE_REPORT_H_
