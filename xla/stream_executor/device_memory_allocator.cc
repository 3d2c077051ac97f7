// SPDX-License-Identifier: Apache-2.0
// Owned memory, and the allocator of host memory.
#include "xla/stream_executor/device_memory_allocator.h"

#include "absl/strings/str_cat.h"
#include "xla/runtime/host_memory.h"

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
  return absl::UnimplementedError(absl::StrCat(
      "device ", device_ordinal, " has no streams: it computes on threads of the host"));
}

absl::StatusOr<OwningDeviceMemory> HostMemoryAllocator::Allocate(int device_ordinal, uint64_t size,
                                                                 bool, int64_t) {
  void* memory = nullptr;
  if (size > 0) {
    memory = xla::runtime::AllocateHostMemory(size);
    if (memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for a buffer of ", size, " bytes"));
    }
  }
  return OwningDeviceMemory(DeviceMemoryBase(memory, size), device_ordinal, this);
}

absl::Status HostMemoryAllocator::Deallocate(int, DeviceMemoryBase memory) {
  xla::runtime::FreeHostMemory(memory.opaque());
  return absl::OkStatus();
}

}  // namespace stream_executor
