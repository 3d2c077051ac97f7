// SPDX-License-Identifier: Apache-2.0
// Generation of run ids.
#include "xla/executable_run_options.h"

#include <atomic>

namespace xla {

RunId RunId::CreateUniqueId() {
  // Only the uniqueness of the ids depends on this counter.
  static std::atomic<int64_t> next{1};
  return RunId(next.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace xla
