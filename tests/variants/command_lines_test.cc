// SPDX-License-Identifier: Apache-2.0
// Commands as users type them, what they print, and their exit codes. tests/variants/commands.txt
// lists them, in the folder tests/variants/files.
#include <sys/wait.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/variants/expected.h"

namespace xla::testing {
namespace {

// What differs from run to run: numbers before units of time and memory.
std::string WithoutMeasurements(absl::string_view line) {
  std::string result(line);
  for (const std::string& unit :
       std::vector<std::string>{" ms", " us", " MB", " s", " KB", " GB", " GHz"}) {
    for (size_t at = 0; (at = result.find(unit, at)) != std::string::npos;) {
      const size_t after = at + unit.size();
      size_t begin = at;
      while (begin > 0 && (std::isdigit(static_cast<unsigned char>(result[begin - 1])) != 0 ||
                           result[begin - 1] == '.')) {
        --begin;
      }
      const bool is_unit =
          after == result.size() || !std::isalpha(static_cast<unsigned char>(result[after]));
      if (begin < at && is_unit) {
        // Columns are as wide as the numbers ask.
        while (begin > 1 && result[begin - 1] == ' ' && result[begin - 2] == ' ') --begin;
        result.replace(begin, at - begin, "#");
        at = begin + 1;
      } else {
        at = after;
      }
    }
  }
  // Slow machines need milliseconds where others need microseconds, and seconds elsewhere.
  if (absl::EndsWith(result, "in # s")) result.replace(result.size() - 1, 1, "ms");
  return absl::StrReplaceAll(result, {{"# us", "# ms"}, {"in # s,", "in # ms,"}});
}

TEST(CommandLines, PrintAndExitAsExpected) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / absl::StrCat("xylem_commands_", getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::copy(VariantsPath("files"), folder, std::filesystem::copy_options::recursive);
  std::vector<std::string> lines;
  for (const absl::string_view command :
       absl::StrSplit(ReadWholeFile(VariantsPath("commands.txt")), '\n')) {
    if (command.empty() || command[0] == '#') continue;
    lines.push_back(absl::StrCat("$ ", std::string(command)));
    const std::string shell =
        absl::StrCat("cd ", folder.string(), " && PATH=", std::string(XYLEM_BINARY_FOLDER),
                     ":$PATH && { ", std::string(command), "\n} 2>&1 </dev/null");
    FILE* pipe = popen(shell.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    char buffer[4096];
    for (size_t count = 0; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
      output.append(buffer, count);
    const int status = pclose(pipe);
    output = absl::StrReplaceAll(output, {{folder.string(), "FOLDER"}});
    for (const absl::string_view line : absl::StrSplit(output, '\n')) {
      if (!line.empty()) lines.push_back(OneLine(WithoutMeasurements(line), 400));
    }
    if (WIFSIGNALED(status)) {
      lines.push_back(absl::StrCat("[signal ", WTERMSIG(status), "]"));
    } else if (WEXITSTATUS(status) != 0) {
      lines.push_back(absl::StrCat("[exit code ", WEXITSTATUS(status), "]"));
    }
  }
  std::filesystem::remove_all(folder);
  ExpectLines("commands", lines);
}

}  // namespace
}  // namespace xla::testing
