// SPDX-License-Identifier: Apache-2.0
// xylem opt: runs passes on a program.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/command.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/printer.h"
#include "xla/passes/pipeline.h"

namespace xla {
namespace {

absl::StatusOr<int> ListPasses() {
  size_t width = 0;
  for (const Pass& pass : AllPasses()) width = std::max(width, pass.name.size() + 2);
  std::string out;
  for (const Pass& pass : AllPasses()) {
    absl::StrAppend(&out, std::string(pass.name), std::string(width - pass.name.size(), ' '),
                    std::string(pass.summary), "\n");
  }
  XLA_RETURN_IF_ERROR(WriteFile("-", out));
  return kExitOk;
}

std::string ToJson(const PipelineStatistics& statistics) {
  std::vector<JsonObject> passes;
  for (const PassStatistics& pass : statistics.passes) {
    passes.emplace_back()
        .String("name", pass.name)
        .Integer("runs", pass.runs)
        .Integer("changes", pass.changes)
        .Number("ms", pass.seconds * 1e3);
  }
  JsonObject json;
  json.Integer("instructions_before", statistics.instructions_before)
      .Integer("instructions_after", statistics.instructions_after)
      .Number("ms", statistics.seconds * 1e3)
      .Objects("passes", passes);
  return json.ToString();
}

absl::StatusOr<int> Opt(const Arguments& arguments) {
  if (arguments.Has("--list")) return ListPasses();
  if (arguments.operands().empty()) {
    return absl::InvalidArgumentError("opt takes the FILE of a program (or --list)");
  }
  const std::string output = arguments.Get("--output", "-");
  XLA_RETURN_IF_ERROR(CheckOutputName(output, "hlo"));
  XLA_ASSIGN_OR_RETURN(const Pipeline pipeline, Pipeline::Parse(arguments.Get("--passes")));
  PipelineOptions options;
  options.verify = !arguments.Has("--no-verify");
  options.dump_dir = arguments.Get("--dump-passes");
  options.cancel = &Interrupted();
  if (!options.dump_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.dump_dir, error);
    if (error) {
      return absl::UnavailableError(
          absl::StrCat("cannot create ", options.dump_dir, ": ", error.message()));
    }
  }
  if (arguments.Has("--disable-passes")) {
    options.disabled = absl::StrSplit(arguments.Get("--disable-passes"), ',', absl::SkipEmpty());
  }
  XLA_ASSIGN_OR_RETURN(const auto module,
                       LoadModule(arguments.operands()[0], !arguments.Has("--no-verify"),
                                  arguments.Get("--function")));
  PipelineStatistics statistics;
  XLA_RETURN_IF_ERROR(pipeline.Run(module.get(), options, &statistics).status());
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
  return {
      .name = "opt",
      .operands = "FILE",
      .summary = "run passes on a program and print the result",
      .details =
          "Runs the passes named by --passes, in that order, and prints the program that results.\n"
          "fixpoint(a,b) repeats passes until nothing changes. The program is verified before and\n"
          "after each pass. --list lists the passes.",
      .options = {{"--passes", "LIST", "passes to run: a,b,fixpoint(c,d)"},
                  {"--disable-passes", "LIST", "passes to skip: a,b"},
                  {"--dump-passes", "DIR",
                   "write the program before and after each pass that changes it"},
                  {"--statistics", "",
                   "print what the passes did, and how long they took, to stderr"},
                  FunctionOption(),
                  {"--json", "", "print the statistics as JSON"},
                  {"--list", "", "list the passes"},
                  {"--no-verify", "", "do not verify the program"},
                  {"--output", "FILE", "write to FILE, '-' for standard output (the default)"}},
      .least_operands = 0,
      .most_operands = 1,
      .run = &Opt,
  };
}

}  // namespace xla
