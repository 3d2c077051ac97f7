// SPDX-License-Identifier: Apache-2.0
#include "tools/folder_outputs.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "tools/color.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/process.h"
#include "xla/base/string_view.h"

namespace xla {

std::string StemOf(const std::string& path) {
  if (path == "-") return "stdin";
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return FormatOfName(name.string()).empty() ? name.string() : name.stem().string();
}

absl::StatusOr<std::vector<std::string>> OutputsInFolder(const Arguments& arguments,
                                                         std::string_view suffix) {
  std::vector<std::string> outputs;
  if (!arguments.Has("--output")) return outputs;
  const std::filesystem::path folder = arguments.Get("--output");
  std::map<std::string, std::string> operands;  // by output
  for (const std::string& path : arguments.operands()) {
    const std::string output = (folder / absl::StrCat(StemOf(path), View(suffix))).string();
    const auto [other, is_new] = operands.emplace(output, path);
    if (!is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat(other->second, " and ", path, " would both be written to ", output));
    }
    outputs.push_back(output);
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--output ", folder.string(),
                     ": of several programs this is a folder, and it "
                     "cannot be created",
                     error ? absl::StrCat(": ", error.message()) : ""));
  }
  return outputs;
}

absl::StatusOr<int> ForEachFile(const Arguments& arguments,
                                absl::FunctionRef<absl::StatusOr<int>(size_t)> command) {
  int code = kExitOk;
  for (size_t i = 0; i < arguments.operands().size(); ++i) {
    const std::string& path = arguments.operands()[i];
    if (!arguments.Has("--json")) std::printf("%s:\n", DisplayName(path).c_str());
    std::fflush(stdout);
    const absl::StatusOr<int> one = command(i);
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (absl::IsCancelled(one.status())) return one.status();
    if (!one.ok()) PrintDiagnosticAbout(arguments, path, one.status());
    if (!one.ok() || *one != kExitOk) code = kExitFailed;
  }
  return code;
}

}  // namespace xla
