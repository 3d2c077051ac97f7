// SPDX-License-Identifier: Apache-2.0
// Aligned memory out of malloc, which reuses a freed block for a request of the same size; glibc's
// aligned_alloc asks for more than the block it freed and grows the heap each time.
#include "xla/runtime/host_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "xla/base/huge_pages.h"

namespace xla::runtime {

void* PlaceHostMemory(void* block, size_t offset) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(block) + offset + sizeof(block);
  const uintptr_t aligned =
      (first + kHostMemoryAlignment - 1) / kHostMemoryAlignment * kHostMemoryAlignment;
  auto* memory = static_cast<char*>(block) + (aligned - reinterpret_cast<uintptr_t>(block));
  // The address of the block precedes the memory.
  std::memcpy(memory - sizeof(block), &block, sizeof(block));
  return memory;
}

namespace {

// Blocks that were freed, for the next request of about the same size: fresh pages cost more than
// most kernels, and malloc returns the pages of results that a run freed together. Bounded; the
// oldest go first. Small blocks are left to malloc, which keeps them.
class FreedBlocks {
 public:
  // A block of at least this many bytes; null if there is none.
  void* Take(size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = count_; i-- > 0;) {
      if (entries_[i].bytes < bytes || entries_[i].bytes - bytes > bytes / 4) continue;
      void* const block = entries_[i].block;
      Remove(i);
      return block;
    }
    return nullptr;
  }

  // False if the block is not kept.
  bool Give(void* block) {
    const size_t bytes = malloc_usable_size(block);
    if (bytes < kLeastBytes || bytes > kMostBytes / 2) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    while (count_ == kMostBlocks || (count_ > 0 && total_ + bytes > kMostBytes)) {
      std::free(entries_[0].block);
      Remove(0);
    }
    entries_[count_++] = {block, bytes};
    total_ += bytes;
    return true;
  }

  static constexpr size_t kLeastBytes = size_t{32} << 10;

 private:
  struct Entry {
    void* block;
    size_t bytes;
  };
  static constexpr size_t kMostBytes = size_t{256} << 20;
  static constexpr size_t kMostBlocks = 512;

  void Remove(size_t i) {
    total_ -= entries_[i].bytes;
    std::copy(entries_ + i + 1, entries_ + count_, entries_ + i);
    --count_;
  }

  std::mutex mutex_;
  size_t count_ = 0, total_ = 0;
  Entry entries_[kMostBlocks];
};

#if defined(__SANITIZE_ADDRESS__) || defined(XYLEM_THREAD_SANITIZER)
constexpr bool kKeepsBlocks = false;  // so that uses after free are found
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif
#else
constexpr bool kKeepsBlocks = true;
#endif

// Part of the allocator, as malloc's own lists are.
FreedBlocks& Freed() {
  static FreedBlocks* const blocks = new FreedBlocks();
  return *blocks;
}

}  // namespace

void* AllocateHostMemory(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  const size_t needed = bytes + kHostMemoryPrefix;
  void* block = nullptr;
  if (kKeepsBlocks && needed >= FreedBlocks::kLeastBytes) block = Freed().Take(needed);
  if (block == nullptr) {
    block = std::malloc(needed);
    if (block == nullptr) return nullptr;
    AdviseHugePages(block, needed);
  }
  return PlaceHostMemory(block, 0);
}

void FreeHostMemory(void* memory) {
  if (memory == nullptr) return;
  void* block;
  std::memcpy(&block, static_cast<char*>(memory) - sizeof(block), sizeof(block));
  if (!kKeepsBlocks || !Freed().Give(block)) std::free(block);
}

char* ThreadMemory(int64_t bytes) {
  struct Block {
    void* memory = nullptr;
    int64_t bytes = 0;
    ~Block() { FreeHostMemory(memory); }
  };
  thread_local Block block;
  if (block.bytes < bytes) {
    FreeHostMemory(block.memory);
    block.bytes = 0;
    block.memory = AllocateHostMemory(static_cast<size_t>(bytes));
    if (block.memory != nullptr) block.bytes = bytes;
  }
  return static_cast<char*>(block.memory);
}

}  // namespace xla::runtime
