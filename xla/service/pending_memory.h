// SPDX-License-Identifier: Apache-2.0
// Memory that asynchronous runs are going to write or read, by address: what to wait for before it
// is read or freed.
#ifndef XLA_SERVICE_PENDING_MEMORY_H_
#define XLA_SERVICE_PENDING_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/runtime/event.h"
#include "xla/service/shaped_buffer.h"
#include "xla/stream_executor/device_memory_allocator.h"

namespace xla {

// Thread-safe.
class PendingMemory {
 public:
  // The run that `done` stands for writes to the memory of the buffer. When it has ended well it is
  // forgotten; its error stays until the memory is freed.
  void Writes(const ShapedBuffer& buffer, const runtime::Event& done);
  // It reads from the memory.
  void Reads(const ShapedBuffer& buffer, const runtime::Event& done);

  // The events of the runs that write to the buffer.
  std::vector<runtime::Event> WritersOf(const ShapedBuffer& buffer) const;
  // Waits until the contents are there; the error of the run that failed to make them.
  absl::Status AwaitContents(const ShapedBuffer& buffer) const;

  // Forgets the memory. The event is ready when no run uses it any more.
  runtime::Event Forget(const void* address);

  // No run is under way and none has failed: cheap.
  bool empty() const { return state_->size.load(std::memory_order_acquire) == 0; }

 private:
  struct Entry {
    int64_t id = 0;  // of the entry: the same address may come again
    runtime::Event written;
    bool has_writer = false;
    std::vector<runtime::Event> reads;
  };
  // Callbacks of events hold on to it.
  struct State {
    mutable std::mutex mutex;
    std::atomic<size_t> size{0};
    int64_t next_id = 1;
    absl::flat_hash_map<const void*, Entry> entries;

    Entry& EntryOf(const void* address);
    // Removes what has ended of the entry.
    void Prune(const void* address, int64_t id);
  };

  void Add(const ShapedBuffer& buffer, const runtime::Event& done, bool is_write);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Host memory that is freed when no asynchronous run uses it any more.
class LaunchOrderedAllocator : public se::HostMemoryAllocator {
 public:
  // `pending` must outlive the allocator.
  LaunchOrderedAllocator(const se::Platform* platform, PendingMemory* pending)
      : HostMemoryAllocator(platform), pending_(pending) {}
  bool AllowsAsynchronousDeallocation() const override { return true; }
  absl::Status Deallocate(int device_ordinal, se::DeviceMemoryBase memory) override;

 private:
  PendingMemory* const pending_;
};

}  // namespace xla

#endif  // XLA_SERVICE_PENDING_MEMORY_H_
