// SPDX-License-Identifier: Apache-2.0
// The frame of the xylem command: a table of subcommands whose options, help and completions come
// from one place.
#ifndef XYLEM_TOOLS_COMMAND_H_
#define XYLEM_TOOLS_COMMAND_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace xla {

// Exit codes of every subcommand.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,  // the program is wrong, a check failed
  kExitUsage = 2,   // the command line is wrong
  kExitInterrupted = 130,
};

struct OptionSpec {
  std::string_view name;   // "--input"
  std::string_view value;  // what it takes, "FILE"; empty: a switch
  std::string_view help;
  // Words to complete the value with, blank-separated; empty: files.
  std::string_view choices = {};
};

// A parsed command line.
class Arguments {
 public:
  bool Has(std::string_view option) const { return values_.contains(option); }
  // The last one given.
  std::string Get(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> All(std::string_view option) const;
  // A number between `least` and `most`; an error that names the option.
  absl::StatusOr<int64_t> GetInt(std::string_view option, int64_t otherwise, int64_t least,
                                 int64_t most) const;
  const std::vector<std::string>& positional() const { return positional_; }

 private:
  friend absl::StatusOr<Arguments> ParseArguments(absl::Span<const OptionSpec>,
                                                  absl::Span<const std::string>);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> positional_;
};

// "--name value", "--name=value"; "--" ends the options; "-" alone is a file (standard input).
// Unknown options are errors that name the nearest known one.
absl::StatusOr<Arguments> ParseArguments(absl::Span<const OptionSpec> options,
                                         absl::Span<const std::string> words);

struct Command {
  std::string_view name;
  std::string_view operands;  // "FILE..."
  std::string_view summary;   // one line
  std::string_view details;   // what it does, in paragraphs of at most 90 columns
  std::vector<OptionSpec> options;
  int64_t least_operands = 0, most_operands = INT64_MAX;
  // Returns an exit code; an error is printed to stderr and exits with kExitFailed.
  absl::StatusOr<int> (*run)(const Arguments& arguments);
};

// One function a subcommand, each in the file of its name.
Command RunCommand();
Command PrintCommand();
Command OptCommand();
Command VerifyCommand();
Command CheckCommand();
Command TestCommand();
Command OpsCommand();
Command InfoCommand();
Command CompletionsCommand();

// All of them, in the order help lists them.
const std::vector<Command>& Commands();

std::string Help();
std::string Help(const Command& command);
std::string BashCompletions();

}  // namespace xla

#endif  // XYLEM_TOOLS_COMMAND_H_
