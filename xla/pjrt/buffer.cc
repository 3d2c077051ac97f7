// SPDX-License-Identifier: Apache-2.0
// Buffers: their properties, and references to their memory.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/buffer_memory.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/python.h"
#include "xla/pjrt/types.h"
#include "xla/runtime/packed_elements.h"

using xla::runtime::DeviceBuffer;

PJRT_Buffer::PJRT_Buffer(xla::pjrt::ClientPointer client, PJRT_Memory* memory,
                         std::shared_ptr<DeviceBuffer> buffer)
    : client(std::move(client)), memory(memory), buffer(std::move(buffer)), is_counted(true) {
  const xla::Shape& shape = this->buffer->shape();
  counted_bytes = shape.IsArray() ? xla::runtime::PackedArrayBytes(shape).value_or(0) : 0;
  memory->device->memory_count.Add(counted_bytes);
}

PJRT_Buffer::~PJRT_Buffer() { Delete(); }

void PJRT_Buffer::Delete() {
  buffer->Delete();
  if (is_counted.exchange(false)) memory->device->memory_count.Remove(counted_bytes);
}

namespace xla::pjrt {
namespace {

// Waits for the buffer and returns the address of its elements.
absl::StatusOr<void*> AwaitAddress(const std::shared_ptr<DeviceBuffer>& buffer) {
  XLA_ASSIGN_OR_RETURN(const DeviceBuffer::Use use, buffer->Acquire());
  XLA_RETURN_IF_ERROR(AwaitUnlessSignaled(buffer->ready()));
  return use.memory()->data();
}

}  // namespace

namespace api {

absl::Status Buffer_Destroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return absl::OkStatus();
}

absl::Status Buffer_ElementType(PJRT_Buffer_ElementType_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.type = ToBufferType(args.buffer->buffer->shape().element_type());
  return absl::OkStatus();
}

absl::Status Buffer_Dimensions(PJRT_Buffer_Dimensions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  const absl::Span<const int64_t> dimensions = args.buffer->buffer->shape().dimensions();
  args.dims = dimensions.data();
  args.num_dims = dimensions.size();
  return absl::OkStatus();
}

absl::Status Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  const absl::Span<const int64_t> dimensions = args.buffer->buffer->shape().dimensions();
  args.unpadded_dims = dimensions.data();
  args.num_dims = dimensions.size();
  return absl::OkStatus();
}

absl::Status Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  const Shape& shape = args.buffer->buffer->shape();
  const std::lock_guard<std::mutex> lock(args.buffer->mutex);
  std::vector<size_t>& dynamic = args.buffer->dynamic_dimensions;
  for (int i = 0; dynamic.empty() && i < shape.rank(); ++i) {
    if (shape.is_dynamic_dimension(i)) dynamic.push_back(static_cast<size_t>(i));
  }
  args.dynamic_dim_indices = dynamic.data();
  args.num_dynamic_dims = dynamic.size();
  return absl::OkStatus();
}

absl::Status Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  const Shape& shape = args.buffer->buffer->shape();
  const std::lock_guard<std::mutex> lock(args.buffer->mutex);
  std::vector<int64_t>& order = args.buffer->minor_to_major;
  for (int i = static_cast<int>(order.size()); i < shape.rank(); ++i) {
    order.push_back(shape.has_layout() ? shape.layout().minor_to_major(i) : shape.rank() - 1 - i);
  }
  args.layout = {};
  args.layout.struct_size = sizeof(PJRT_Buffer_MemoryLayout);
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = sizeof(PJRT_Buffer_MemoryLayout_Tiled);
  args.layout.tiled.minor_to_major = order.data();
  args.layout.tiled.minor_to_major_size = order.size();
  return absl::OkStatus();
}

absl::Status Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->counted_bytes);
  return absl::OkStatus();
}

absl::Status Buffer_Device(PJRT_Buffer_Device_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.device = args.buffer->memory->device;
  return absl::OkStatus();
}

absl::Status Buffer_Memory(PJRT_Buffer_Memory_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.memory = args.buffer->memory;
  return absl::OkStatus();
}

absl::Status Buffer_Delete(PJRT_Buffer_Delete_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.buffer->Delete();
  return absl::OkStatus();
}

absl::Status Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.is_deleted = args.buffer->buffer->IsDeleted();
  return absl::OkStatus();
}

absl::Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.is_on_cpu = true;
  return absl::OkStatus();
}

absl::Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  args.event = new PJRT_Event(args.buffer->buffer->ready());
  return absl::OkStatus();
}

absl::Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  XLA_ASSIGN_OR_RETURN(const void* address, AwaitAddress(args.buffer->buffer));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(address);
  return absl::OkStatus();
}

absl::Status Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  // A buffer that was deleted after the reference was taken still has its address.
  std::shared_ptr<runtime::ArrayMemory> held;
  {
    const std::lock_guard<std::mutex> lock(args.buffer->mutex);
    if (!args.buffer->external.empty() && args.buffer->buffer->ready().IsReady() &&
        args.buffer->buffer->ready().status().ok()) {
      held = args.buffer->external.back().memory();
    }
  }
  if (held != nullptr) {
    args.device_memory_ptr = held->data();
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(args.device_memory_ptr, AwaitAddress(args.buffer->buffer));
  return absl::OkStatus();
}

absl::Status Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  XLA_ASSIGN_OR_RETURN(DeviceBuffer::Use use, args.buffer->buffer->AcquireLasting());
  // JAX waits for this next, without handling signals.
  const runtime::Event& ready = args.buffer->buffer->ready();
  if (args.buffer->is_result && !ready.IsReady() && PythonSignals().is_main_thread()) {
    const absl::Status status = AwaitUnlessSignaled(ready);
    if (!ready.IsReady()) return status;
  }
  const std::lock_guard<std::mutex> lock(args.buffer->mutex);
  args.buffer->external.push_back(std::move(use));
  return absl::OkStatus();
}

absl::Status Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  DeviceBuffer::Use ended;  // ends without the lock
  const std::lock_guard<std::mutex> lock(args.buffer->mutex);
  if (args.buffer->external.empty()) {
    return absl::FailedPreconditionError("the buffer has no external references");
  }
  ended = std::move(args.buffer->external.back());
  args.buffer->external.pop_back();
  return absl::OkStatus();
}

absl::Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}, {"dst_device", args.dst_device}}));
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory,
                       MemoryOf(*args.buffer->client, nullptr, args.dst_device));
  XLA_ASSIGN_OR_RETURN(
      std::shared_ptr<DeviceBuffer> copy,
      CopyBuffer(args.buffer->client, args.buffer->buffer, memory->device->ordinal));
  args.dst_buffer = new PJRT_Buffer(args.buffer->client, memory, std::move(copy));
  return absl::OkStatus();
}

absl::Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}, {"dst_memory", args.dst_memory}}));
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory,
                       MemoryOf(*args.buffer->client, args.dst_memory, nullptr));
  XLA_ASSIGN_OR_RETURN(
      std::shared_ptr<DeviceBuffer> copy,
      CopyBuffer(args.buffer->client, args.buffer->buffer, memory->device->ordinal));
  args.dst_buffer = new PJRT_Buffer(args.buffer->client, memory, std::move(copy));
  return absl::OkStatus();
}

absl::Status Buffer_Bitcast(PJRT_Buffer_Bitcast_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"buffer", args.buffer}}));
  XLA_ASSIGN_OR_RETURN(Shape shape,
                       ShapeOf(args.element_type, args.dims, args.num_dims, args.device_layout));
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(shape));
  if (bytes != args.buffer->counted_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a bitcast of ", args.buffer->buffer->shape().ToString(), " (", args.buffer->counted_bytes,
        " bytes) to ", shape.ToString(), " (", bytes, " bytes)"));
  }
  PJRT_Memory* memory = args.buffer->memory;
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<DeviceBuffer> view,
                       ViewBuffer(args.buffer->buffer, std::move(shape), memory->device->ordinal));
  args.out_buffer = new PJRT_Buffer(args.buffer->client, memory, std::move(view));
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
