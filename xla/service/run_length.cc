// SPDX-License-Identifier: Apache-2.0
#include "xla/service/run_length.h"

#include <algorithm>

namespace xla {

void RunLength::Add(std::chrono::nanoseconds took) {
  const bool was_short = IsShort();
  const int32_t needed = needed_.load(std::memory_order_relaxed);
  if (took > kShort) {
    short_runs_.store(0, std::memory_order_relaxed);
    if (was_short && took > kLong)
      needed_.store(std::min(4 * needed, kMostNeeded), std::memory_order_relaxed);
    return;
  }
  int32_t short_runs = short_runs_.load(std::memory_order_relaxed) + 1;
  // Long ones may have been those of a busy machine.
  if (short_runs >= 16 * needed) {
    needed_.store(std::max(needed / 2, 1), std::memory_order_relaxed);
    short_runs = std::max(needed / 2, 1);
  }
  short_runs_.store(short_runs, std::memory_order_relaxed);
}

}  // namespace xla
