// SPDX-License-Identifier: Apache-2.0
// Owned memory, and the allocator of host memory.
#include "xla/stream_executor/device_memory_allocator.h"

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace stream_executor {

OwningDeviceMemory& OwningDeviceMemory::operator=(OwningDeviceMemory&& other) noexcept {
  if (this == &other) return *this;
  (void)Free();
  memory_ = other.Release();
  device_ordinal_ = other.device_ordinal_;
  allocator_ = other.allocator_;
  return *this;
}

absl::Status OwningDeviceMemory::Free() {
  if (memory_.is_null() || allocator_ == nullptr) return absl::OkStatus();
  return allocator_->Deallocate(device_ordinal_, Release());
}

absl::StatusOr<Stream*> DeviceMemoryAllocator::GetStream(int device_ordinal) {
  return absl::UnimplementedError(
      absl::StrCat("device ", device_ordinal, " has no streams: it is a thread of the host"));
}

absl::StatusOr<OwningDeviceMemory> HostMemoryAllocator::Allocate(int device_ordinal, uint64_t size,
                                                                 bool, int64_t) {
  constexpr uint64_t kAlignment = 64;
  void* memory = nullptr;
  if (size > 0) {
    if (size <= SIZE_MAX / 2) {
      memory = std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
    }
    if (memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for a buffer of ", size, " bytes"));
    }
  }
  return OwningDeviceMemory(DeviceMemoryBase(memory, size), device_ordinal, this);
}

absl::Status HostMemoryAllocator::Deallocate(int, DeviceMemoryBase memory) {
  std::free(memory.opaque());
  return absl::OkStatus();
}

}  // namespace stream_executor
