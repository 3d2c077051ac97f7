// SPDX-License-Identifier: Apache-2.0
// Loops of prepared kernels: each running body has scratch memory of its own.
#include "xla/kernels/kernel.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/instruction_set.h"

namespace xla::kernels {
namespace {

constexpr int32_t kMaxWorkers = 256;

// Which scratch areas are free, a bit each.
class ScratchSlots {
 public:
  explicit ScratchSlots(int32_t count) {
    for (int32_t i = 0; i < count; ++i) words_[i / 64].fetch_or(uint64_t{1} << (i % 64));
  }
  int32_t Take() {
    // There are as many areas as workers, so that this ends in the first iteration.
    for (int32_t word = 0;; word = (word + 1) % kWords) {
      uint64_t free = words_[word].load(std::memory_order_relaxed);
      while (free != 0) {
        const uint64_t bit = free & (~free + 1);
        if (words_[word].compare_exchange_weak(free, free & ~bit, std::memory_order_acquire))
          return word * 64 + __builtin_ctzll(bit);
      }
    }
  }
  void Return(int32_t slot) {
    words_[slot / 64].fetch_or(uint64_t{1} << (slot % 64), std::memory_order_release);
  }

 private:
  static constexpr int32_t kWords = kMaxWorkers / 64;
  std::atomic<uint64_t> words_[kWords] = {};
};

absl::Status StatusOf(int32_t code) {
  if (code == 0) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(code), "stopped by the caller of the kernel");
}

struct TaskLoop {
  const KernelHost& host;
  char* const scratch;
  const int64_t scratch_bytes;
  absl::FunctionRef<void(int64_t, Task&)> body;
  ScratchSlots slots;
  std::atomic<int32_t> code{0};
  // Bodies use the instructions for which the kernel was prepared, and compute as the run does,
  // whatever the caller's threads.
  const InstructionSet max_instruction_set = MaxInstructionSet();
  const FloatingPointMode floating_point_mode = FloatingPointMode::OfThread();

  static void RunBody(void* argument, int64_t index) {
    TaskLoop& loop = *static_cast<TaskLoop*>(argument);
    if (loop.code.load(std::memory_order_relaxed) != 0) return;
    const int32_t slot = loop.slots.Take();
    const ScopedMaxInstructionSet bound(loop.max_instruction_set);
    const ScopedFloatingPointMode mode(loop.floating_point_mode);
    Task task(loop.host, loop.scratch + slot * loop.scratch_bytes);
    if (!task.ShouldStop()) loop.body(index, task);
    loop.slots.Return(slot);
    if (task.code() != 0) loop.code.store(task.code(), std::memory_order_relaxed);
  }
};

}  // namespace

absl::Status RunTasks(const KernelHost& host, int64_t count, char* scratch, int64_t scratch_bytes,
                      absl::FunctionRef<void(int64_t, Task&)> body) {
  if (count <= 1 || host.workers <= 1 || host.parallel_for == nullptr) {
    Task task(host, scratch);
    for (int64_t i = 0; i < count; ++i) {
      if (task.ShouldStop()) break;
      body(i, task);
    }
    return StatusOf(task.code());
  }
  TaskLoop loop = {host, scratch, scratch_bytes, body,
                   ScratchSlots(std::min(host.workers, kMaxWorkers))};
  host.parallel_for(host.caller, count, &TaskLoop::RunBody, &loop);
  return StatusOf(loop.code.load());
}

}  // namespace xla::kernels

extern "C" int32_t XylemRunKernel(const xla::kernels::Kernel* kernel, const XylemKernelCall* call) {
  return static_cast<int32_t>(kernel->Run(*call).code());
}
