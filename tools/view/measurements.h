// SPDX-License-Identifier: Apache-2.0
// Measurements that other commands print as lines of JSON, for `xylem view`. Parsed by
// nlohmann/json, which only measurements.cc includes.
#ifndef XYLEM_TOOLS_VIEW_MEASUREMENTS_H_
#define XYLEM_TOOLS_VIEW_MEASUREMENTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/json.h"

namespace xla {

// What `xylem profile --json` printed, as ProfileToJson has it, without a timeline.
absl::StatusOr<JsonObject> ReadProfile(const std::string& path);

// The errors of instructions by their names, of lines with "instruction" and "error".
absl::StatusOr<JsonObject> ReadErrors(const std::string& path);

}  // namespace xla

#endif  // XYLEM_TOOLS_VIEW_MEASUREMENTS_H_
