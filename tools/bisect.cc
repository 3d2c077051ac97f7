// SPDX-License-Identifier: Apache-2.0
// xylem bisect: finds the pass that makes a program give another result, or run slower.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/device_grid.h"
#include "tools/differences.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/given_arrays.h"
#include "tools/json.h"
#include "tools/pass_options.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/debugging/pass_bisection.h"
#include "xla/hlo/text/printer.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

class PassBisection {
 public:
  PassBisection(const Arguments& arguments, const HloModule& module,
                std::vector<const Literal*> inputs, InterpreterOptions options)
      : arguments_(arguments),
        module_(module),
        inputs_(std::move(inputs)),
        options_(std::move(options)) {}

  // The pass after which the interpreter gives another result.
  absl::StatusOr<int> FindWrongPass() {
    XLA_ASSIGN_OR_RETURN(
        const Pipeline pipeline,
        Pipeline::Parse(arguments_.Get("--passes", "cpu"), PassesOfAllRooms(), NamedPipelines()));
    line_.Show("interpreting");
    XLA_ASSIGN_OR_RETURN(const Literal expected, Interpret(module_, inputs_, options_));
    XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors, ExpectedErrors(module_));
    std::optional<Difference> difference;
    PipelineOptions options;
    options.cancel = &Interrupted();
    const auto shows = [&](const HloModule& module) -> absl::StatusOr<bool> {
      XLA_ASSIGN_OR_RETURN(const Literal result, Interpret(module, inputs_, options_));
      XLA_ASSIGN_OR_RETURN(const std::optional<Difference> found,
                           FindDifference(result, expected, errors));
      if (found.has_value()) difference = found;
      return found.has_value();
    };
    XLA_ASSIGN_OR_RETURN(const std::optional<GuiltyPass> guilty,
                         FindGuiltyPass(module_, pipeline, options, shows,
                                        [&](const std::string& what) { line_.Show(what); }));
    line_.Clear();
    if (!guilty.has_value()) return CheckCode(expected, errors);
    return Report(*guilty, *difference);
  }

  // Passes without which the program runs faster.
  absl::StatusOr<int> FindSlowPasses() {
    double factor = 1.25;
    if (arguments_.Has("--factor") &&
        (!absl::SimpleAtod(arguments_.Get("--factor"), &factor) || !(factor > 0))) {
      return absl::InvalidArgumentError("--factor takes a positive number");
    }
    XLA_RETURN_IF_ERROR(LoadCompiler());
    std::vector<std::string> changing;
    XLA_ASSIGN_OR_RETURN(const double whole, Time("", &changing));
    std::vector<std::pair<std::string, double>> slow;
    for (const std::string& pass : changing) {
      if (Interrupted()) return absl::CancelledError("interrupted");
      line_.Show(absl::StrCat("without ", pass));
      const absl::StatusOr<double> without = Time(pass, nullptr);
      // Some passes are needed.
      if (without.ok() && *without * factor < whole) slow.emplace_back(pass, *without);
    }
    line_.Clear();
    std::stable_sort(slow.begin(), slow.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
    if (arguments_.Has("--json")) {
      std::vector<JsonObject> passes;
      for (const auto& [pass, seconds] : slow)
        passes.emplace_back().String("pass", pass).Number("ms_without", seconds * 1e3);
      JsonObject json;
      json.Number("ms", whole * 1e3).Objects("passes", passes);
      std::puts(json.ToString().c_str());
    } else {
      std::printf("a run takes %s\n", ReadableSeconds(whole).c_str());
      for (const auto& [pass, seconds] : slow)
        std::printf("  without %s %s\n", pass.c_str(), ReadableSeconds(seconds).c_str());
      if (slow.empty()) std::printf("no pass makes it slower\n");
    }
    return slow.empty() ? kExitOk : kExitFailed;
  }

 private:
  // The least of some runs, in seconds; `changing`, if given, gets the passes that change it.
  absl::StatusOr<double> Time(const std::string& without, std::vector<std::string>* changing) {
    CpuCompileOptions options = CompileOptionsOf(arguments_);
    if (!without.empty()) options.pipeline.disabled = {without};
    options.cancel = &Interrupted();
    options.custom_calls = options_.custom_call_registry;
    XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module_, options));
    if (changing != nullptr) {
      for (const PassStatistics& pass : program->pass_statistics().passes) {
        if (pass.changes > 0) changing->push_back(pass.name);
      }
    }
    runtime::ExecutionContext context;
    context.pool = &pool_;
    context.cancel = &Interrupted();
    context.custom_calls = options_.custom_call_registry;
    double best = std::numeric_limits<double>::infinity();
    const double end = Seconds() + 1;
    for (int i = 0; i < 3 || (i < 1000 && Seconds() < end); ++i) {
      const double start = Seconds();
      XLA_RETURN_IF_ERROR(program->Run(inputs_, context).status());
      best = std::min(best, Seconds() - start);
    }
    return best;
  }

  // The passes are right: are kernels?
  absl::StatusOr<int> CheckCode(const Literal& expected, const std::vector<ExpectedError>& errors) {
    std::optional<Difference> difference;
    if (arguments_.Get("--passes", "cpu") == "cpu") {
      XLA_RETURN_IF_ERROR(LoadCompiler());
      XLA_ASSIGN_OR_RETURN(const std::vector<Literal> compiled,
                           ExecuteReplicated(true, module_, 1, 1, {inputs_}, options_));
      XLA_ASSIGN_OR_RETURN(difference, FindDifference(compiled[0], expected, errors));
    }
    if (arguments_.Has("--json")) {
      JsonObject json;
      json.Bool("agree", !difference.has_value()).Null("pass");
      std::puts(json.ToString().c_str());
    } else if (difference.has_value()) {
      std::printf(
          "no pass changes the result, but compiled code does:\n  array %zu %s\n"
          "`xylem diff` searches for the instruction\n",
          difference->leaf, difference->ToString("compiled", "interpreted").c_str());
    } else {
      std::printf("no pass changes the result, and neither does compiled code\n");
    }
    return difference.has_value() ? kExitFailed : kExitOk;
  }

  absl::StatusOr<int> Report(const GuiltyPass& guilty, const Difference& difference) {
    if (arguments_.Has("--output")) {
      const std::string prefix = arguments_.Get("--output");
      XLA_RETURN_IF_ERROR(WriteFile(prefix + ".before.hlo", guilty.before->ToString()));
      XLA_RETURN_IF_ERROR(WriteFile(prefix + ".after.hlo", guilty.after->ToString()));
    }
    if (arguments_.Has("--json")) {
      JsonObject json;
      json.Bool("agree", false)
          .String("pass", guilty.pass)
          .Integer("change", guilty.change)
          .Integer("changes", guilty.changes)
          .Integer("array", static_cast<int64_t>(difference.leaf))
          .Integers("index", difference.index)
          .Number("error", difference.error);
      std::puts(json.ToString().c_str());
    } else {
      std::printf("%s changes the result (change %lld of %lld)\n  array %zu %s\n",
                  guilty.pass.c_str(), static_cast<long long>(guilty.change),
                  static_cast<long long>(guilty.changes), difference.leaf,
                  difference.ToString("after it", "before").c_str());
    }
    return kExitFailed;
  }

  const Arguments& arguments_;
  const HloModule& module_;
  const std::vector<const Literal*> inputs_;
  const InterpreterOptions options_;
  runtime::ThreadPool pool_;
  ProgressLine line_;
};

absl::StatusOr<int> Bisect(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const ProgramFile file, LoadProgram(arguments.operands()[0], arguments));
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArguments> inputs,
                       ReadDeviceArguments(*file.module, DeviceGrid(), arguments, file.arguments));
  std::vector<const Literal*> pointers;
  for (const auto& input : inputs[0]) pointers.push_back(input.get());
  InterpreterOptions options;
  options.cancel = &Interrupted();
  options.custom_calls = CheckCustomCalls();
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  options.custom_call_registry = &custom_calls;
  PassBisection bisection(arguments, *file.module, std::move(pointers), std::move(options));
  return arguments.Get("--if", "differs") == "slower" ? bisection.FindSlowPasses()
                                                      : bisection.FindWrongPass();
}

}  // namespace

Command BisectCommand() {
  return {
      "bisect",
      "FILE",
      "find the pass that changes what a program computes, or makes it slower",
      "Interprets the program and what passes make of it, and searches by bisection for the\n"
      "first change by a pass that gives another result than rounding explains. If no pass\n"
      "does, compiled code is compared as well. With --if slower, compiles the program without\n"
      "each of the passes that change it, and lists those without which it runs faster.\n"
      "Arguments are those of `xylem run`. The exit code is 1 if there is such a pass.",
      {{"--if",
        "FAULT",
        "what is searched for: differs (the default) or slower",
        {"differs", "slower"}},
       {"--passes", "LIST",
        "the passes, as `xylem opt` takes them; the default is cpu, what the compiler runs"},
       InputOption(),
       ParamOption(),
       RandomOption(),
       {"--factor", "X", "how much faster counts; the default is 1.25"},
       {"--output", "PREFIX",
        "write the program before and after the pass to PREFIX.before.hlo and\n"
        "PREFIX.after.hlo"},
       FunctionOption(),
       CustomCallsOption(),
       {"--json", "", "print the outcome as JSON"}},
      1,
      1,
      Bisect};
}

}  // namespace xla
