// SPDX-License-Identifier: Apache-2.0
// One execution of a program on one device.
#ifndef XLA_CPU_RUN_STATE_H_
#define XLA_CPU_RUN_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/cpu/custom_calls.h"
#include "xla/cpu/device_state.h"
#include "xla/kernels/context.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/interrupt.h"
#include "xla/runtime/memory_budget.h"
#include "xla/runtime/thread_pool.h"
#include "xla/runtime/wait.h"

namespace xla::cpu {

// What a caller may add to a run.
struct RunExtras {
  runtime::MemoryBudget* budget = nullptr;  // of all devices
  const CpuCustomCalls* custom_calls = nullptr;
};

// What steps need: memory, threads, cancellation. Kernels take it as their context.
class RunState final : public kernels::Context {
 public:
  RunState(const runtime::ExecutionContext& context, runtime::ThreadPool& pool, char* const* bases,
           DeviceState& device)
      : context_(context), pool_(pool), bases_(bases), device_(device) {}

  const runtime::ExecutionContext& context() const { return context_; }
  const CpuCustomCalls* custom_calls() const { return extras_.custom_calls; }
  void set_extras(const RunExtras& extras) { extras_ = extras; }
  // The memories that places refer to (see program.cc).
  char* base(int32_t i) const { return bases_[i]; }

  DeviceState& device() { return device_; }
  // How long, and how, the device waits for others or for the host.
  runtime::WaitLimits Limits() {
    return {context_.wait_timeout, [this] { return Poll(); }};
  }

  int32_t workers() const { return pool_.num_threads(); }

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override {
    return pool_.ParallelFor(count, chunk, body, [this] { return Poll(); });
  }
  // Of steps that generated code has run: nothing is to run after them.
  const absl::Status& failure() const { return failure_; }
  void set_failure(absl::Status failure) { failure_ = std::move(failure); }
  absl::Status Poll() override {
    if (!failure_.ok()) return failure_;
    if (device_.rendezvous != nullptr && device_.rendezvous->stopped())
      return device_.rendezvous->StopStatus();
    const bool ends =
        (context_.cancel != nullptr && context_.cancel->load(std::memory_order_relaxed)) ||
        (context_.interrupt != nullptr && context_.interrupt->IsRequested());
    return ends ? absl::CancelledError("the run was cancelled") : absl::OkStatus();
  }
  // Counted until it is freed, which must be before the run ends.
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override;

 private:
  const runtime::ExecutionContext& context_;
  runtime::ThreadPool& pool_;
  char* const* const bases_;
  DeviceState& device_;
  RunExtras extras_;
  absl::Status failure_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_STATE_H_
