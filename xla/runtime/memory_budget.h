// SPDX-License-Identifier: Apache-2.0
// The memory of a run, and the limit that its caller set.
#ifndef XLA_RUNTIME_MEMORY_BUDGET_H_
#define XLA_RUNTIME_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>

namespace xla::runtime {

// Counts the bytes of live buffers and keeps them below a limit. Thread-safe.
class MemoryBudget {
 public:
  // limit_bytes <= 0: none.
  explicit MemoryBudget(int64_t limit_bytes) : limit_(limit_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // False when the limit would be passed; nothing is counted then.
  bool Take(int64_t bytes);
  void Give(int64_t bytes) { live_.fetch_sub(bytes, std::memory_order_relaxed); }

  int64_t limit() const { return limit_; }
  int64_t live_bytes() const { return live_.load(std::memory_order_relaxed); }
  int64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }

 private:
  const int64_t limit_;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_MEMORY_BUDGET_H_
