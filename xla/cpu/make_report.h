// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_MAKE_REPORT_H_
#define XLA_CPU_MAKE_REPORT_H_

#include "xla/cpu/program_report.h"
#include "xla/cpu/schedule.h"
#include "xla/cpu/target.h"

namespace xla::cpu {

ProgramReport MakeReport(const ProgramSchedule& schedule, const Target& target);

}  // namespace xla::cpu

#endif  // XLA_CPU_MAKE_REPORT_H_
