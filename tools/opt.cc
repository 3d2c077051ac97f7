// SPDX-License-Identifier: Apache-2.0
// xylem opt: runs passes on a program.
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/json.h"
#include "tools/pass_options.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/printer.h"
#include "xla/passes/pipeline.h"

namespace xla {
namespace {

absl::StatusOr<int> ListPasses() {
  size_t width = 0;
  for (const Pass& pass : PassesOfAllRooms()) width = std::max(width, pass.name.size() + 2);
  std::string out;
  const auto add = [&](std::string_view name, std::string_view summary) {
    absl::StrAppend(&out, std::string(name), std::string(width - name.size(), ' '),
                    std::string(summary), "\n");
  };
  for (const Pass& pass : PassesOfAllRooms()) add(pass.name, pass.summary);
  for (const Pipeline::Named& named : NamedPipelines()) {
    absl::StrAppend(&out, "\n");
    add(named.name, named.summary);
    // A pass or a group a line.
    std::string line = "  ";
    bool in_group = false;
    for (const char c : absl::StrCat(named.pipeline.ToString(), ",")) {
      in_group = (in_group || c == '(') && c != ')';
      if (c != ',' || in_group) {
        line.push_back(c);
        continue;
      }
      absl::StrAppend(&out, line, "\n");
      line = "  ";
    }
  }
  XLA_RETURN_IF_ERROR(WriteFile("-", out));
  return kExitOk;
}

std::string ToJson(const PipelineStatistics& statistics) {
  JsonObject json;
  json.Integer("instructions_before", statistics.instructions_before)
      .Integer("instructions_after", statistics.instructions_after)
      .Number("ms", statistics.seconds * 1e3)
      .Objects("passes", PassesAsJson(statistics));
  return json.ToString();
}

absl::StatusOr<int> Opt(const Arguments& arguments) {
  if (arguments.Has("--list")) return ListPasses();
  if (arguments.operands().empty()) {
    return absl::InvalidArgumentError("opt takes the FILE of a program (or --list)");
  }
  const std::string output = arguments.Get("--output", "-");
  XLA_RETURN_IF_ERROR(CheckOutputName(output, "hlo"));
  XLA_ASSIGN_OR_RETURN(
      const Pipeline pipeline,
      Pipeline::Parse(arguments.Get("--passes"), PassesOfAllRooms(), NamedPipelines()));
  ChangePrinter printer;
  XLA_ASSIGN_OR_RETURN(PipelineOptions options, PassOptionsOf(arguments, &printer));
  options.verify = !arguments.Has("--no-verify");
  XLA_ASSIGN_OR_RETURN(const auto module,
                       LoadModule(arguments.operands()[0], !arguments.Has("--no-verify"),
                                  arguments.Get("--function")));
  PipelineStatistics statistics;
  ProgressLine line(!arguments.Has("--print-changed"));
  line.Show(absl::StrCat("running passes on ", module->name()));
  XLA_RETURN_IF_ERROR(pipeline.Run(module.get(), options, &statistics).status());
  line.Clear();
  if (arguments.Has("--statistics")) {
    std::fprintf(stderr, "%s\n",
                 (arguments.Has("--json") ? ToJson(statistics) : statistics.ToString()).c_str());
  }
  std::string out;
  XLA_RETURN_IF_ERROR(PrintModule(*module, HloPrintOptions(), &out));
  XLA_RETURN_IF_ERROR(WriteFile(output, out));
  return kExitOk;
}

}  // namespace

Command OptCommand() {
  std::vector<OptionSpec> options = {{"--passes", "LIST", "passes to run: a,b,fixpoint(c,d)"}};
  for (const OptionSpec& option : PassOptions()) options.push_back(option);
  for (const OptionSpec& option : std::initializer_list<OptionSpec>{
           {"--statistics", "", "print what the passes did, and how long they took, to stderr"},
           FunctionOption(),
           {"--json", "", "print the statistics as JSON"},
           {"--list", "", "list the passes, and those of the compiler in order"},
           {"--no-verify", "", "do not verify the program"},
           {"--output", "FILE", "write to FILE, '-' for standard output (the default)"}}) {
    options.push_back(option);
  }
  return {
      .name = "opt",
      .operands = "FILE",
      .summary = "run passes on a program and print the result",
      .details =
          "Runs the passes named by --passes, in that order, and prints the program that results.\n"
          "fixpoint(a,b) repeats passes until nothing changes, and cpu stands for all passes of "
          "the\n"
          "compiler. The program is verified before and after each pass. --list lists the passes.",
      .options = std::move(options),
      .least_operands = 0,
      .most_operands = 1,
      .run = &Opt,
  };
}

}  // namespace xla
