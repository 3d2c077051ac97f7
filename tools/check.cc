// SPDX-License-Identifier: Apache-2.0
// xylem check: runs program folders (a program and golden.json) and compares the results with
// recorded ones.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/golden.h"
#include "tools/golden_check.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

struct Outcome {
  CheckOutcome check;
  double milliseconds = 0;
  int64_t peak_bytes = 0;
};

absl::StatusOr<Outcome> CheckOne(const std::string& folder, const std::string& program,
                                 const std::string& name, int threads, bool show_progress,
                                 bool compiled) {
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/golden.json"));
  XLA_ASSIGN_OR_RETURN(const Golden golden, ParseGolden(text));
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(absl::StrCat(folder, "/", program)));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, DrawArguments(golden));
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  ProgressLine line(show_progress);
  InterpreterOptions options;
  options.num_threads = threads;
  options.memory_limit_bytes = UsableMemoryBytes();
  options.cancel = &Interrupted();
  options.progress = [&](int64_t executed, const HloInstruction& current) {
    line.Show(absl::StrCat(name, ": ", executed, " instructions done, now ", current.name()));
  };
  Outcome outcome;
  RunStatistics statistics;
  std::unique_ptr<CpuProgram> compiled_program;
  std::optional<runtime::ThreadPool> pool;
  runtime::ExecutionContext context;
  if (compiled) {
    pool.emplace(threads);
    context.pool = &*pool;
    context.cancel = &Interrupted();
    CpuCompileOptions compile_options;
    compile_options.pool = &*pool;
    compile_options.cancel = &Interrupted();
    compile_options.constant_folding = &kConstantFolding;
    XLA_ASSIGN_OR_RETURN(compiled_program, CpuProgram::Compile(*module, compile_options));
  }
  const double start = Seconds();
  const auto result = compiled ? compiled_program->Run(pointers, context, &statistics)
                               : Interpret(*module, pointers, options, &statistics);
  outcome.milliseconds = (Seconds() - start) * 1e3;
  outcome.peak_bytes = statistics.peak_bytes;
  if (!result.ok()) return result.status();
  XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors, ExpectedErrors(*module));
  XLA_ASSIGN_OR_RETURN(outcome.check, CompareWithGolden(*result, errors, golden));
  return outcome;
}

absl::StatusOr<int> Check(const Arguments& arguments) {
  const auto threads = static_cast<int>(arguments.GetInt("--threads", 0));
  const bool json = arguments.Has("--json");
  XLA_ASSIGN_OR_RETURN(const bool compiled, UsesCompiler(arguments));
  const std::string program = arguments.Get("--program", "program.hlo");
  int64_t passed = 0, failed = 0;
  double total = 0;
  for (std::string folder : arguments.operands()) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    const std::string name = folder.substr(folder.rfind('/') + 1);
    auto outcome = CheckOne(folder, program, name, threads, !json, compiled);
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (!outcome.ok()) outcome = Outcome{{.detail = std::string(outcome.status().message())}};
    const CheckOutcome& check = outcome->check;
    ++(check.passed ? passed : failed);
    total += outcome->milliseconds;
    if (json) {
      JsonObject line;
      line.String("name", name)
          .Bool("passed", check.passed)
          .Number("worst", check.worst)
          .Number("limit", check.limit)
          .Number("run_ms", outcome->milliseconds)
          .Integer("peak_bytes", outcome->peak_bytes);
      if (!check.detail.empty()) line.String("detail", check.detail);
      std::puts(line.ToString().c_str());
    } else {
      std::printf("%s %-22s error %.2e (limit %.2e) %10.1f ms %9.1f MB%s%s\n",
                  check.passed ? "passed" : "FAILED", name.c_str(), check.worst, check.limit,
                  outcome->milliseconds, static_cast<double>(outcome->peak_bytes) / 1e6,
                  check.detail.empty() ? "" : ": ", check.detail.c_str());
    }
    std::fflush(stdout);
  }
  if (!json) {
    std::printf("%lld passed, %lld failed in %.1f s\n", static_cast<long long>(passed),
                static_cast<long long>(failed), total / 1e3);
  }
  return failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Command CheckCommand() {
  return {
      "check",
      "DIR...",
      "run program folders and compare the results with recorded ones",
      "A folder holds a program and golden.json: how arguments are drawn, and of each result\n"
      "the shape, the sum of magnitudes (l1), the largest (linf) and some elements. Errors are\n"
      "relative to the array's largest element. The limits follow from the rounding errors that\n"
      "the operations of the program may make; results of exact operations must be equal.",
      {{"--program", "FILE", "name of the program in each folder; the default is program.hlo"},
       {"--threads",
        "N",
        "number of threads; the default, 0, means all",
        {},
        IntegerRange{0, 4096}},
       BackendOption(),
       {"--json", "", "print a line of JSON for each folder"}},
      1,
      INT64_MAX,
      Check};
}

}  // namespace xla
