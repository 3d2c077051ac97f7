// SPDX-License-Identifier: Apache-2.0
// The subcommands of xylem as data: their options, help and shell completions come from one table.
// Command lines are parsed by CLI11, which only command.cc includes.
#ifndef XYLEM_TOOLS_COMMAND_H_
#define XYLEM_TOOLS_COMMAND_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/instruction_set.h"

namespace xla {

// Exit codes of every subcommand.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,  // the program is invalid, or a check failed
  kExitUsage = 2,   // the command line is invalid
  kExitInterrupted = 130,
};

struct IntegerRange {
  int64_t least, most;
};

struct OptionSpec {
  std::string_view name;   // "--input"
  std::string_view value;  // the name of its value, "FILE"; empty for a flag
  std::string_view help;
  std::vector<std::string_view> choices = {};        // the values it accepts; empty: any
  std::optional<IntegerRange> range = std::nullopt;  // set if the value is an integer
  std::string_view short_name = {};                  // "-f", or none
};

// A parsed command line. Every option may be repeated.
class Arguments {
 public:
  bool Has(std::string_view option) const { return values_.contains(option); }
  // The last value given.
  std::string Get(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> All(std::string_view option) const;
  // The value of an option with a range.
  int64_t GetInt(std::string_view option, int64_t otherwise) const;
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  friend class CommandLineParser;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
};

struct Command {
  std::string_view name;
  std::string_view operands;  // "FILE..."
  std::string_view summary;   // one line
  std::string_view details;   // paragraphs of at most 100 columns
  std::vector<OptionSpec> options;
  int64_t least_operands = 0, most_operands = INT64_MAX;
  // Returns an exit code; an error is printed to stderr and exits with kExitFailed.
  absl::StatusOr<int> (*run)(const Arguments& arguments);
};

// What a command line asks for: a command, or a text to print (help, the version, an error).
struct ParsedCommandLine {
  const Command* command = nullptr;
  Arguments arguments;
  // Without a command:
  std::string text;
  int exit_code = kExitOk;  // kExitOk: `text` goes to stdout, else to stderr
};

// "--name value", "--name=value"; "--" ends the options; "-" alone is a file (standard input).
// Unknown options and commands are errors that suggest the nearest known one.
ParsedCommandLine ParseCommandLine(absl::Span<const Command> commands,
                                   absl::Span<const std::string> words);

// The lower one of the option --max-isa and xla_cpu_max_isa of XLA_FLAGS.
absl::StatusOr<InstructionSet> MaxInstructionSetFor(const Arguments& arguments);

// One function per subcommand, each in the file of its name.
Command RunCommand();
Command PrintCommand();
Command OptCommand();
Command ShardCommand();
Command VerifyCommand();
Command RefineCommand();
Command CheckCommand();
Command TestCommand();
Command CompileCommand();
Command AotCommand();
Command BenchCommand();
Command ProfileCommand();
Command PlanCommand();
Command DiffCommand();
Command ReduceCommand();
Command BisectCommand();
Command ViewCommand();
Command OpsCommand();
Command LspCommand();
Command InfoCommand();
Command CompletionsCommand();

// All of them, in the order in which help lists them.
const std::vector<Command>& Commands();

}  // namespace xla

#endif  // XYLEM_TOOLS_COMMAND_H_
