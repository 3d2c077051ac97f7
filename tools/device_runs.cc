// SPDX-License-Identifier: Apache-2.0
#include "tools/device_runs.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/types/span.h"
#include "tools/draw.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/roofline.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/reusable_threads.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<double> LeastRunSeconds(const HloModule& module, const DeviceGrid& grid,
                                       runtime::ThreadPool& pool, double budget) {
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.pool = &pool;
  options.cancel = &Interrupted();
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module, options));
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    const bool is_real = ShapeUtil::ElementIsFloating(parameter->shape());
    XLA_ASSIGN_OR_RETURN(
        Literal argument,
        DrawLiteral(parameter->shape(), arguments.size() + 1,
                    is_real ? DrawKind::kUniform : DrawKind::kInteger, /*limit=*/4));
    arguments.push_back(std::move(argument));
  }
  const std::vector<runtime::ArgumentView> views = ViewsOf(arguments);
  const auto devices = static_cast<size_t>(grid.count());
  const std::vector<absl::Span<const runtime::ArgumentView>> all_views(devices, views);
  const auto leaves = static_cast<size_t>(
      ShapeUtil::GetLeafCount(module.entry_computation()->root_instruction()->shape()));
  // The memory of the first run's results serves the others.
  std::vector<std::vector<runtime::ResultView>> results(devices,
                                                        std::vector<runtime::ResultView>(leaves));
  std::vector<void*> owned;
  const absl::Cleanup free = [&] {
    for (void* memory : owned) runtime::FreeHostMemory(memory);
  };
  std::vector<absl::Span<runtime::ResultView>> all_results;
  for (auto& of_device : results) all_results.push_back(absl::MakeSpan(of_device));
  runtime::ReusableThreads threads;
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.threads = &threads;
  context.cancel = &Interrupted();
  const auto run = [&]() -> absl::Status {
    XLA_RETURN_IF_ERROR(
        program->RunOnDevices(grid.replicas, grid.partitions, all_views, all_results, context));
    for (auto& of_device : results) {
      for (runtime::ResultView& result : of_device) {
        if (result.is_new) owned.push_back(result.data);
        result.is_new = false;
      }
    }
    return absl::OkStatus();
  };
  XLA_RETURN_IF_ERROR(run());
  double least = std::numeric_limits<double>::infinity();
  const double begin = Seconds();
  constexpr int kLeastRuns = 3, kMostRuns = 2000;
  for (int i = 0; i < kMostRuns && (i < kLeastRuns || Seconds() - begin < budget); ++i) {
    const double start = Seconds();
    XLA_RETURN_IF_ERROR(run());
    least = std::min(least, Seconds() - start);
  }
  return least;
}

absl::StatusOr<double> LeastRunSeconds(const std::string& text, const DeviceGrid& grid,
                                       runtime::ThreadPool& pool, double budget) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, LoadModuleFromBytes(text));
  return LeastRunSeconds(*module, grid, pool, budget);
}

}  // namespace xla
