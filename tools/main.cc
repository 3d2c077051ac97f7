// SPDX-License-Identifier: Apache-2.0
// The xylem command.
#include <cstdio>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/process.h"

namespace {

void PrintError(const std::string& text) { std::fprintf(stderr, "xylem: %s\n", text.c_str()); }

int Main(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "help" || words[0] == "-h") {
    std::fputs(xla::Help().c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? xla::kExitUsage : xla::kExitOk;
  }
  if (words[0] == "--version") {
    std::puts("xylem " XYLEM_VERSION);
    return xla::kExitOk;
  }
  for (const xla::Command& command : xla::Commands()) {
    if (command.name != words[0]) continue;
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    for (const std::string& word : rest) {
      if (word == "--") break;
      if (word == "--help" || word == "-h") {
        std::fputs(xla::Help(command).c_str(), stdout);
        return xla::kExitOk;
      }
    }
    auto arguments = xla::ParseArguments(command.options, rest);
    if (!arguments.ok()) {
      PrintError(std::string(arguments.status().message()) + "\nusage: xylem " +
                 std::string(command.name) + " [options] " + std::string(command.operands));
      return xla::kExitUsage;
    }
    const auto operands = static_cast<int64_t>(arguments->positional().size());
    if (operands < command.least_operands || operands > command.most_operands) {
      PrintError((operands < command.least_operands ? "too few operands" : "too many operands") +
                 std::string("\nusage: xylem ") + std::string(command.name) + " [options] " +
                 std::string(command.operands));
      return xla::kExitUsage;
    }
    xla::InstallInterruptHandler();
    auto code = command.run(*arguments);
    if (code.ok()) return *code;
    PrintError(std::string(code.status().message()));
    return code.status().code() == absl::StatusCode::kCancelled ? xla::kExitInterrupted
                                                                : xla::kExitFailed;
  }
  PrintError("unknown command '" + words[0] + "'; `xylem --help` lists them");
  return xla::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) { return Main(std::vector<std::string>(argv + 1, argv + argc)); }
