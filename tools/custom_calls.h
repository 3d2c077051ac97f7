// SPDX-License-Identifier: Apache-2.0
// The option --custom-calls of commands that run programs.
#ifndef XYLEM_TOOLS_CUSTOM_CALLS_H_
#define XYLEM_TOOLS_CUSTOM_CALLS_H_

#include "absl/status/statusor.h"
#include "tools/command.h"
#include "xla/runtime/custom_call.h"

namespace xla {

// For the command's list of options.
OptionSpec CustomCallsOption();

// The targets of every library that --custom-calls names.
absl::StatusOr<CustomCallRegistry> LoadCustomCalls(const Arguments& arguments);

}  // namespace xla

#endif  // XYLEM_TOOLS_CUSTOM_CALLS_H_
