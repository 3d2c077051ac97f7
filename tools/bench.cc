// SPDX-License-Identifier: Apache-2.0
// xylem bench: compile and run times of compiled programs.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/bench_collectives.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
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
#include "xla/shape_util.h"

namespace xla {
namespace {

struct BenchResult {
  double compile_ms = 0, median_ms = 0, least_ms = 0, cpu_ms = 0;
  double limit_ms = 0;  // what the machine needs at least; 0 if it was not asked for
  int64_t runs = 0, scratch_bytes = 0, thread_bytes = 0;
};

// Of all threads of the process.
double ProcessorSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

absl::StatusOr<BenchResult> BenchOne(const std::string& path, const Arguments& arguments,
                                     double seconds, runtime::ThreadPool& pool,
                                     const CustomCallRegistry& custom_calls,
                                     const std::string& cache, Roofline* roofline) {
  constexpr int64_t kLeastRuns = 3, kMostRuns = 5000;
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
  options.cache_directory = cache;
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*program_case.module, options));
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
  const double end = Seconds() + seconds;
  while (static_cast<int64_t>(times.size()) < kLeastRuns ||
         (Seconds() < end && static_cast<int64_t>(times.size()) < kMostRuns)) {
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
  std::sort(times.begin(), times.end());
  result.runs = static_cast<int64_t>(times.size());
  result.least_ms = times[0];
  const size_t middle = times.size() / 2;
  result.median_ms =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return result;
}

absl::StatusOr<int> Bench(const Arguments& arguments) {
  if (arguments.Has("--collectives")) return BenchCollectives(arguments);
  if (arguments.operands().empty())
    return absl::InvalidArgumentError("bench takes the files of programs (or --collectives)");
  double seconds = 1;
  if (arguments.Has("--seconds") &&
      (!absl::SimpleAtod(arguments.Get("--seconds"), &seconds) || !(seconds >= 0))) {
    return absl::InvalidArgumentError("--seconds takes a number that is not negative");
  }
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
    const absl::StatusOr<BenchResult> result = BenchOne(
        path, arguments, seconds, pool, custom_calls, cache, has_limits ? &roofline : nullptr);
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (!result.ok()) {
      std::fprintf(stderr, "xylem: %s\n",
                   AboutFile(path, std::string(result.status().message())).c_str());
      exit_code = kExitFailed;
      continue;
    }
    if (json) {
      JsonObject line;
      line.String("name", name)
          .Number("compile_ms", result->compile_ms)
          .Number("run_ms", result->median_ms)
          .Number("min_ms", result->least_ms)
          .Number("cpu_ms", result->cpu_ms)
          .Integer("reps", result->runs)
          .Integer("temp_bytes", result->scratch_bytes)
          .Integer("thread_bytes", result->thread_bytes);
      if (has_limits) line.Number("limit_ms", result->limit_ms);
      std::puts(line.ToString().c_str());
    } else {
      std::printf("%-22s compile %8.1f ms   run %10.4f ms (least %.4f, %lld runs)   scratch %s",
                  name.c_str(), result->compile_ms, result->median_ms, result->least_ms,
                  static_cast<long long>(result->runs),
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
      "5000. Run times are medians, of results in memory that is new to the program. With\n"
      "--limits, the least time that arguments and results need to be read and written once, or\n"
      "the arithmetic to be done, at the rates of a copy of a large array and of products of "
      "large\n"
      "matrices on this machine.\n"
      "--collectives measures, without a program, whole runs of each kind of collective by size, "
      "on a\n"
      "device of each process (--processes, or started by mpirun), else on two of this one.",
      WithProcessOptions({ProgramOption(),
                          InputOption(),
                          RandomOption(),
                          FunctionOption(),
                          {"--seconds", "S", "how long each program runs; the default is 1"},
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
