// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/memory_budget.h"

namespace xla::runtime {

bool MemoryBudget::Take(int64_t bytes) {
  const int64_t live = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (limit_ > 0 && live > limit_) {
    Give(bytes);
    return false;
  }
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return true;
}

}  // namespace xla::runtime
