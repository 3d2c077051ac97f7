// SPDX-License-Identifier: Apache-2.0
// Memory of buffers: allocated, copied, shared.
#include "xla/pjrt/buffer_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/pjrt/types.h"
#include "xla/primitive_util.h"
#include "xla/runtime/packed_elements.h"
#include "xla/shape_util.h"
#include "xla/stream_executor/device_memory_allocator.h"
#include "xla/strided_copy.h"

namespace xla::pjrt {

using runtime::ArrayMemory;
using runtime::DeviceBuffer;

absl::StatusOr<PJRT_Memory*> MemoryOf(const ClientState& client, PJRT_Memory* memory,
                                      PJRT_Device* device) {
  if (memory == nullptr && device == nullptr) {
    return absl::InvalidArgumentError("neither a memory nor a device was passed");
  }
  // Compares addresses: memories of a client that was destroyed must not be dereferenced.
  const auto is_of = [](const auto& list, const auto* one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  if (memory != nullptr ? !is_of(client.memory_pointers, memory)
                        : !is_of(client.device_pointers, device)) {
    return absl::InvalidArgumentError("the memory or device belongs to another client");
  }
  if (memory == nullptr && device->memories.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(device->description->to_string, " belongs to process ",
                     device->description->process_index, ", which must make its own buffers"));
  }
  return memory != nullptr ? memory : device->memories.front();
}

absl::StatusOr<std::shared_ptr<ArrayMemory>> Allocate(const ClientState& client, int device_ordinal,
                                                      const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(shape));
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

absl::StatusOr<absl::InlinedVector<int64_t, 6>> ElementStridesOf(const Shape& array,
                                                                 ByteStrides byte_strides) {
  const int64_t width = primitive_util::ByteWidth(array.element_type());
  if (static_cast<int64_t>(byte_strides.size()) != array.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat(byte_strides.size(), " strides for ", array.ToString()));
  }
  absl::InlinedVector<int64_t, 6> strides;
  for (const int64_t stride : byte_strides) {
    if (stride % width != 0) {
      return absl::InvalidArgumentError(absl::StrCat("a stride of ", stride, " bytes for ",
                                                     array.ToString(), ", of ", width,
                                                     " bytes an element"));
    }
    strides.push_back(stride / width);
  }
  return strides;
}

void CopyFromHost(const void* source, absl::Span<const int64_t> strides, const Shape& array,
                  void* memory) {
  const PrimitiveType type = array.element_type();
  const int64_t width = primitive_util::ByteWidth(type);
  if (runtime::PackedBits(type) == 0) {
    StridedCopy(width, array.dimensions(), memory, ElementStrides(array), source, strides);
    NormalizeSubByteElements(type, memory, ShapeUtil::ElementsIn(array));
    return;
  }
  std::vector<uint8_t> elements(static_cast<size_t>(ShapeUtil::ElementsIn(array)));
  StridedCopy(width, array.dimensions(), elements.data(), ElementStrides(array), source, strides);
  Shape is_static = array;
  is_static.clear_dynamic_dimensions();
  runtime::PackArray(is_static, elements.data(), memory);
}

void CopyToHost(const Shape& array, const void* memory, void* destination,
                absl::Span<const int64_t> strides) {
  const PrimitiveType type = array.element_type();
  std::vector<uint8_t> elements;
  if (runtime::PackedBits(type) != 0) {
    elements.resize(static_cast<size_t>(ShapeUtil::ElementsIn(array)));
    runtime::UnpackForHost(type, memory, elements.data(), ShapeUtil::ElementsIn(array));
    memory = elements.data();
  }
  StridedCopy(primitive_util::ByteWidth(type), array.dimensions(), destination, strides, memory,
              ElementStrides(array));
}

}  // namespace xla::pjrt
