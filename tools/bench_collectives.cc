// SPDX-License-Identifier: Apache-2.0
// Whole runs of programs of one collective, on a device of each process, or on several of one.
#include "tools/bench_collectives.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/execute.h"
#include "tools/job.h"
#include "tools/json.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/distributed/program_identity.h"
#include "xla/hlo/text/parser.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"

namespace xla {
namespace {

struct CollectiveKind {
  const char* name;
  const char* attributes;
  // Whether the operand, or the result, is a device's part of the array that is spoken of.
  bool divides_operand = false, divides_result = false;
};
constexpr CollectiveKind kKinds[] = {
    {"all-reduce", "to_apply=sum"},
    {"all-gather", "dimensions={0}", true, false},
    {"reduce-scatter", "to_apply=sum, dimensions={0}", false, true},
    {"all-to-all", "dimensions={0}"},
    {"collective-permute", ""},
};

std::string TextOf(const CollectiveKind& kind, int64_t devices, int64_t elements) {
  const auto shape = [&](bool is_divided) {
    return absl::StrCat("f32[", is_divided ? elements / devices : elements, "]");
  };
  std::string attributes = kind.attributes;
  if (attributes.empty()) {
    attributes = "source_target_pairs={";
    for (int64_t d = 0; d < devices; ++d)
      absl::StrAppend(&attributes, d == 0 ? "" : ",", "{", d, ",", (d + 1) % devices, "}");
    attributes += "}";
  }
  return absl::StrCat("HloModule ", kind.name, ", replica_count=", devices,
                      "\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, "
                      "b) }\nENTRY main {\n  x = ",
                      shape(kind.divides_operand),
                      " parameter(0)\n  ROOT r = ", shape(kind.divides_result), " ", kind.name,
                      "(x), ", attributes, "\n}\n");
}

// Memory of an argument or a result.
using Memory = std::unique_ptr<void, decltype(&runtime::FreeHostMemory)>;
absl::StatusOr<Memory> AllocateMemory(int64_t bytes) {
  Memory memory(runtime::AllocateHostMemory(static_cast<size_t>(bytes)), &runtime::FreeHostMemory);
  if (memory == nullptr)
    return absl::ResourceExhaustedError(absl::StrCat("the system has no memory for ", bytes));
  std::fill_n(static_cast<float*>(memory.get()), bytes / 4, 0.5F);
  return memory;
}

class CollectiveBench {
 public:
  CollectiveBench(distributed::Job* job, int64_t devices, runtime::ThreadPool& pool)
      : job_(job), devices_(devices), pool_(pool) {}

  // Seconds of each run. All processes make the same number.
  absl::StatusOr<std::vector<double>> Run(const CollectiveKind& kind, int64_t bytes) {
    const int64_t elements = bytes / 4;
    XLA_ASSIGN_OR_RETURN(const auto module,
                         ParseAndReturnUnverifiedModule(TextOf(kind, devices_, elements)));
    CpuCompileOptions options = DefaultCpuCompileOptions();
    options.pool = &pool_;
    XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module, options));
    const distributed::ProgramIdentity identity = distributed::IdentifyProgram(*module);
    const HloComputation& entry = *module->entry_computation();
    const Shape& operand = entry.parameter_instruction(0)->shape();
    const Shape& result = entry.root_instruction()->shape();
    XLA_ASSIGN_OR_RETURN(const int64_t operand_bytes, runtime::ArrayBytes(operand));
    XLA_ASSIGN_OR_RETURN(const int64_t result_bytes, runtime::ArrayBytes(result));
    const int64_t here = job_ == nullptr ? devices_ : 1;
    std::vector<Memory> memory;
    std::vector<runtime::ArgumentView> arguments;
    std::vector<runtime::ResultView> results;
    for (int64_t d = 0; d < here; ++d) {
      XLA_ASSIGN_OR_RETURN(Memory from, AllocateMemory(operand_bytes));
      XLA_ASSIGN_OR_RETURN(Memory to, AllocateMemory(result_bytes));
      runtime::ArgumentView& argument = arguments.emplace_back();
      argument.shape = &operand;
      argument.data = from.get();
      argument.size_bytes = operand_bytes;
      results.push_back({.data = to.get(), .size_bytes = result_bytes});
      memory.push_back(std::move(from));
      memory.push_back(std::move(to));
    }
    constexpr int64_t kLeastRuns = 5, kMostRuns = 300, kBytes = int64_t{256} << 20;
    const int64_t runs = std::clamp(kBytes / bytes, kLeastRuns, kMostRuns);
    std::vector<double> seconds;
    for (int64_t i = -2; i < runs; ++i) {
      const double begin = Seconds();
      XLA_RETURN_IF_ERROR(RunOnce(*program, identity, arguments, results));
      if (i >= 0) seconds.push_back(Seconds() - begin);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
  }

 private:
  absl::Status RunOnce(const CpuProgram& program, const distributed::ProgramIdentity& identity,
                       absl::Span<const runtime::ArgumentView> arguments,
                       absl::Span<const runtime::ResultView> results) {
    std::vector<absl::Span<const runtime::ArgumentView>> argument_spans;
    std::vector<runtime::ResultView> views(results.begin(), results.end());
    std::vector<absl::Span<runtime::ResultView>> result_spans;
    for (size_t d = 0; d < views.size(); ++d) {
      argument_spans.push_back(arguments.subspan(d, 1));
      result_spans.push_back(absl::MakeSpan(views).subspan(d, 1));
    }
    runtime::ExecutionContext context;
    context.pool = &pool_;
    context.cancel = &Interrupted();
    return RunOnDeviceOfEach(job_, identity, devices_, [&](runtime::ProcessGroup* processes) {
      context.processes = processes;
      return program.RunOnDevices(devices_, 1, argument_spans, result_spans, context);
    });
  }

  distributed::Job* const job_;
  const int64_t devices_;
  runtime::ThreadPool& pool_;
};

}  // namespace

absl::StatusOr<int> BenchCollectives(const Arguments& arguments) {
  if (!arguments.operands().empty())
    return absl::InvalidArgumentError("bench --collectives takes no program");
  XLA_ASSIGN_OR_RETURN(const JobRole role, JobRoleOf(arguments));
  if (role.kind == JobRole::kStarts) return StartProcesses(role);
  XLA_RETURN_IF_ERROR(LoadCompiler());
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Job> job, JoinJob(role));
  const int64_t devices = job == nullptr ? 2 : job->topology().num_processes();
  const std::string engine = job == nullptr                   ? "one process"
                             : role.kind == JobRole::kMpiRank ? "mpi"
                                                              : "gloo";
  runtime::ThreadPool pool(ThreadsOf(arguments, job.get()));
  CollectiveBench bench(job.get(), devices, pool);
  const bool json = arguments.Has("--json");
  for (const CollectiveKind& kind : kKinds) {
    for (int64_t size = 8; size <= int64_t{64} << 20; size *= 8) {
      // Each device has a part.
      const int64_t bytes = (size + 4 * devices - 1) / (4 * devices) * (4 * devices);
      XLA_ASSIGN_OR_RETURN(const std::vector<double> seconds, bench.Run(kind, bytes));
      const double median = seconds[seconds.size() / 2], least = seconds[0];
      if (json) {
        JsonObject line;
        line.String("engine", engine)
            .Integer("devices", devices)
            .String("collective", kind.name)
            .Integer("bytes", bytes)
            .Number("median_us", median * 1e6)
            .Number("min_us", least * 1e6)
            .Integer("reps", static_cast<int64_t>(seconds.size()));
        std::puts(line.ToString().c_str());
      } else {
        std::printf(
            "%-12s %2lld devices   %-18s %10lld bytes   %10.1f us (least %.1f)   %8.3f GB/s\n",
            engine.c_str(), static_cast<long long>(devices), kind.name,
            static_cast<long long>(bytes), median * 1e6, least * 1e6,
            static_cast<double>(bytes) / median * 1e-9);
      }
      std::fflush(stdout);
    }
  }
  return kExitOk;
}

}  // namespace xla
