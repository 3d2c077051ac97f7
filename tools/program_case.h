// SPDX-License-Identifier: Apache-2.0
// A program and arguments to run it with, for check, bench and profile: a folder with a program and
// golden.json, or a file whose arguments come from --input, a snapshot or --random.
#ifndef XYLEM_TOOLS_PROGRAM_CASE_H_
#define XYLEM_TOOLS_PROGRAM_CASE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/command.h"
#include "tools/golden.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

struct ProgramCase {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  double load_seconds = 0;          // to read and verify the program
  std::optional<Golden> golden;     // of a folder that has one
  std::optional<Literal> recorded;  // of a snapshot
};

// The last part of a path: how tables call a case.
std::string CaseName(std::string path);

// Arguments that golden.json describes are drawn as it says; a folder without one takes them as a
// file does. Errors name the file.
absl::StatusOr<ProgramCase> LoadCase(std::string path, const Arguments& arguments);

// --program, for folders.
OptionSpec ProgramOption();

}  // namespace xla

#endif  // XYLEM_TOOLS_PROGRAM_CASE_H_
