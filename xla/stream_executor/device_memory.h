// SPDX-License-Identifier: Apache-2.0
// The memory of a device, seen as an address and a number of bytes; not owned.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_MEMORY_H_
#define XLA_STREAM_EXECUTOR_DEVICE_MEMORY_H_

#include <cstdint>

namespace stream_executor {

class DeviceMemoryBase {
 public:
  explicit DeviceMemoryBase(void* opaque = nullptr, uint64_t size = 0)
      : opaque_(opaque), size_(size) {}

  bool is_null() const { return opaque_ == nullptr; }
  uint64_t size() const { return size_; }  // bytes
  // The devices are threads of the host: this is an address that the host may read.
  void* opaque() { return opaque_; }
  const void* opaque() const { return opaque_; }

  bool operator==(const DeviceMemoryBase& other) const {
    return opaque_ == other.opaque_ && size_ == other.size_;
  }

 private:
  void* opaque_;
  uint64_t size_;
};

// The later name.
using DeviceAddressBase = DeviceMemoryBase;

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_DEVICE_MEMORY_H_
