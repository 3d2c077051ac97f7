// SPDX-License-Identifier: Apache-2.0
// Whether the runs of a program are so short that handing them to another thread costs more than it
// saves. Learned from those that ended; only where a run happens depends on it.
#ifndef XLA_SERVICE_RUN_LENGTH_H_
#define XLA_SERVICE_RUN_LENGTH_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace xla {

// Thread-safe. Concurrent calls may lose an observation, which delays the answer.
class RunLength {
 public:
  // Runs are taken for long, or short, until the first has ended.
  explicit RunLength(bool is_short = false) : short_runs_(is_short ? 1 : 0) {}

  // Waking a thread, and being woken by it, takes about 15 microseconds on an idle machine and
  // several times as much on a busy one.
  static constexpr std::chrono::nanoseconds kShort = std::chrono::microseconds(80);
  // A caller who did not want to wait notices such a run.
  static constexpr std::chrono::nanoseconds kLong = std::chrono::milliseconds(1);

  // The next run is expected to take at most kShort.
  bool IsShort() const {
    return short_runs_.load(std::memory_order_relaxed) >= needed_.load(std::memory_order_relaxed);
  }

  void Add(std::chrono::nanoseconds took);

 private:
  // Runs that must have been short, one after the other. Programs whose runs turn out to be long
  // after short ones, as loops that depend on data, need more and more of them.
  static constexpr int32_t kMostNeeded = 1024;
  std::atomic<int32_t> short_runs_;
  std::atomic<int32_t> needed_{1};
};

}  // namespace xla

#endif  // XLA_SERVICE_RUN_LENGTH_H_
