// SPDX-License-Identifier: Apache-2.0
// Programs from files, in any format: HLO text and protos, StableHLO text and bytecode.
#ifndef XYLEM_TOOLS_PROGRAM_FILES_H_
#define XYLEM_TOOLS_PROGRAM_FILES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/command.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// A program, and what a HloSnapshot recorded of a run of it.
struct ProgramFile {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  std::optional<Literal> result;
};

// Reads a program, whose format is detected from its content, and verifies it unless `verify` is
// false. Errors begin with "file:line:column: " where there is a place in a text, else with
// "file: "; "-" is "<stdin>" in them. Shardings of StableHLO are by axes, from LoadModuleFrom by
// tiles: for commands that print HLO.
absl::StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, bool verify = true,
                                                      const std::string& function = {});
// The same with the options --function, and --input for the sizes that StableHLO leaves open.
absl::StatusOr<ProgramFile> LoadProgram(const std::string& path, const Arguments& arguments);
// The same in two steps, for standard input can be read once only.
absl::StatusOr<std::string> ReadProgram(const std::string& path);
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFrom(const std::string& path,
                                                          std::string_view bytes,
                                                          bool verify = true,
                                                          const std::string& function = {});
// --function, of commands that read StableHLO.
OptionSpec FunctionOption();
// --mesh, which LoadProgram gives the translation.
OptionSpec MeshOption();
// The sizes that it gives.
absl::StatusOr<std::map<std::string, int64_t>> MeshAxesOf(const Arguments& arguments);
// Whether the bytes are StableHLO, as text or bytecode; the programs of a text, which are parts
// between lines "// -----", without parts of comments alone.
bool IsStableHlo(std::string_view bytes);
std::vector<std::string_view> StableHloPrograms(std::string_view bytes);
// A part of a text, after as many line ends as the text has before it: places in it are those of
// the file then.
std::string AtItsLine(std::string_view text, std::string_view part);

// The same of a file of several StableHLO programs, in parts between lines "// -----".
absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LoadModules(const std::string& path,
                                                                    bool verify = true);
// An error where the text of StableHLO was cut for its length.
absl::StatusOr<std::string> CompleteText(std::string text);
absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromBytes(std::string_view bytes,
                                                               bool verify = true);

// INVALID_ARGUMENT, with what to do about it, if a size of an argument is open.
absl::Status CheckSizesAreKnown(const HloModule& module);

// The error of a reader, or rather what the bytes are if they are of another kind: what a reader
// makes of them helps nobody.
absl::Status Explained(std::string_view bytes, const absl::Status& status);

// A message about a file, which begins with its name and perhaps a place in it.
absl::Status AboutFile(const std::string& path, const absl::Status& status);
std::string AboutFile(const std::string& path, const std::string& message);

}  // namespace xla

#endif  // XYLEM_TOOLS_PROGRAM_FILES_H_
