// SPDX-License-Identifier: Apache-2.0
// Memory of arrays, aligned to 64 bytes. Buffers of clients and values of the interpreter are
// blocks of this kind, so that either can take over memory from the other.
#ifndef XLA_RUNTIME_HOST_MEMORY_H_
#define XLA_RUNTIME_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace xla::runtime {

inline constexpr size_t kHostMemoryAlignment = 64;

// Null when there is none. Uninitialized.
void* AllocateHostMemory(size_t bytes);
// Null is allowed.
void FreeHostMemory(void* memory);

// Bytes that a block of malloc needs in front of aligned memory inside it.
inline constexpr size_t kHostMemoryPrefix = kHostMemoryAlignment + sizeof(void*);
// The first aligned address in `block`, which malloc returned, with at least `offset` bytes before
// it. Afterwards FreeHostMemory(address) frees the block.
void* PlaceHostMemory(void* block, size_t offset);

// At least so many bytes of working memory of the calling thread, aligned, until its next call;
// null when there are none. The memory is kept until the thread ends.
char* ThreadMemory(int64_t bytes);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_HOST_MEMORY_H_
