// SPDX-License-Identifier: Apache-2.0
// How long a blocking call may wait, and what ends it early.
#ifndef XLA_RUNTIME_WAIT_H_
#define XLA_RUNTIME_WAIT_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "xla/base/status_macros.h"

namespace xla::runtime {

struct WaitLimits {
  // absl::InfiniteDuration(): no limit.
  absl::Duration timeout = absl::Seconds(60);
  // Called by the waiting thread every few milliseconds, without locks; its error ends the wait.
  std::function<absl::Status()> poll;
};

// Waits until ready() holds, which is called under the lock. OK: it holds; DEADLINE_EXCEEDED
// without a message: time is up; else the error of `poll`. Code that makes ready() true notifies
// `changed`.
template <typename Ready>
absl::Status WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                       const WaitLimits& limits, Ready ready) {
  constexpr std::chrono::milliseconds kPollInterval(10);
  const auto start = std::chrono::steady_clock::now();
  while (!ready()) {
    if (absl::FromChrono(std::chrono::steady_clock::now() - start) >= limits.timeout) {
      return absl::DeadlineExceededError("");
    }
    if (limits.poll != nullptr) {
      lock.unlock();
      absl::Status status = limits.poll();
      lock.lock();
      XLA_RETURN_IF_ERROR(status);
      if (ready()) break;
    }
    changed.wait_for(lock, kPollInterval);
  }
  return absl::OkStatus();
}

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_WAIT_H_
