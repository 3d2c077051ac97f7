// SPDX-License-Identifier: Apache-2.0
// Memory of buffers: allocated, copied, shared.
#include "xla/pjrt/buffer_memory.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/types.h"
#include "xla/primitive_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/stream_executor/device_memory_allocator.h"
#include "xla/strided_copy.h"

namespace xla::pjrt {

using runtime::ArrayMemory;
using runtime::DeviceBuffer;

absl::StatusOr<PJRT_Memory*> MemoryOf(const ClientState& client, PJRT_Memory* memory,
                                      PJRT_Device* device) {
  if (memory == nullptr && device == nullptr) {
    return absl::InvalidArgumentError("neither a memory nor a device is given");
  }
  if (memory == nullptr) memory = device->memories.front();
  if (memory->device->client != &client) {
    return absl::InvalidArgumentError("the memory or device belongs to another client");
  }
  return memory;
}

absl::StatusOr<std::shared_ptr<ArrayMemory>> Allocate(const ClientState& client, int device_ordinal,
                                                      const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::ArrayBytes(shape));
  XLA_ASSIGN_OR_RETURN(
      stream_executor::OwningDeviceMemory memory,
      client.backend->memory_allocator()->Allocate(device_ordinal, static_cast<uint64_t>(bytes)));
  return std::make_shared<ArrayMemory>(std::move(memory));
}

absl::StatusOr<std::shared_ptr<DeviceBuffer>> Derive(const std::shared_ptr<DeviceBuffer>& source,
                                                     Shape shape, int device_ordinal,
                                                     MakeMemory make) {
  struct Flight {
    DeviceBuffer::Use use;
    MakeMemory make;
    runtime::EventSource done;
    std::shared_ptr<DeviceBuffer> result;
  };
  auto flight = std::make_shared<Flight>();
  XLA_ASSIGN_OR_RETURN(flight->use, source->Acquire());
  flight->make = std::move(make);
  flight->result = DeviceBuffer::Pending(std::move(shape), device_ordinal, flight->done.event());
  std::shared_ptr<DeviceBuffer> result = flight->result;
  source->ready().OnReady([flight = std::move(flight)](const absl::Status& status) {
    absl::Status end = status;
    if (end.ok()) {
      auto memory = flight->make(flight->use);
      if (memory.ok()) {
        flight->result->Define(*std::move(memory));
      } else {
        end = memory.status();
      }
    }
    flight->use = DeviceBuffer::Use();
    flight->done.Set(end);
  });
  return result;
}

absl::StatusOr<std::shared_ptr<DeviceBuffer>> CopyBuffer(
    const ClientPointer& client, const std::shared_ptr<DeviceBuffer>& source, int device_ordinal) {
  const Shape shape = source->shape();
  return Derive(source, shape, device_ordinal,
                [client, shape, device_ordinal](
                    const DeviceBuffer::Use& use) -> absl::StatusOr<std::shared_ptr<ArrayMemory>> {
                  XLA_ASSIGN_OR_RETURN(std::shared_ptr<ArrayMemory> copy,
                                       Allocate(*client, device_ordinal, shape));
                  if (copy->size_bytes() > 0) {
                    std::memcpy(copy->data(), use.data(), static_cast<size_t>(copy->size_bytes()));
                  }
                  return copy;
                });
}

absl::StatusOr<std::shared_ptr<DeviceBuffer>> ViewBuffer(
    const std::shared_ptr<DeviceBuffer>& source, Shape shape, int device_ordinal) {
  // The use is held by the memory of the view.
  XLA_ASSIGN_OR_RETURN(DeviceBuffer::Use held, source->AcquireLasting());
  return Derive(source, std::move(shape), device_ordinal,
                [held = std::make_shared<DeviceBuffer::Use>(std::move(held))](
                    const DeviceBuffer::Use& use) -> absl::StatusOr<std::shared_ptr<ArrayMemory>> {
                  const std::shared_ptr<ArrayMemory> memory = use.memory();
                  return std::make_shared<ArrayMemory>(memory->data(), memory->size_bytes(),
                                                       [held] {});
                });
}

absl::Status CopyFromByteStrides(const Shape& to, void* destination, const void* source,
                                 absl::Span<const int64_t> byte_strides) {
  const int64_t width = primitive_util::ByteWidth(to.element_type());
  absl::InlinedVector<int64_t, 6> strides;
  for (const int64_t stride : byte_strides) {
    if (stride % width != 0) {
      return absl::InvalidArgumentError(absl::StrCat("a stride of ", stride, " bytes for ",
                                                     to.ToString(), ", of ", width,
                                                     " bytes an element"));
    }
    strides.push_back(stride / width);
  }
  StridedCopy(width, to.dimensions(), destination, ElementStrides(to), source, strides);
  return absl::OkStatus();
}

void CopyBetweenLayouts(const Shape& from, const void* source, const Shape& to, void* destination) {
  StridedCopy(primitive_util::ByteWidth(to.element_type()), to.dimensions(), destination,
              ElementStrides(to), source, ElementStrides(from));
}

}  // namespace xla::pjrt
