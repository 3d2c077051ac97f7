// SPDX-License-Identifier: Apache-2.0
// One execution of a program on one device.
#ifndef XLA_CPU_RUN_RUN_STATE_H_
#define XLA_CPU_RUN_RUN_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/cpu/custom_calls.h"
#include "xla/cpu/run/device_state.h"
#include "xla/kernels/context.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/interrupt.h"
#include "xla/runtime/memory_budget.h"
#include "xla/runtime/thread_pool.h"
#include "xla/runtime/wait.h"

namespace xla::cpu {

class NestedProgram;  // nested_program.h

// Options of a run.
struct RunExtras {
  runtime::MemoryBudget* budget = nullptr;  // of all devices
  const CpuCustomCalls* custom_calls = nullptr;
  // Programs that generated code calls, by number.
  absl::Span<const std::unique_ptr<NestedProgram>> nested;
};

// The state that thunks need: memory, threads, cancellation. Kernels use it as their context.
class RunState final : public kernels::Context {
 public:
  RunState(const runtime::ExecutionContext& context, runtime::ThreadPool& pool, char* const* bases,
           DeviceState& device)
      : context_(context), pool_(pool), bases_(bases), device_(device) {}
  // For a program that code of the caller applies to an element, on any thread. Everything runs on
  // this thread.
  RunState(const RunState& caller, char* const* bases)
      : context_(caller.context_),
        pool_(caller.pool_),
        bases_(bases),
        device_(caller.device_),
        extras_(caller.extras_),
        is_nested_(true) {}

  const runtime::ExecutionContext& context() const { return context_; }
  const CpuCustomCalls* custom_calls() const { return extras_.custom_calls; }
  void set_extras(const RunExtras& extras) { extras_ = extras; }
  // Returns a memory that slots refer to (see lower_program.h).
  char* base(int32_t i) const { return bases_[i]; }

  DeviceState& device() { return device_; }
  // Returns how long, and how, the device waits for others or for the host.
  runtime::WaitLimits Limits() {
    return {context_.wait_timeout, [this] { return Poll(); }};
  }

  bool is_nested() const { return is_nested_; }
  absl::Span<const std::unique_ptr<NestedProgram>> nested() const { return extras_.nested; }
  // The observer of the thunks of the whole program.
  runtime::StepObserver* observer() const { return is_nested_ ? nullptr : context_.step_observer; }
  int32_t workers() const { return is_nested_ ? 1 : pool_.num_threads(); }

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override;
  // The error of thunks that generated code has run. Nothing else runs after it. Any thread may set
  // it.
  absl::Status failure() const;
  void set_failure(absl::Status failure);
  absl::Status Poll() override {
    if (has_failed_.load(std::memory_order_acquire)) return failure();
    if (device_.rendezvous != nullptr && device_.rendezvous->stopped())
      return device_.rendezvous->StopStatus();
    const bool ends =
        (context_.cancel != nullptr && context_.cancel->load(std::memory_order_relaxed)) ||
        (context_.interrupt != nullptr && context_.interrupt->IsRequested());
    return ends ? absl::CancelledError("the run was cancelled") : absl::OkStatus();
  }
  // Allocates memory that is counted until it is freed, which must be before the run ends.
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override;

 private:
  const runtime::ExecutionContext& context_;
  runtime::ThreadPool& pool_;
  char* const* const bases_;
  DeviceState& device_;
  RunExtras extras_;
  const bool is_nested_ = false;
  std::atomic<bool> has_failed_{false};
  absl::Status failure_;      // set before has_failed_
  mutable std::mutex mutex_;  // guards setting it
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_RUN_STATE_H_
