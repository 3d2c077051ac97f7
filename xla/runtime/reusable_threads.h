// SPDX-License-Identifier: Apache-2.0
// Threads for work that may block, kept for reuse: the devices of a run, which wait for each other,
// and asynchronous launches. Loops inside operations use ThreadPool.
#ifndef XLA_RUNTIME_REUSABLE_THREADS_H_
#define XLA_RUNTIME_REUSABLE_THREADS_H_

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/instruction_set.h"

namespace xla::runtime {

// Every task has a thread at once: one that is idle, or else a new one. Stacks are large enough for
// deeply nested calls. Tasks have the bound on instruction sets (xla/base/instruction_set.h) and
// the floating-point mode of the thread that asks for them. Thread-safe.
class ReusableThreads {
 public:
  using Task = absl::AnyInvocable<void()>;

  ReusableThreads() = default;
  // Waits for all tasks.
  ~ReusableThreads();
  ReusableThreads(const ReusableThreads&) = delete;
  ReusableThreads& operator=(const ReusableThreads&) = delete;

  // Runs the task on a thread of its own. RESOURCE_EXHAUSTED, and the task is left alone, if no
  // thread is idle and the system gives none.
  absl::Status Run(Task&& task);

  // Calls body(0) on the calling thread and body(1) .. body(count - 1) on threads of their own, all
  // at the same time, and waits for all. RESOURCE_EXHAUSTED, and no call at all, if the system does
  // not give that many threads.
  absl::Status RunAll(int64_t count, absl::FunctionRef<void(int64_t index)> body);

  // Is the calling thread one of such threads, of any object? It must not end the object that owns
  // it.
  static bool OwnThisThread();

  // Threads that were started so far.
  int64_t threads_started() const { return threads_started_.load(std::memory_order_relaxed); }

 private:
  class Countdown;
  struct Pending {
    Task task;
    Countdown* end;  // told when the task has ended and its thread is idle; may be null
    // Of the caller's thread.
    InstructionSet max_instruction_set = MaxInstructionSet();
    FloatingPointMode floating_point_mode = FloatingPointMode::OfThread();
  };

  static void* ThreadMain(void* self);
  void Work();
  // Makes sure that `count` more tasks find a thread. Returns an error code of pthread_create.
  int Reserve(size_t count);

  std::atomic<int64_t> threads_started_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Pending> tasks_;  // at most as many as `idle_`
  size_t idle_ = 0;            // threads without a task, those that are being started included
  bool is_finished_ = false;
  std::vector<pthread_t> threads_;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_REUSABLE_THREADS_H_
