// SPDX-License-Identifier: Apache-2.0
// Numbers of runs.
#include "xla/executable_run_options.h"

#include <atomic>

namespace xla {

RunId RunId::CreateUniqueId() {
  // A counter, not state: nothing but uniqueness depends on it.
  static std::atomic<int64_t> next{1};
  return RunId(next.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace xla
