// SPDX-License-Identifier: Apache-2.0
// xylem bench: compile and run times of compiled programs.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/bench_collectives.h"
#include "tools/color.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
#include "tools/given_arrays.h"
#include "tools/job.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_case.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "tools/roofline.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/program_cache.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct BenchResult {
  double compile_ms = 0, cpu_ms = 0;
  double least_ms = 0, median_ms = 0, p90_ms = 0, p99_ms = 0, mean_ms = 0, deviation_ms = 0;
  double limit_ms = 0;  // what the machine needs at least; 0 if it was not asked for
  int64_t runs = 0, scratch_bytes = 0, thread_bytes = 0;
};

// Of all threads of the process.
double ProcessorSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of sorted times: the least that a share of them does not exceed.
double Percentile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::min(std::max<size_t>(rank, 1), sorted.size()) - 1];
}

void Summarize(std::vector<double> times, BenchResult& result) {
  std::sort(times.begin(), times.end());
  result.runs = static_cast<int64_t>(times.size());
  result.least_ms = times[0];
  const size_t middle = times.size() / 2;
  result.median_ms =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  result.p90_ms = Percentile(times, 0.9);
  result.p99_ms = Percentile(times, 0.99);
  const auto count = static_cast<double>(times.size());
  for (const double time : times) result.mean_ms += time / count;
  double squares = 0;
  for (const double time : times) squares += (time - result.mean_ms) * (time - result.mean_ms);
  result.deviation_ms = std::sqrt(squares / count);
}

// How long a program is run: for some seconds, or so many times.
struct BenchLength {
  double seconds = 1;
  int64_t iterations = 0;  // 0: by time

  bool Continues(int64_t runs, double end) const {
    constexpr int64_t kLeastRuns = 3, kMostRuns = 5000;
    if (iterations > 0) return runs < iterations;
    return runs < kLeastRuns || (Seconds() < end && runs < kMostRuns);
  }
};

absl::StatusOr<BenchLength> LengthOf(const Arguments& arguments) {
  BenchLength length;
  length.iterations = arguments.GetInt("--iterations", 0);
  if (arguments.Has("--seconds") &&
      (!absl::SimpleAtod(arguments.Get("--seconds"), &length.seconds) || !(length.seconds >= 0))) {
    return absl::InvalidArgumentError("--seconds takes a number that is not negative");
  }
  return length;
}

absl::StatusOr<BenchResult> BenchOne(const std::string& path, const Arguments& arguments,
                                     const BenchLength& length, runtime::ThreadPool& pool,
                                     const CustomCallRegistry& custom_calls,
                                     const std::string& cache, Roofline* roofline) {
  ProgressLine line(!arguments.Has("--json"));
  const std::string name = CaseName(path);
  line.Show(absl::StrCat(name, ": loading"));
  XLA_ASSIGN_OR_RETURN(const ProgramCase program_case, LoadCase(path, arguments));
  const std::vector<runtime::ArgumentView> views = ViewsOf(program_case.arguments);

  line.Show(absl::StrCat(name, ": compiling"));
  BenchResult result;
  const double start = Seconds();
  CpuCompileOptions options = CompileOptionsOf(arguments);
  options.pool = &pool;
  options.cancel = &Interrupted();
  options.custom_calls = &custom_calls;
  XLA_ASSIGN_OR_RETURN(const auto program, CompileWithCache(*program_case.module, options, cache));
  XLA_RETURN_IF_ERROR(CheckCustomCallTargets(program->optimized_module(), custom_calls));
  result.compile_ms = (program_case.load_seconds + Seconds() - start) * 1e3;
  result.scratch_bytes = program->ScratchBytes(pool.num_threads());
  result.thread_bytes = program->ThreadBytes(pool.num_threads());

  runtime::ExecutionContext context;
  context.pool = &pool;
  context.cancel = &Interrupted();
  context.custom_calls = &custom_calls;
  const auto leaves = static_cast<size_t>(ShapeUtil::GetLeafCount(
      program->optimized_module().entry_computation()->root_instruction()->shape()));
  std::vector<runtime::ResultView> results(leaves);
  const auto run = [&] {
    std::fill(results.begin(), results.end(), runtime::ResultView());
    const absl::Status status = program->RunOnBuffers(views, absl::MakeSpan(results), context);
    return status;
  };
  const auto release = [&] {
    for (const runtime::ResultView& view : results) {
      if (view.is_new) runtime::FreeHostMemory(view.data);
    }
  };
  line.Show(absl::StrCat(name, ": running"));
  XLA_RETURN_IF_ERROR(run());
  release();
  std::vector<double> times;
  // Processor time is counted over some milliseconds, and the least counts: other processes disturb
  // it little.
  constexpr double kSliceSeconds = 5e-3;
  double slice_start = ProcessorSeconds(), slice_begin = Seconds();
  int64_t slice_runs = 0;
  result.cpu_ms = std::numeric_limits<double>::infinity();
  const double end = Seconds() + length.seconds;
  while (length.Continues(static_cast<int64_t>(times.size()), end)) {
    const double begin = Seconds();
    XLA_RETURN_IF_ERROR(run());
    times.push_back((Seconds() - begin) * 1e3);
    release();
    ++slice_runs;
    // To ask for processor time takes as long as a small program.
    if (Seconds() - slice_begin >= kSliceSeconds || times.size() == 1) {
      const double used = ProcessorSeconds() - slice_start;
      result.cpu_ms = std::min(result.cpu_ms, used / static_cast<double>(slice_runs) * 1e3);
      slice_start += used;
      slice_begin = Seconds();
      slice_runs = 0;
    }
  }
  if (slice_runs > 0) {
    const double used = ProcessorSeconds() - slice_start;
    result.cpu_ms = std::min(result.cpu_ms, used / static_cast<double>(slice_runs) * 1e3);
  }
  if (roofline != nullptr) {
    XLA_ASSIGN_OR_RETURN(const auto entries, program->Profile(views, context));
    double bytes = 0;
    for (const runtime::ArgumentView& view : views) bytes += static_cast<double>(view.size_bytes);
    ShapeUtil::ForEachSubshape(
        program->optimized_module().entry_computation()->root_instruction()->shape(),
        [&](const Shape& part, const ShapeIndex&) {
          if (part.IsArray()) bytes += static_cast<double>(ShapeUtil::ByteSizeOf(part));
        });
    XLA_ASSIGN_OR_RETURN(const double least, roofline->LeastSeconds(bytes, entries));
    result.limit_ms = least * 1e3;
  }
  Summarize(std::move(times), result);
  return result;
}

absl::StatusOr<int> Bench(const Arguments& arguments) {
  if (arguments.Has("--collectives")) return BenchCollectives(arguments);
  if (arguments.operands().empty())
    return absl::InvalidArgumentError("bench takes the files of programs (or --collectives)");
  XLA_ASSIGN_OR_RETURN(const BenchLength length, LengthOf(arguments));
  const bool json = arguments.Has("--json");
  runtime::ThreadPool pool(static_cast<int>(arguments.GetInt("--threads", 0)));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  Roofline roofline(pool);
  const bool has_limits = arguments.Has("--limits");
  int exit_code = kExitOk;
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  for (const std::string& path : arguments.operands()) {
    const std::string name = CaseName(path);
    const absl::StatusOr<BenchResult> result = BenchOne(path, arguments, length, pool, custom_calls,
                                                        cache, has_limits ? &roofline : nullptr);
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (!result.ok()) {
      PrintDiagnosticAbout(arguments, path, result.status());
      exit_code = kExitFailed;
      continue;
    }
    if (json) {
      JsonObject line;
      line.String("name", name)
          .Number("compile_ms", result->compile_ms)
          .Number("run_ms", result->median_ms)
          .Number("min_ms", result->least_ms)
          .Number("p90_ms", result->p90_ms)
          .Number("p99_ms", result->p99_ms)
          .Number("mean_ms", result->mean_ms)
          .Number("deviation_ms", result->deviation_ms)
          .Number("cpu_ms", result->cpu_ms)
          .Integer("reps", result->runs)
          .Integer("temp_bytes", result->scratch_bytes)
          .Integer("thread_bytes", result->thread_bytes);
      if (has_limits) line.Number("limit_ms", result->limit_ms);
      std::puts(line.ToString().c_str());
    } else {
      std::printf(
          "%-22s compile %8.1f ms   run %10.4f ms (least %.4f, p90 %.4f, p99 %.4f, %lld runs)   "
          "scratch %s",
          name.c_str(), result->compile_ms, result->median_ms, result->least_ms, result->p90_ms,
          result->p99_ms, static_cast<long long>(result->runs),
          ReadableBytes(result->scratch_bytes).c_str());
      if (has_limits) {
        std::printf("   limit %.4f ms, %.2f times", result->limit_ms,
                    result->median_ms / std::max(result->limit_ms, 1e-9));
      }
      std::printf("\n");
    }
    std::fflush(stdout);
  }
  return exit_code;
}

}  // namespace

Command BenchCommand() {
  return {
      "bench",
      "PROGRAM...",
      "measure compile and run times of programs",
      "A PROGRAM is a file, or a folder with a program and golden.json, which says how arguments\n"
      "are drawn. Programs are compiled, and run until the time is up: at least 3 times, at most\n"
      "5000. Run times are medians, with the least and what 90 and 99 of 100 runs do not exceed, "
      "of\n"
      "results in memory that is new to the program. --json adds mean and standard deviation. "
      "With\n"
      "--limits, the least time that arguments and results need to be read and written once, or\n"
      "the arithmetic to be done, at the rates of a copy of a large array and of products of "
      "large\n"
      "matrices on this machine.\n"
      "--collectives measures, without a program, whole runs of each kind of collective by size, "
      "on a\n"
      "device of each process (--processes, or started by mpirun), else on two of this one.",
      WithProcessOptions({ProgramOption(),
                          InputOption(),
                          ParamOption(),
                          RandomOption(),
                          FunctionOption(),
                          {"--seconds", "S", "how long each program runs; the default is 1"},
                          {"--iterations",
                           "N",
                           "run each program N times, however long that takes",
                           {},
                           IntegerRange{1, 10'000'000}},
                          {"--threads",
                           "N",
                           "number of threads; the default, 0, means all",
                           {},
                           IntegerRange{0, 4096}},
                          {"--limits", "", "measure what the machine can do, and compare with it"},
                          CustomCallsOption(),
                          CacheOption(),
                          FlushSubnormalsOption(),
                          {"--collectives", "", "measure collectives"},
                          {"--json", "", "print a line of JSON for each program"}}),
      0,
      INT64_MAX,
      Bench};
}

}  // namespace xla
