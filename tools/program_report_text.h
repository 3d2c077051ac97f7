// SPDX-License-Identifier: Apache-2.0
// The decisions of the compiler as texts: what `xylem compile --emit=plan|schedule|buffers` prints.
#ifndef XYLEM_TOOLS_PROGRAM_REPORT_TEXT_H_
#define XYLEM_TOOLS_PROGRAM_REPORT_TEXT_H_

#include <string>

#include "xla/cpu/program_report.h"

namespace xla {

// Tables for readers, or with `json` an array of objects, one on a line.
std::string PlanReportText(const ProgramReport& report, bool json);
std::string ScheduleReportText(const ProgramReport& report, bool json);
std::string BuffersReportText(const ProgramReport& report, bool json);

}  // namespace xla

#endif  // XYLEM_TOOLS_PROGRAM_REPORT_TEXT_H_
