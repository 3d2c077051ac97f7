// SPDX-License-Identifier: Apache-2.0
// Where the memory of buffers comes from. Programs may bring their own.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_MEMORY_ALLOCATOR_H_
#define XLA_STREAM_EXECUTOR_DEVICE_MEMORY_ALLOCATOR_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/stream_executor/device_memory.h"
#include "xla/stream_executor/platform.h"

namespace stream_executor {

class DeviceMemoryAllocator;
class Stream;  // never made here; its pointers are null

// Owns memory of an allocator, which must outlive it.
class OwningDeviceMemory {
 public:
  OwningDeviceMemory() = default;
  OwningDeviceMemory(DeviceMemoryBase memory, int device_ordinal, DeviceMemoryAllocator* allocator)
      : memory_(memory), device_ordinal_(device_ordinal), allocator_(allocator) {}
  OwningDeviceMemory(OwningDeviceMemory&& other) noexcept { *this = std::move(other); }
  OwningDeviceMemory& operator=(OwningDeviceMemory&& other) noexcept;
  ~OwningDeviceMemory() { (void)Free(); }

  bool is_null() const { return memory_.is_null(); }
  int device_ordinal() const { return device_ordinal_; }
  DeviceMemoryAllocator* allocator() const { return allocator_; }
  const DeviceMemoryBase& cref() const { return memory_; }
  const DeviceMemoryBase& operator*() const { return memory_; }
  const DeviceMemoryBase* operator->() const { return &memory_; }

  // The memory, which is the caller's from now on.
  [[nodiscard]] DeviceMemoryBase Release() { return std::exchange(memory_, DeviceMemoryBase()); }
  absl::Status Free();

 private:
  DeviceMemoryBase memory_;
  int device_ordinal_ = -1;
  DeviceMemoryAllocator* allocator_ = nullptr;
};

// Thread-safe. Memory must be aligned to 64 bytes.
class DeviceMemoryAllocator {
 public:
  explicit DeviceMemoryAllocator(const Platform* platform) : platform_(platform) {}
  virtual ~DeviceMemoryAllocator() = default;

  // Null memory for 0 bytes. ResourceExhausted when there is none.
  virtual absl::StatusOr<OwningDeviceMemory> Allocate(int device_ordinal, uint64_t size,
                                                      bool retry_on_failure,
                                                      int64_t memory_space) = 0;
  absl::StatusOr<OwningDeviceMemory> Allocate(int device_ordinal, uint64_t size) {
    return Allocate(device_ordinal, size, /*retry_on_failure=*/true, /*memory_space=*/0);
  }
  absl::StatusOr<OwningDeviceMemory> Allocate(int device_ordinal, uint64_t size,
                                              bool retry_on_failure) {
    return Allocate(device_ordinal, size, retry_on_failure, /*memory_space=*/0);
  }
  // Null memory may be given back too.
  virtual absl::Status Deallocate(int device_ordinal, DeviceMemoryBase memory) = 0;

  const Platform* platform() const { return platform_; }
  virtual bool AllowsAsynchronousDeallocation() const { return false; }
  virtual absl::StatusOr<Stream*> GetStream(int device_ordinal);

 private:
  const Platform* platform_;
};

// The later name.
using DeviceAddressAllocator = DeviceMemoryAllocator;

// Memory of the host: blocks of xla/runtime/host_memory.h.
class HostMemoryAllocator : public DeviceMemoryAllocator {
 public:
  using DeviceMemoryAllocator::Allocate;
  using DeviceMemoryAllocator::DeviceMemoryAllocator;
  absl::StatusOr<OwningDeviceMemory> Allocate(int device_ordinal, uint64_t size,
                                              bool retry_on_failure, int64_t memory_space) override;
  absl::Status Deallocate(int device_ordinal, DeviceMemoryBase memory) override;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_DEVICE_MEMORY_ALLOCATOR_H_
