// SPDX-License-Identifier: Apache-2.0
// A run of a compiled program on all devices: memory of arguments and results, threads of devices.
#ifndef XLA_CPU_PROGRAM_RUN_H_
#define XLA_CPU_PROGRAM_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/program.h"
#include "xla/cpu/program_impl.h"
#include "xla/cpu/run/run_state.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/thread_pool.h"

namespace xla {

// One run. Memory is kept until all devices have ended: the last device to arrive at a collective
// reads and writes that of the others.
class CpuRun {
 public:
  CpuRun(const CpuProgram& program, const runtime::ExecutionContext& context,
         const CpuRunOptions& options);

  // Arguments and results by device. `copied_bytes`: memory that the caller has allocated to copy
  // arguments and results.
  absl::Status Run(int64_t replicas, int64_t partitions,
                   absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
                   absl::Span<const absl::Span<runtime::ResultView>> results,
                   runtime::RunStatistics* statistics, int64_t copied_bytes = 0);

 private:
  struct Device;

  // Checks that arguments and results, besides `bytes`, are within the memory limit.
  absl::Status CountMemory(int64_t devices, int64_t bytes);
  // Returns arenas to the program and fills in the statistics. After an error frees the results.
  void Finish(absl::Span<Device> devices, absl::Span<const absl::Span<runtime::ResultView>> results,
              const absl::Status& status, runtime::RunStatistics* statistics);
  // Turns exceptions into errors: they would leave the other devices waiting for this one.
  absl::Status RunGuarded(Device& device, absl::Span<const runtime::ArgumentView> arguments,
                          absl::Span<runtime::ResultView> results);
  absl::Status RunDevice(Device& device, absl::Span<const runtime::ArgumentView> arguments,
                         absl::Span<runtime::ResultView> results);
  char** ArgumentBase(Device& device, size_t leaf);
  char** ResultBase(Device& device, size_t leaf);
  // Sets the memory of an argument: the caller's if it has the program's bounds and order,
  // otherwise that of a copy.
  absl::Status SetArgument(Device& device, cpu::RunState& state, size_t i,
                           const runtime::ArgumentView& argument);
  // Sets the memory of a result: the caller's, that of a donated argument, or new memory. A result
  // of another layout is computed elsewhere and copied at the end.
  absl::Status SetResult(Device& device, cpu::RunState& state, size_t k,
                         absl::Span<const runtime::ArgumentView> arguments,
                         runtime::ResultView& result);

  const CpuProgram::Impl& impl_;
  const runtime::ExecutionContext& context_;
  const CpuRunOptions& options_;
  std::unique_ptr<runtime::ThreadPool> own_pool_;
  runtime::ThreadPool* pool_ = nullptr;
  runtime::MemoryBudget budget_;
};

}  // namespace xla

#endif  // XLA_CPU_PROGRAM_RUN_H_
