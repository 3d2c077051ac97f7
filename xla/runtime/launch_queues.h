// SPDX-License-Identifier: Apache-2.0
// Asynchronous work on devices: in the order in which it was launched on each of them.
#ifndef XLA_RUNTIME_LAUNCH_QUEUES_H_
#define XLA_RUNTIME_LAUNCH_QUEUES_H_

#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/runtime/event.h"
#include "xla/runtime/reusable_threads.h"

namespace xla::runtime {

// Thread-safe.
class LaunchQueues {
 public:
  // Gets the first error of the events that it came after, or OK; returns how it went.
  using Work = absl::AnyInvocable<absl::Status(const absl::Status& inputs)>;

  // `threads` must outlive the queues.
  LaunchQueues(int num_devices, ReusableThreads* threads);
  // Waits for all work.
  ~LaunchQueues();

  // Runs the work on a thread of its own once all work launched before on each of `devices` has
  // ended, and all of `after` are ready. It runs once in any case: if there is no thread for it, on
  // the thread that makes the last of the events ready, with that error. Returns at once; the event
  // gets what the work returned. Work that spans several devices starts on all at once.
  Event Launch(absl::Span<const int> devices, absl::Span<const Event> after, Work work);

  // Ready when all work launched on the device so far has ended, well or not.
  Event Idle(int device) const;

 private:
  struct Pending;
  static void Start(const std::shared_ptr<Pending>& pending);

  ReusableThreads* const threads_;
  mutable std::mutex mutex_;
  std::vector<Event> last_;  // of each device, without errors
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_LAUNCH_QUEUES_H_
