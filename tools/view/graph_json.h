// SPDX-License-Identifier: Apache-2.0
// Programs, profiles and reports of the compiler as JSON, for the page of `xylem view`.
#ifndef XYLEM_TOOLS_VIEW_GRAPH_JSON_H_
#define XYLEM_TOOLS_VIEW_GRAPH_JSON_H_

#include <map>
#include <string>
#include <vector>

#include "tools/json.h"
#include "xla/cpu/program.h"
#include "xla/cpu/program_report.h"
#include "xla/debugging/program_diff.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// What is said of instructions beside what they are: '+' added, '-' removed, '~' changed.
using InstructionMarks = std::map<const HloInstruction*, char>;

// All computations of a module that are used; operands are positions in their computation.
JsonObject GraphToJson(const HloModule& module, const std::string& name,
                       const InstructionMarks& marks = {});

// The lines of a difference; beyond a thousand, their number.
void AddChanges(const ProgramDiff& diff, JsonObject& pass);
// The marks of the instructions of both programs.
InstructionMarks MarksOf(const ProgramDiff& diff);

// The plan of each instruction, by its name.
JsonObject PlanToJson(const ProgramReport& report);
JsonObject BuffersToJson(const ProgramReport& report);

// What an instruction did.
struct Rates {
  double bytes = 0, operations = 0;  // a second
  double share = 0;                  // of the machine's limits
};
Rates RatesOf(const CpuProgram::ProfileEntry& entry, double bytes_a_second,
              double operations_a_second);

// The limits are those of the machine.
JsonObject ProfileToJson(const std::vector<CpuProgram::ProfileEntry>& entries,
                         const std::vector<CpuProgram::ProfileEvent>& events, double bytes_a_second,
                         double operations_a_second);

}  // namespace xla

#endif  // XYLEM_TOOLS_VIEW_GRAPH_JSON_H_
