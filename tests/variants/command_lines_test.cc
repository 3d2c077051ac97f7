// SPDX-License-Identifier: Apache-2.0
// Commands as users type them, what they print, and their exit codes. tests/variants/commands.txt
// lists them, in the folder tests/variants/files.
#include <sys/wait.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

// What a command prints in the folder, and how it ends if that is not with 0.
std::vector<std::string> RunCommand(const std::string& command, const std::string& folder) {
  const std::string shell =
      absl::StrCat("cd ", folder, " && PATH=", std::string(XYLEM_BINARY_FOLDER), ":$PATH && { ",
                   command, "\n} 2>&1 </dev/null");
  FILE* pipe = popen(shell.c_str(), "r");
  EXPECT_NE(pipe, nullptr) << command;
  if (pipe == nullptr) return {};
  std::string output;
  char buffer[4096];
  for (size_t count = 0; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    output.append(buffer, count);
  const int status = pclose(pipe);
  output = absl::StrReplaceAll(output, {{folder, "FOLDER"}});
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!line.empty()) lines.push_back(OneLine(WithoutMeasurements(line), 400));
  }
  if (WIFSIGNALED(status)) {
    lines.push_back(absl::StrCat("[signal ", WTERMSIG(status), "]"));
  } else if (WEXITSTATUS(status) != 0) {
    lines.push_back(absl::StrCat("[exit code ", WEXITSTATUS(status), "]"));
  }
  return lines;
}

TEST(CommandLines, PrintAndExitAsExpected) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / absl::StrCat("xylem_commands_", getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::copy(VariantsPath("files"), folder, std::filesystem::copy_options::recursive);
  std::vector<std::string> lines;
  std::map<std::string, std::string> first;  // commands by what they print
  for (const absl::string_view text :
       absl::StrSplit(ReadWholeFile(VariantsPath("commands.txt")), '\n')) {
    if (text.empty() || text[0] == '#') continue;
    const std::string command(text);
    lines.push_back(absl::StrCat("$ ", command));
    const std::vector<std::string> outcome = RunCommand(command, folder.string());
    const std::string whole = absl::StrJoin(outcome, "\n");
    const auto [place, is_new] = first.emplace(whole, absl::StrCat("[the same as ", command, "]"));
    // What an earlier command printed is named by it, where that is shorter.
    if (!is_new && place->second.size() < whole.size()) {
      lines.push_back(place->second);
    } else {
      lines.insert(lines.end(), outcome.begin(), outcome.end());
    }
  }
  std::filesystem::remove_all(folder);
  ExpectLines("commands", lines);
}

}  // namespace
}  // namespace xla::testing
