// SPDX-License-Identifier: Apache-2.0
#include "tools/program_case.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/device_grid.h"
#include "tools/files.h"
#include "tools/given_arrays.h"
#include "tools/golden_check.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The program of a folder: --program, or the first of these names that there is.
absl::StatusOr<std::string> FindProgram(const std::string& folder, const Arguments& arguments) {
  if (arguments.Has("--program")) return absl::StrCat(folder, "/", arguments.Get("--program"));
  std::error_code ignored;
  for (const char* name : {"program.mlir", "program.hlo", "program.hlo.pb", "program.mlirbc"}) {
    std::string path = absl::StrCat(folder, "/", name);
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return absl::NotFoundError(absl::StrCat(
      folder, ": the folder has no program.mlir or program.hlo; --program names another file"));
}

}  // namespace

OptionSpec ProgramOption() {
  return {"--program", "FILE",
          "name of the program in each folder; the default is program.mlir, else program.hlo"};
}

std::string CaseName(std::string path) {
  path = WithoutSlash(std::move(path));
  return path.substr(path.rfind('/') + 1);
}

absl::StatusOr<ProgramCase> LoadCase(std::string path, const Arguments& arguments) {
  path = WithoutSlash(std::move(path));
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  std::string program_path = path;
  if (is_folder) {
    XLA_ASSIGN_OR_RETURN(program_path, FindProgram(path, arguments));
  }
  ProgramCase result;
  const double start = Seconds();
  XLA_ASSIGN_OR_RETURN(ProgramFile file, LoadProgram(program_path, arguments));
  result.load_seconds = Seconds() - start;
  result.module = std::move(file.module);
  result.recorded = std::move(file.result);
  const std::string golden_path = absl::StrCat(path, "/golden.json");
  if (is_folder && std::filesystem::exists(golden_path, ignored)) {
    XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(golden_path));
    absl::StatusOr<Golden> golden = ParseGolden(text);
    if (!golden.ok()) {
      absl::string_view why = golden.status().message();
      const bool is_placed = absl::ConsumePrefix(&why, "golden.json");
      return absl::Status(golden.status().code(),
                          absl::StrCat(golden_path, is_placed ? "" : ": ", why));
    }
    XLA_ASSIGN_OR_RETURN(result.arguments, DrawArguments(*golden));
    result.golden = *std::move(golden);
    return result;
  }
  XLA_ASSIGN_OR_RETURN(
      const std::vector<DeviceArguments> inputs,
      ReadDeviceArguments(*result.module, DeviceGrid(), arguments, file.arguments));
  for (const auto& input : inputs[0]) result.arguments.push_back(input->Clone());
  if (GivesArguments(arguments)) result.recorded.reset();
  return result;
}

}  // namespace xla
