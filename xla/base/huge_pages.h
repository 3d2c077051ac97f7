// SPDX-License-Identifier: Apache-2.0
// Large blocks of memory in huge pages: sweeps over them miss the TLB, and first touch them in
// pages of 4 KB, otherwise.
#ifndef XLA_BASE_HUGE_PAGES_H_
#define XLA_BASE_HUGE_PAGES_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace xla {

// Asks for huge pages inside a block, if it is large. A hint, which the system may ignore.
inline void AdviseHugePages(void* block, size_t bytes) {
  constexpr size_t kHugePage = size_t{2} << 20;
  if (bytes < 4 * kHugePage) return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(block);
  const uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t last = (address + bytes) / kHugePage * kHugePage;
  (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace xla

#endif  // XLA_BASE_HUGE_PAGES_H_
