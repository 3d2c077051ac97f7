// SPDX-License-Identifier: Apache-2.0
// Threads kept for reuse. POSIX threads, because std::thread does not let one choose the stack.
#include "xla/runtime/reusable_threads.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla::runtime {
namespace {

// Reserved, not used: pages are taken when they are touched.
constexpr size_t kStackBytes = size_t{32} << 20;

thread_local bool is_reusable = false;

}  // namespace

// Counts tasks that end.
class ReusableThreads::Countdown {
 public:
  explicit Countdown(int64_t count) : missing_(count) {}
  void Done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--missing_ == 0) changed_.notify_one();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t missing_;
};

bool ReusableThreads::OwnThisThread() { return is_reusable; }

ReusableThreads::~ReusableThreads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_finished_ = true;
  }
  wake_.notify_all();
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
}

void* ReusableThreads::ThreadMain(void* self) {
  is_reusable = true;
  static_cast<ReusableThreads*>(self)->Work();
  return nullptr;
}

void ReusableThreads::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return is_finished_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    --idle_;
    Countdown* end;
    {
      Pending pending = std::move(tasks_.front());
      end = pending.end;
      tasks_.pop_front();
      lock.unlock();
      const ScopedMaxInstructionSet bound(pending.max_instruction_set);
      const ScopedFloatingPointMode mode(pending.floating_point_mode);
      std::move(pending.task)();
    }
    lock.lock();
    // Idle before the end is signaled, so that the next run finds this thread.
    ++idle_;
    if (end != nullptr) end->Done();
  }
}

int ReusableThreads::Reserve(size_t count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setstacksize(&attributes, kStackBytes);
  while (error == 0 && idle_ < tasks_.size() + count) {
    pthread_t thread;
    error = pthread_create(&thread, &attributes, ThreadMain, this);
    if (error != 0) break;
    threads_.push_back(thread);
    threads_started_.fetch_add(1, std::memory_order_relaxed);
    ++idle_;
  }
  pthread_attr_destroy(&attributes);
  return error;
}

absl::Status ReusableThreads::Run(Task&& task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const int error = Reserve(1); error != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system does not start a thread: ", std::strerror(error)));
  }
  tasks_.push_back({std::move(task), nullptr});
  wake_.notify_one();
  return absl::OkStatus();
}

absl::Status ReusableThreads::RunAll(int64_t count, absl::FunctionRef<void(int64_t index)> body) {
  if (count <= 0) return absl::OkStatus();
  Countdown countdown(count - 1);
  if (count > 1) {
    const auto others = static_cast<size_t>(count - 1);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const int error = Reserve(others); error != 0) {
      return absl::ResourceExhaustedError(absl::StrCat("the system gives ", idle_ - tasks_.size(),
                                                       " of the ", others, " threads that ", count,
                                                       " devices need: ", std::strerror(error)));
    }
    for (int64_t i = 1; i < count; ++i) {
      tasks_.push_back({[body, i] { body(i); }, &countdown});
    }
    wake_.notify_all();
  }
  body(0);
  countdown.Wait();
  return absl::OkStatus();
}

}  // namespace xla::runtime
