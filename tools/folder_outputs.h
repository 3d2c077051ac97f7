// SPDX-License-Identifier: Apache-2.0
// Where commands that take several files write: to files in the folder of --output.
#ifndef XYLEM_TOOLS_FOLDER_OUTPUTS_H_
#define XYLEM_TOOLS_FOLDER_OUTPUTS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/command.h"

namespace xla {

// The name of a file without folders, ".gz" and the ending of its format.
std::string StemOf(const std::string& path);

// For each operand the file in the folder that --output names, with its name and the suffix that
// `suffix` gives; none without --output. The folder is created if it is missing. INVALID_ARGUMENT
// if two operands would be written to one file, or something else has the folder's name.
absl::StatusOr<std::vector<std::string>> OutputsInFolder(
    const Arguments& arguments, absl::FunctionRef<std::string(const std::string& path)> suffix);

}  // namespace xla

#endif  // XYLEM_TOOLS_FOLDER_OUTPUTS_H_
