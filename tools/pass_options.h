// SPDX-License-Identifier: Apache-2.0
// What opt and compile share: options that say how passes run, and what is told of those that ran.
#ifndef XYLEM_TOOLS_PASS_OPTIONS_H_
#define XYLEM_TOOLS_PASS_OPTIONS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/command.h"
#include "tools/json.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pass.h"
#include "xla/passes/pipeline.h"

namespace xla {

// Every pass there is, in alphabetical order: those of xla/passes and xla/cpu,
// constant-folding and spmd-partition.
const std::vector<Pass>& PassesOfAllRooms();
// "cpu": what the compiler runs.
const std::vector<Pipeline::Named>& NamedPipelines();

// --disable-passes LIST, --dump-passes DIR, --print-changed.
std::vector<OptionSpec> PassOptions();

// Prints the module to stderr after each pass that changed it.
class ChangePrinter : public PassInstrumentation {
 public:
  absl::Status AfterPass(std::string_view pass, const HloModule& module, bool changed) override;
};

// The options as the command line has them; the folder of dumps is made. `printer` outlives the
// run.
absl::StatusOr<PipelineOptions> PassOptionsOf(const Arguments& arguments, ChangePrinter* printer);

// An object for each pass.
std::vector<JsonObject> PassesAsJson(const PipelineStatistics& statistics);

}  // namespace xla

#endif  // XYLEM_TOOLS_PASS_OPTIONS_H_
