// SPDX-License-Identifier: Apache-2.0
#include "tools/device_runs.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tools/draw.h"
#include "tools/job.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/roofline.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/distributed/communicator.h"
#include "xla/distributed/program_identity.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/shape_util.h"

namespace xla {

namespace {

// A compiled program with its arguments, and memory for its results.
class TimedProgram {
 public:
  static absl::StatusOr<std::unique_ptr<TimedProgram>> Make(const HloModule& module,
                                                            const DeviceGrid& grid,
                                                            const RunPlace& place) {
    std::unique_ptr<TimedProgram> timed(new TimedProgram(grid, place));
    CpuCompileOptions options = DefaultCpuCompileOptions();
    options.pool = place.pool;
    options.cancel = &Interrupted();
    XLA_ASSIGN_OR_RETURN(timed->program_, CpuProgram::Compile(module, options));
    timed->identity_ = distributed::IdentifyProgram(module);
    for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
      const bool is_real = ShapeUtil::ElementIsFloating(parameter->shape());
      XLA_ASSIGN_OR_RETURN(
          Literal argument,
          DrawLiteral(parameter->shape(), timed->arguments_.size() + 1,
                      is_real ? DrawKind::kUniform : DrawKind::kInteger, /*limit=*/4));
      timed->arguments_.push_back(std::move(argument));
    }
    timed->views_ = ViewsOf(timed->arguments_);
    const size_t devices = place.job == nullptr ? static_cast<size_t>(grid.count()) : 1;
    timed->all_views_.assign(devices, timed->views_);
    const auto leaves = static_cast<size_t>(
        ShapeUtil::GetLeafCount(module.entry_computation()->root_instruction()->shape()));
    timed->results_.assign(devices, std::vector<runtime::ResultView>(leaves));
    for (auto& of_device : timed->results_)
      timed->all_results_.push_back(absl::MakeSpan(of_device));
    return timed;
  }
  ~TimedProgram() {
    for (void* memory : owned_) runtime::FreeHostMemory(memory);
  }
  TimedProgram(const TimedProgram&) = delete;
  TimedProgram& operator=(const TimedProgram&) = delete;

  absl::Status Run() {
    runtime::ExecutionContext context;
    context.pool = place_.pool;
    context.threads = &threads_;
    context.cancel = &Interrupted();
    XLA_RETURN_IF_ERROR(RunOnDeviceOfEach(
        place_.job, identity_, grid_.count(), [&](runtime::ProcessGroup* processes) {
          context.processes = processes;
          return program_->RunOnDevices(grid_.replicas, grid_.partitions, all_views_, all_results_,
                                        context);
        }));
    // The memory of the first run's results serves the others.
    for (auto& of_device : results_) {
      for (runtime::ResultView& result : of_device) {
        if (result.is_new) owned_.push_back(result.data);
        result.is_new = false;
      }
    }
    return absl::OkStatus();
  }

  // Seconds of a run in a series of so many.
  absl::StatusOr<double> Time(int runs) {
    const double start = Seconds();
    for (int i = 0; i < runs; ++i) XLA_RETURN_IF_ERROR(Run());
    return (Seconds() - start) / runs;
  }

 private:
  TimedProgram(const DeviceGrid& grid, const RunPlace& place) : grid_(grid), place_(place) {}

  const DeviceGrid grid_;
  const RunPlace place_;
  std::unique_ptr<CpuProgram> program_;
  distributed::ProgramIdentity identity_;
  std::vector<Literal> arguments_;
  std::vector<runtime::ArgumentView> views_;
  std::vector<absl::Span<const runtime::ArgumentView>> all_views_;
  std::vector<std::vector<runtime::ResultView>> results_;
  std::vector<absl::Span<runtime::ResultView>> all_results_;
  std::vector<void*> owned_;
  runtime::ReusableThreads threads_;
};

// What process 0 says, in all processes of a job.
absl::StatusOr<int64_t> NumberOfFirst(distributed::Job& job, int64_t number) {
  constexpr uint64_t kKey = 0x72756e73;  // no other message of the command is under way
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<distributed::Communicator> connection,
                       job.Connection());
  const absl::Span<char> bytes(reinterpret_cast<char*>(&number), sizeof(number));
  if (job.self() != 0) {
    XLA_RETURN_IF_ERROR(connection->Receive(0, kKey, bytes, {}));
    return number;
  }
  for (int process = 1; process < connection->size(); ++process)
    XLA_RETURN_IF_ERROR(connection->Send(process, kKey, bytes));
  return number;
}

// All processes must make the same number of runs.
absl::StatusOr<double> LeastInJob(TimedProgram& program, distributed::Job& job, double budget) {
  constexpr int kSeries = 10, kFirstRuns = 3, kMostRuns = 200;
  XLA_ASSIGN_OR_RETURN(double least, program.Time(kFirstRuns));
  const auto wished = static_cast<int64_t>(budget / kSeries / std::max(least, 1e-6));
  XLA_ASSIGN_OR_RETURN(const int64_t runs,
                       NumberOfFirst(job, std::clamp<int64_t>(wished, 1, kMostRuns)));
  if (runs < 1 || runs > kMostRuns)
    return absl::UnavailableError(absl::StrCat("process 0 asks for ", runs, " runs"));
  for (int i = 0; i < kSeries; ++i) {
    XLA_ASSIGN_OR_RETURN(const double seconds, program.Time(static_cast<int>(runs)));
    least = std::min(least, seconds);
  }
  return least;
}

}  // namespace

absl::StatusOr<double> LeastRunSeconds(const HloModule& module, const DeviceGrid& grid,
                                       const RunPlace& place, double budget) {
  XLA_ASSIGN_OR_RETURN(const auto program, TimedProgram::Make(module, grid, place));
  XLA_RETURN_IF_ERROR(program->Run());
  if (place.job != nullptr) return LeastInJob(*program, *place.job, budget);
  double least = std::numeric_limits<double>::infinity();
  const double begin = Seconds();
  constexpr int kLeastRuns = 3, kMostRuns = 2000;
  for (int i = 0; i < kMostRuns && (i < kLeastRuns || Seconds() - begin < budget); ++i) {
    XLA_ASSIGN_OR_RETURN(const double seconds, program->Time(1));
    least = std::min(least, seconds);
  }
  return least;
}

absl::StatusOr<double> LeastRunSeconds(const std::string& text, const DeviceGrid& grid,
                                       const RunPlace& place, double budget) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, LoadModuleFromBytes(text));
  return LeastRunSeconds(*module, grid, place, budget);
}

}  // namespace xla
