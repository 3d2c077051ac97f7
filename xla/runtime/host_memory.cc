// SPDX-License-Identifier: Apache-2.0
// Aligned memory out of malloc, which reuses a freed block for a request of the same size; glibc's
// aligned_alloc asks for more than the block it freed and grows the heap each time.
#include "xla/runtime/host_memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

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

void* AllocateHostMemory(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  void* block = std::malloc(bytes + kHostMemoryPrefix);
  return block == nullptr ? nullptr : PlaceHostMemory(block, 0);
}

void FreeHostMemory(void* memory) {
  if (memory == nullptr) return;
  void* block;
  std::memcpy(&block, static_cast<char*>(memory) - sizeof(block), sizeof(block));
  std::free(block);
}

}  // namespace xla::runtime
