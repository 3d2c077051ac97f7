// SPDX-License-Identifier: Apache-2.0
// Asynchronous work on devices.
#include "xla/runtime/launch_queues.h"

#include <atomic>
#include <memory>
#include <utility>

namespace xla::runtime {

// Work that waits for its turn.
struct LaunchQueues::Pending {
  ReusableThreads* threads;
  Work work;
  std::vector<Event> after;
  std::atomic<size_t> missing{0};
  EventSource done;      // with the status of the work
  EventSource finished;  // the same without errors: for the order of the queue

  void Run(const absl::Status& inputs) {
    const absl::Status status = std::move(work)(inputs);
    work = nullptr;  // release what it holds before its end is signaled
    done.Set(status);
    finished.Set(absl::OkStatus());
  }
};

LaunchQueues::LaunchQueues(int num_devices, ReusableThreads* threads)
    : threads_(threads), last_(static_cast<size_t>(num_devices)) {}

LaunchQueues::~LaunchQueues() {
  for (size_t i = 0; i < last_.size(); ++i) (void)Idle(static_cast<int>(i)).Await();
}

void LaunchQueues::Start(const std::shared_ptr<Pending>& pending) {
  absl::Status inputs;
  for (const Event& event : pending->after) {
    inputs = event.status();
    if (!inputs.ok()) break;
  }
  const absl::Status status = pending->threads->Run([pending, inputs] { pending->Run(inputs); });
  if (!status.ok()) pending->Run(status);
}

Event LaunchQueues::Launch(absl::Span<const int> devices, absl::Span<const Event> after,
                           Work work) {
  const auto pending = std::make_shared<Pending>();
  pending->threads = threads_;
  pending->work = std::move(work);
  pending->after.assign(after.begin(), after.end());
  const Event done = pending->done.event();

  std::vector<Event> before;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Event finished = pending->finished.event();
    for (const int device : devices) {
      Event& last = last_[static_cast<size_t>(device)];
      before.push_back(std::exchange(last, finished));
    }
  }
  // One more, so that the work does not start while the list is being gone through.
  pending->missing.store(before.size() + after.size() + 1, std::memory_order_relaxed);
  const auto arrive = [pending](const absl::Status&) {
    if (pending->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) Start(pending);
  };
  for (const Event& event : before) event.OnReady(arrive);
  for (const Event& event : pending->after) event.OnReady(arrive);
  arrive(absl::OkStatus());
  return done;
}

Event LaunchQueues::Idle(int device) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_[static_cast<size_t>(device)];
}

}  // namespace xla::runtime
