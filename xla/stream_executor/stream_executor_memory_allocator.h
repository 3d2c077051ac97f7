// SPDX-License-Identifier: Apache-2.0
// The allocator of a platform's devices: host memory.
#ifndef XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_MEMORY_ALLOCATOR_H_
#define XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_MEMORY_ALLOCATOR_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/stream_executor/device_memory_allocator.h"
#include "xla/stream_executor/stream_executor.h"

namespace stream_executor {

class StreamExecutorMemoryAllocator : public HostMemoryAllocator {
 public:
  explicit StreamExecutorMemoryAllocator(StreamExecutor* executor)
      : HostMemoryAllocator(executor->GetPlatform()), executors_({executor}) {}
  StreamExecutorMemoryAllocator(const Platform* platform,
                                absl::Span<StreamExecutor* const> executors)
      : HostMemoryAllocator(platform), executors_(executors.begin(), executors.end()) {}

  const std::vector<StreamExecutor*>& stream_executors() const { return executors_; }

 private:
  std::vector<StreamExecutor*> executors_;
};

using StreamExecutorAddressAllocator = StreamExecutorMemoryAllocator;
using ScopedDeviceMemoryBase = OwningDeviceMemory;

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_MEMORY_ALLOCATOR_H_
