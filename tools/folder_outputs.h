// SPDX-License-Identifier: Apache-2.0
// Commands on several files, one after the other: what they write goes to the folder of --output.
#ifndef XYLEM_TOOLS_FOLDER_OUTPUTS_H_
#define XYLEM_TOOLS_FOLDER_OUTPUTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/command.h"

namespace xla {

// The name of a file without folders, ".gz" and the ending of its format.
std::string StemOf(const std::string& path);

// For each operand the file in the folder that --output names, with its name and the suffix; none
// without --output. The folder is created if it is missing. INVALID_ARGUMENT if two operands would
// be written to one file, or something else has the folder's name.
absl::StatusOr<std::vector<std::string>> OutputsInFolder(const Arguments& arguments,
                                                         std::string_view suffix);

// Runs a command for each operand, by number, below a line with its name (but with --json). Errors
// are printed; the exit code is that of the worst. CANCELLED when it is interrupted.
absl::StatusOr<int> ForEachFile(const Arguments& arguments,
                                absl::FunctionRef<absl::StatusOr<int>(size_t)> command);

}  // namespace xla

#endif  // XYLEM_TOOLS_FOLDER_OUTPUTS_H_
