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
#include "tools/custom_calls.h"
#include "tools/differences.h"
#include "tools/execute.h"
#include "tools/golden.h"
#include "tools/golden_check.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_case.h"
#include "tools/program_files.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/program_cache.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct Outcome {
  CheckOutcome check;
  double milliseconds = 0;
  int64_t peak_bytes = 0;
};

// The result against golden.json or the result of a snapshot.
absl::StatusOr<CheckOutcome> CompareResult(const ProgramCase& program_case, const Literal& result) {
  XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors,
                       ExpectedErrors(*program_case.module));
  if (program_case.golden.has_value())
    return CompareWithGolden(result, errors, *program_case.golden);
  XLA_ASSIGN_OR_RETURN(const std::optional<Difference> difference,
                       FindDifference(result, *program_case.recorded, errors));
  CheckOutcome outcome;
  outcome.passed = !difference.has_value();
  if (!difference.has_value()) return outcome;
  outcome.worst = difference->error;
  outcome.limit = errors[difference->leaf].OfElements(
      ShapeUtil::GetLeafShapes(result.shape())[difference->leaf].shape.element_type());
  outcome.detail =
      absl::StrCat("output ", difference->leaf, " ", difference->ToString("computed", "recorded"));
  return outcome;
}

absl::StatusOr<Outcome> CheckOne(const std::string& path, const Arguments& arguments,
                                 const CustomCallRegistry& custom_calls, const std::string& cache,
                                 bool compiled) {
  const std::string name = CaseName(path);
  const auto threads = static_cast<int>(arguments.GetInt("--threads", 0));
  XLA_ASSIGN_OR_RETURN(const ProgramCase program_case, LoadCase(path, arguments));
  const auto& module = program_case.module;
  const bool is_recorded =
      program_case.golden.has_value()
          ? !program_case.golden->outputs.empty() ||
                ShapeUtil::GetLeafCount(module->entry_computation_layout().result()) == 0
          : program_case.recorded.has_value();
  if (!is_recorded) {
    return absl::InvalidArgumentError(
        "there is no recorded result to compare with (outputs of golden.json, or the result of a "
        "HloSnapshot)");
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : program_case.arguments) pointers.push_back(&argument);
  ProgressLine line(!arguments.Has("--json"));
  InterpreterOptions options;
  options.num_threads = threads;
  options.memory_limit_bytes = UsableMemoryBytes();
  options.cancel = &Interrupted();
  options.custom_call_registry = &custom_calls;
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
    context.custom_calls = &custom_calls;
    CpuCompileOptions compile_options = CompileOptionsOf(arguments);
    compile_options.pool = &*pool;
    compile_options.cancel = &Interrupted();
    compile_options.custom_calls = &custom_calls;
    line.Show(absl::StrCat(name, ": compiling"));
    XLA_ASSIGN_OR_RETURN(compiled_program, CompileWithCache(*module, compile_options, cache));
  }
  const double start = Seconds();
  const auto result = compiled ? compiled_program->Run(pointers, context, &statistics)
                               : Interpret(*module, pointers, options, &statistics);
  outcome.milliseconds = (Seconds() - start) * 1e3;
  outcome.peak_bytes = statistics.peak_bytes;
  if (!result.ok()) return result.status();
  XLA_ASSIGN_OR_RETURN(outcome.check, CompareResult(program_case, *result));
  return outcome;
}

absl::StatusOr<int> Check(const Arguments& arguments) {
  const bool json = arguments.Has("--json");
  XLA_ASSIGN_OR_RETURN(const bool compiled, UsesCompiler(arguments));
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  int64_t passed = 0, failed = 0;
  double total = 0;
  for (const std::string& path : arguments.operands()) {
    const std::string name = CaseName(path);
    auto outcome = CheckOne(path, arguments, custom_calls, cache, compiled);
    if (Interrupted()) return absl::CancelledError("interrupted");
    const bool was_compared = outcome.ok();
    if (!outcome.ok()) {
      outcome = Outcome{{.detail = AboutFile(path, std::string(outcome.status().message()))}};
    }
    const CheckOutcome& check = outcome->check;
    ++(check.passed ? passed : failed);
    total += outcome->milliseconds;
    if (json) {
      JsonObject line;
      line.String("name", name).Bool("passed", check.passed);
      if (was_compared) {
        line.Number("worst", check.worst)
            .Number("limit", check.limit)
            .Number("run_ms", outcome->milliseconds)
            .Integer("peak_bytes", outcome->peak_bytes);
      }
      if (!check.detail.empty()) line.String("detail", check.detail);
      std::puts(line.ToString().c_str());
    } else if (!was_compared) {
      std::printf("FAILED %s\n", check.detail.c_str());
    } else {
      std::printf("%s %-22s error %.2e (limit %.2e) %10.1f ms %10s%s%s\n",
                  check.passed ? "passed" : "FAILED", name.c_str(), check.worst, check.limit,
                  outcome->milliseconds, ReadableBytes(outcome->peak_bytes).c_str(),
                  check.detail.empty() ? "" : ": ", check.detail.c_str());
    }
    std::fflush(stdout);
  }
  if (!json) {
    std::printf("%lld passed, %lld failed in %s\n", static_cast<long long>(passed),
                static_cast<long long>(failed), ReadableSeconds(total / 1e3).c_str());
  }
  return failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Command CheckCommand() {
  return {
      "check",
      "PROGRAM...",
      "run programs and compare the results with recorded ones",
      "A PROGRAM is a HloSnapshot, which holds the program, arguments and result of a run, or a\n"
      "folder. A folder holds a program and golden.json: how arguments are drawn, and of each "
      "result\n"
      "the shape, the sum of magnitudes (l1), the largest (linf) and some elements. Errors are\n"
      "relative to the array's largest element. The limits follow from the rounding errors that\n"
      "the operations of the program may make; results of exact operations must be equal.",
      {ProgramOption(),
       {"--threads",
        "N",
        "number of threads; the default, 0, means all",
        {},
        IntegerRange{0, 4096}},
       BackendOption(),
       CustomCallsOption(),
       CacheOption(),
       FlushSubnormalsOption(),
       {"--json", "", "print a line of JSON for each program"}},
      1,
      INT64_MAX,
      Check};
}

}  // namespace xla
