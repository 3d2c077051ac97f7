// SPDX-License-Identifier: Apache-2.0
// Threads of devices. POSIX threads, because std::thread does not let one choose the stack.
#include "xla/runtime/device_threads.h"

#include <pthread.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// Reserved, not used: pages are taken when they are touched.
constexpr size_t kStackBytes = size_t{32} << 20;

// Threads start when all are there.
struct Gate {
  enum State { kClosed, kOpen, kCalledOff };
  std::mutex mutex;
  std::condition_variable changed;
  State state = kClosed;

  void Set(State to) {
    std::lock_guard<std::mutex> lock(mutex);
    state = to;
    changed.notify_all();
  }
  bool Wait() {
    std::unique_lock<std::mutex> lock(mutex);
    while (state == kClosed) changed.wait(lock);
    return state == kOpen;
  }
};

struct Task {
  Gate* gate;
  const absl::FunctionRef<void(int64_t)>* body;
  int64_t device;
};

void* RunTask(void* argument) {
  const Task& task = *static_cast<Task*>(argument);
  if (task.gate->Wait()) (*task.body)(task.device);
  return nullptr;
}

}  // namespace

absl::Status RunOnDeviceThreads(int64_t count, absl::FunctionRef<void(int64_t device)> body) {
  Gate gate;
  std::vector<Task> tasks;
  for (int64_t device = 1; device < count; ++device) tasks.push_back({&gate, &body, device});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setstacksize(&attributes, kStackBytes);
  std::vector<pthread_t> threads;
  for (size_t i = 0; i < tasks.size() && error == 0; ++i) {
    pthread_t thread;
    error = pthread_create(&thread, &attributes, RunTask, &tasks[i]);
    if (error == 0) threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  gate.Set(error == 0 ? Gate::kOpen : Gate::kCalledOff);
  if (error == 0 && count > 0) body(0);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  if (error == 0) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the system gives ", threads.size(), " of the ",
                                                   count - 1, " threads that ", count,
                                                   " devices need: ", std::strerror(error)));
}

}  // namespace xla
