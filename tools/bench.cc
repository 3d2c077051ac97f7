// SPDX-License-Identifier: Apache-2.0
// xylem bench and profile: compile and run times of compiled programs and their instructions.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/execute.h"
#include "tools/files.h"
#include "tools/golden.h"
#include "tools/golden_check.h"
#include "tools/json.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"
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

// Leaves of literals, which outlive them.
std::vector<runtime::ArgumentView> ViewsOf(const std::vector<Literal>& literals) {
  std::vector<runtime::ArgumentView> views;
  for (const Literal& literal : literals) {
    ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
      if (part.IsTuple()) return;
      runtime::ArgumentView view;
      view.shape = &ShapeUtil::GetSubshape(literal.shape(), index);
      if (part.IsArray()) {
        view.data = const_cast<void*>(literal.untyped_data(index));
        view.size_bytes = literal.size_bytes(index);
      }
      views.push_back(view);
    });
  }
  return views;
}

// What the machine can do with these threads, measured when it is first asked for.
class Roofline {
 public:
  explicit Roofline(runtime::ThreadPool& pool) : pool_(pool) {}

  // Bytes that a copy which leaves the caches reads and writes a second.
  absl::StatusOr<double> Bytes() {
    constexpr int64_t kCopied = int64_t{1} << 24;
    if (bytes_ == 0) {
      XLA_ASSIGN_OR_RETURN(const double seconds, SecondsOf(F32, {kCopied}, HloOpcode::kNegate));
      bytes_ = 8.0 * kCopied / seconds;
    }
    return bytes_;
  }

  // Operations a second of a product of matrices of this type.
  absl::StatusOr<double> Operations(PrimitiveType type = F32) {
    constexpr int64_t kEdge = 768;
    double& operations = operations_[type];
    if (operations == 0) {
      XLA_ASSIGN_OR_RETURN(const double seconds, SecondsOf(type, {kEdge, kEdge}, HloOpcode::kDot));
      operations = 2.0 * kEdge * kEdge * kEdge / seconds;
    }
    return operations;
  }

  // The least seconds that these steps of a program need with so many bytes of arguments and
  // results: to move the latter, or to compute.
  absl::StatusOr<double> LeastSeconds(double bytes,
                                      const std::vector<CpuProgram::ProfileEntry>& entries) {
    XLA_ASSIGN_OR_RETURN(const double bytes_a_second, Bytes());
    double computing = 0;
    for (const CpuProgram::ProfileEntry& entry : entries) {
      XLA_ASSIGN_OR_RETURN(
          const double a_second,
          Operations(entry.multiplied == PRIMITIVE_TYPE_INVALID ? F32 : entry.multiplied));
      computing += entry.operations * static_cast<double>(entry.runs) / a_second;
    }
    return std::max(bytes / bytes_a_second, computing);
  }

 private:
  absl::StatusOr<double> SecondsOf(PrimitiveType type, std::vector<int64_t> dimensions,
                                   HloOpcode opcode) {
    const Shape shape = ShapeUtil::MakeShape(type, dimensions);
    HloModule module("roofline");
    HloComputation* const entry = module.AddComputation("entry");
    module.set_entry_computation(entry);
    HloInstruction* const x = entry->AddInstruction(HloInstruction::CreateParameter(0, shape, "x"));
    if (opcode == HloOpcode::kDot) {
      DotAttributes attributes;
      attributes.lhs_contracting_dims = {1};
      attributes.rhs_contracting_dims = {0};
      entry->set_root_instruction(entry->AddInstruction(
          HloInstruction::Create(opcode, shape, {x, x}, std::move(attributes))));
    } else {
      entry->set_root_instruction(
          entry->AddInstruction(HloInstruction::Create(opcode, shape, {x})));
    }
    XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module));
    std::vector<Literal> arguments;
    arguments.emplace_back(shape);
    // Pages that were never written to take no memory.
    std::memset(arguments[0].untyped_data(), 1, static_cast<size_t>(arguments[0].size_bytes()));
    const std::vector<runtime::ArgumentView> views = ViewsOf(arguments);
    runtime::ExecutionContext context;
    context.pool = &pool_;
    context.cancel = &Interrupted();
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 15; ++i) {
      XLA_ASSIGN_OR_RETURN(const auto entries, program->Profile(views, context));
      double seconds = 0;
      for (const CpuProgram::ProfileEntry& step : entries) seconds += step.seconds;
      least = std::min(least, seconds);
    }
    return std::max(least, 1e-9);
  }

  runtime::ThreadPool& pool_;
  double bytes_ = 0;
  std::map<PrimitiveType, double> operations_;
};

absl::StatusOr<BenchResult> BenchOne(const std::string& folder, const std::string& file,
                                     double seconds, runtime::ThreadPool& pool,
                                     Roofline* roofline) {
  constexpr int64_t kLeastRuns = 3, kMostRuns = 5000;
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/golden.json"));
  XLA_ASSIGN_OR_RETURN(const Golden golden, ParseGolden(text));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> arguments, DrawArguments(golden));
  const std::vector<runtime::ArgumentView> views = ViewsOf(arguments);

  BenchResult result;
  const double start = Seconds();
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(absl::StrCat(folder, "/", file)));
  CpuCompileOptions options;
  options.pool = &pool;
  options.constant_folding = &kConstantFolding;
  options.cancel = &Interrupted();
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module, options));
  result.compile_ms = (Seconds() - start) * 1e3;
  result.scratch_bytes = program->ScratchBytes(pool.num_threads());
  result.thread_bytes = program->ThreadBytes(pool.num_threads());

  runtime::ExecutionContext context;
  context.pool = &pool;
  context.cancel = &Interrupted();
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
  double seconds = 1;
  if (arguments.Has("--seconds") &&
      (!absl::SimpleAtod(arguments.Get("--seconds"), &seconds) || !(seconds >= 0))) {
    return absl::InvalidArgumentError("--seconds takes a number that is not negative");
  }
  const bool json = arguments.Has("--json");
  const std::string file = arguments.Get("--program", "program.mlir");
  runtime::ThreadPool pool(static_cast<int>(arguments.GetInt("--threads", 0)));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  Roofline roofline(pool);
  const bool has_limits = arguments.Has("--limits");
  int exit_code = kExitOk;
  for (std::string folder : arguments.operands()) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    const std::string name = folder.substr(folder.rfind('/') + 1);
    const absl::StatusOr<BenchResult> result =
        BenchOne(folder, file, seconds, pool, has_limits ? &roofline : nullptr);
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (!result.ok()) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(),
                   std::string(result.status().message()).c_str());
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
      std::printf(
          "%-22s compile %8.1f ms   run %10.4f ms (least %.4f, %lld runs)   scratch %.1f KB",
          name.c_str(), result->compile_ms, result->median_ms, result->least_ms,
          static_cast<long long>(result->runs), static_cast<double>(result->scratch_bytes) / 1024);
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

// The steps of a run in Chrome's trace format, which Perfetto reads too: microseconds.
std::string TraceOf(const std::vector<CpuProgram::ProfileEvent>& events) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  for (const CpuProgram::ProfileEvent& event : events) {
    JsonObject line;
    line.String("name", event.name.empty() ? "(copies)" : event.name)
        .String("ph", "X")
        .Integer("pid", 1)
        .Integer("tid", 1)
        .Number("ts", event.start * 1e6)
        .Number("dur", event.seconds * 1e6);
    absl::StrAppend(&text, text.back() == '[' ? "\n" : ",\n", line.ToString());
  }
  return absl::StrCat(text, "\n]}\n");
}

absl::StatusOr<int> Profile(const Arguments& arguments) {
  std::string folder = arguments.operands()[0];
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  runtime::ThreadPool pool(static_cast<int>(arguments.GetInt("--threads", 0)));
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/golden.json"));
  XLA_ASSIGN_OR_RETURN(const Golden golden, ParseGolden(text));
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> literals, DrawArguments(golden));
  const std::vector<runtime::ArgumentView> views = ViewsOf(literals);
  XLA_ASSIGN_OR_RETURN(
      const auto module,
      LoadModule(absl::StrCat(folder, "/", arguments.Get("--program", "program.mlir"))));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  CpuCompileOptions options;
  options.pool = &pool;
  options.constant_folding = &kConstantFolding;
  options.cancel = &Interrupted();
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module, options));
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.cancel = &Interrupted();
  XLA_RETURN_IF_ERROR(program->Profile(views, context).status());  // first use of memory
  std::vector<CpuProgram::ProfileEvent> events;
  XLA_ASSIGN_OR_RETURN(const auto entries, program->Profile(views, context, &events));
  if (arguments.Has("--trace"))
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--trace"), TraceOf(events)));
  Roofline roofline(pool);
  XLA_ASSIGN_OR_RETURN(const double bytes_a_second, roofline.Bytes());
  XLA_ASSIGN_OR_RETURN(const double operations_a_second, roofline.Operations());
  double total = 0;
  for (const CpuProgram::ProfileEntry& entry : entries) total += entry.seconds;
  std::printf("limits: %.1f GB/s, %.1f Gflop/s\n", bytes_a_second / 1e9, operations_a_second / 1e9);
  std::printf("%10s %6s %8s %8s %8s %6s  instruction\n", "us", "%", "runs", "GB/s", "Gflop/s",
              "limit%");
  const auto most = static_cast<size_t>(arguments.GetInt("--rows", 40));
  for (size_t i = 0; i < entries.size() && i < most; ++i) {
    const CpuProgram::ProfileEntry& entry = entries[i];
    const double bytes = entry.bytes * static_cast<double>(entry.runs) / entry.seconds;
    const double operations = entry.operations * static_cast<double>(entry.runs) / entry.seconds;
    const double share = std::max(bytes / bytes_a_second, operations / operations_a_second);
    std::printf("%10.1f %6.1f %8lld %8.1f %8.1f %6.0f  %s\n", entry.seconds * 1e6,
                100 * entry.seconds / total, static_cast<long long>(entry.runs), bytes / 1e9,
                operations / 1e9, 100 * share,
                entry.text.empty() ? "(copies)" : entry.text.c_str());
  }
  return kExitOk;
}

}  // namespace

Command BenchCommand() {
  return {
      "bench",
      "DIR...",
      "measure compile and run times of program folders",
      "A folder holds a program and golden.json, which says how arguments are drawn. Programs are\n"
      "compiled, and run until the time is up: at least 3 times, at most 5000. Run times are\n"
      "medians, of results in memory that is new to the program. With --limits, the least time "
      "that\n"
      "arguments and results need to be read and written once, or the arithmetic to be done, at "
      "the\n"
      "rates of a copy of a large array and of products of large matrices on this machine.",
      {{"--program", "FILE", "name of the program in each folder; the default is program.mlir"},
       {"--seconds", "S", "how long each program runs; the default is 1"},
       {"--threads",
        "N",
        "number of threads; the default, 0, means all",
        {},
        IntegerRange{0, 4096}},
       {"--limits", "", "measure what the machine can do, and compare with it"},
       {"--json", "", "print a line of JSON for each folder"}},
      1,
      INT64_MAX,
      Bench};
}

Command ProfileCommand() {
  return {
      "profile",
      "DIR",
      "show how long each instruction of a compiled program takes",
      "A folder holds a program and golden.json, which says how arguments are drawn. The second\n"
      "run is measured. GB/s count operands and results; the limits are what a copy of a large "
      "array\n"
      "and a product of large matrices reach on this machine, and limit% is the larger of both\n"
      "shares (over 100 where data are in caches).",
      {{"--program", "FILE", "name of the program in the folder; the default is program.mlir"},
       {"--trace", "FILE", "write the steps in Chrome's trace format, which Perfetto reads"},
       {"--rows", "N", "instructions to list; the default is 40", {}, IntegerRange{1, 1 << 20}},
       {"--threads",
        "N",
        "number of threads; the default, 0, means all",
        {},
        IntegerRange{0, 4096}}},
      1,
      1,
      Profile};
}

}  // namespace xla
