// SPDX-License-Identifier: Apache-2.0
// Creates buffers: from host memory, over external memory, or uninitialized.
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/pjrt/buffer_memory.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/types.h"
#include "xla/primitive_util.h"
#include "xla/runtime/host_memory.h"
#include "xla/runtime/packed_elements.h"
#include "xla/shape_util.h"

using xla::runtime::ArrayMemory;
using xla::runtime::DeviceBuffer;

struct PJRT_FulfillAliasBufferCallback {
  std::shared_ptr<DeviceBuffer> buffer;
  xla::runtime::EventSource ready;
};

namespace xla::pjrt {
namespace {

// The alignment of memory that programs may view: at least that of any element type, which kernels
// rely on. XLA requires 64 bytes; arrays of NumPy have 16.
constexpr uintptr_t kViewAlignment = 16;

// Whether the strides describe memory with the layout of `shape`.
bool IsLaidOutAs(const Shape& shape, absl::Span<const int64_t> byte_strides) {
  if (byte_strides.empty()) return LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
  const int64_t width = primitive_util::ByteWidth(shape.element_type());
  const auto strides = ElementStrides(shape);
  for (size_t d = 0; d < strides.size(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) > 1 && byte_strides[d] != strides[d] * width) {
      return false;
    }
  }
  return true;
}

bool MayShare(PJRT_HostBufferSemantics semantics) {
  return semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
         semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
}

}  // namespace

namespace api {

absl::Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  const ClientPointer& client = args.client->state;
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory, MemoryOf(*client, args.memory, args.device));
  XLA_ASSIGN_OR_RETURN(Shape shape,
                       ShapeOf(args.type, args.dims, args.num_dims, args.device_layout));
  if (!shape.IsArray())
    return absl::InvalidArgumentError("cannot create a token buffer from host memory");
  if (args.num_byte_strides != 0 && args.num_byte_strides != args.num_dims) {
    return absl::InvalidArgumentError(
        absl::StrCat(args.num_byte_strides, " strides for ", args.num_dims, " dimensions"));
  }
  const absl::Span<const int64_t> strides(args.byte_strides,
                                          args.byte_strides == nullptr ? 0 : args.num_byte_strides);
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(shape));
  if (bytes > 0) XLA_RETURN_IF_ERROR(Require({{"data", args.data}}));
  const int ordinal = memory->device->ordinal;
  const bool is_same_layout = IsLaidOutAs(shape, strides);
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(args.data) % runtime::kHostMemoryAlignment == 0;
  if (bytes > 0 && is_same_layout && is_aligned && MayShare(args.host_buffer_semantics) &&
      !primitive_util::IsSubByteNonPredType(shape.element_type())) {
    auto done = std::make_shared<runtime::EventSource>();
    args.done_with_host_buffer = new PJRT_Event(done->event());
    args.buffer = new PJRT_Buffer(
        client, memory,
        DeviceBuffer::OnHostMemory(
            std::move(shape), ordinal, args.data, bytes,
            [done = std::move(done)] { done->Set(absl::OkStatus()); },
            args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy));
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<ArrayMemory> copy, Allocate(*client, ordinal, shape));
  if (bytes > 0 && strides.empty()) {
    const Shape row_major =
        ShapeUtil::MakeShapeWithDescendingLayout(shape.element_type(), shape.dimensions());
    CopyFromHost(args.data, ElementStrides(row_major), shape, copy->data());
  } else if (bytes > 0) {
    XLA_ASSIGN_OR_RETURN(const auto element_strides, ElementStridesOf(shape, strides));
    CopyFromHost(args.data, element_strides, shape, copy->data());
  }
  auto buffer = DeviceBuffer::Pending(std::move(shape), ordinal, runtime::Event());
  buffer->Define(std::move(copy));
  args.done_with_host_buffer = new PJRT_Event(runtime::Event());
  args.buffer = new PJRT_Buffer(client, memory, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  const ClientPointer& client = args.client->state;
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory, MemoryOf(*client, args.memory, args.device));
  XLA_ASSIGN_OR_RETURN(Shape shape,
                       ShapeOf(args.element_type, args.dims, args.num_dims, args.layout));
  if (!shape.IsArray()) return absl::InvalidArgumentError("cannot create a view of a token");
  XLA_ASSIGN_OR_RETURN(const int64_t bytes, runtime::PackedArrayBytes(shape));
  if (bytes > 0) {
    XLA_RETURN_IF_ERROR(Require({{"device_buffer_ptr", args.device_buffer_ptr}}));
    // XLA's code and message, by which jaxlib's reader of DLPack recognizes that it has to copy.
    const auto address = reinterpret_cast<uintptr_t>(args.device_buffer_ptr);
    if (address % kViewAlignment != 0) {
      return absl::InvalidArgumentError(
          absl::StrFormat("Can't create a view of buffer with unaligned data, ptr: %#x is not "
                          "aligned to %d bytes. ",
                          address, kViewAlignment));
    }
  }
  absl::AnyInvocable<void()> release;
  if (args.on_delete_callback != nullptr) {
    release = [callback = args.on_delete_callback, data = args.device_buffer_ptr,
               user_arg = args.on_delete_callback_arg] { callback(data, user_arg); };
  }
  const int ordinal = memory->device->ordinal;
  if (bytes > 0 && primitive_util::IsSubByteNonPredType(shape.element_type()) &&
      runtime::PackedBits(shape.element_type()) == 0) {
    // Makes a copy, whose elements have the padding bits that programs expect.
    XLA_ASSIGN_OR_RETURN(std::shared_ptr<ArrayMemory> copy, Allocate(*client, ordinal, shape));
    std::memcpy(copy->data(), args.device_buffer_ptr, static_cast<size_t>(bytes));
    NormalizeSubByteElements(shape.element_type(), copy->data(), bytes);
    auto buffer = DeviceBuffer::Pending(std::move(shape), ordinal, runtime::Event());
    buffer->Define(std::move(copy));
    args.buffer = new PJRT_Buffer(client, memory, std::move(buffer));
    if (release) release();
    return absl::OkStatus();
  }
  args.buffer =
      new PJRT_Buffer(client, memory,
                      DeviceBuffer::OnHostMemory(std::move(shape), ordinal, args.device_buffer_ptr,
                                                 bytes, std::move(release)));
  return absl::OkStatus();
}

absl::Status Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  const ClientPointer& client = args.client->state;
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory, MemoryOf(*client, args.memory, args.device));
  XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.shape_element_type, args.shape_dims,
                                            args.shape_num_dims, args.shape_layout));
  const int ordinal = memory->device->ordinal;
  XLA_ASSIGN_OR_RETURN(std::shared_ptr<ArrayMemory> contents, Allocate(*client, ordinal, shape));
  auto buffer = DeviceBuffer::Pending(std::move(shape), ordinal, runtime::Event());
  buffer->Define(std::move(contents));
  args.buffer = new PJRT_Buffer(client, memory, std::move(buffer));
  return absl::OkStatus();
}

absl::Status Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory, MemoryOf(*args.client->state, args.memory, nullptr));
  XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.shape_element_type, args.shape_dims,
                                            args.shape_num_dims, args.shape_layout));
  if (args.error_code == PJRT_Error_Code_OK) {
    return absl::InvalidArgumentError("cannot create an error buffer with status OK");
  }
  const absl::Status error = StatusOf(args.error_code, args.error_message, args.error_message_size);
  args.buffer = new PJRT_Buffer(
      args.client->state, memory,
      DeviceBuffer::Pending(std::move(shape), memory->device->ordinal, runtime::Event(error)));
  return absl::OkStatus();
}

absl::Status Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  XLA_ASSIGN_OR_RETURN(PJRT_Memory * memory, MemoryOf(*args.client->state, args.memory, nullptr));
  XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.shape_element_type, args.shape_dims,
                                            args.shape_num_dims, args.shape_layout));
  auto promise = std::make_unique<PJRT_FulfillAliasBufferCallback>();
  promise->buffer =
      DeviceBuffer::Pending(std::move(shape), memory->device->ordinal, promise->ready.event());
  args.alias_buffer = new PJRT_Buffer(args.client->state, memory, promise->buffer);
  args.fulfill_alias_buffer_cb = promise.release();
  return absl::OkStatus();
}

absl::Status Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args& args) {
  XLA_RETURN_IF_ERROR(Require(
      {{"client", args.client}, {"fulfill_alias_buffer_cb", args.fulfill_alias_buffer_cb}}));
  const std::shared_ptr<PJRT_FulfillAliasBufferCallback> promise(args.fulfill_alias_buffer_cb);
  absl::Status status = StatusOf(args.status_code, args.error_message, args.error_message_size);
  if (status.ok() && args.buffer == nullptr) {
    status = absl::InvalidArgumentError("neither a buffer nor an error was passed");
  }
  std::shared_ptr<DeviceBuffer> view;
  if (status.ok()) {
    const Shape& shape = promise->buffer->shape();
    if (args.buffer->buffer->shape() != shape) {
      status = absl::InvalidArgumentError(
          absl::StrCat("a buffer of ", args.buffer->buffer->shape().ToString(/*print_layout=*/true),
                       " for one of ", shape.ToString(/*print_layout=*/true)));
    } else {
      auto made = ViewBuffer(args.buffer->buffer, shape, promise->buffer->device_ordinal());
      status = made.status();
      if (made.ok()) view = *std::move(made);
    }
  }
  if (!status.ok()) {
    promise->ready.Set(status);
    return status;
  }
  view->ready().OnReady([promise, view](const absl::Status& end) {
    absl::Status result = end;
    if (result.ok()) {
      auto use = view->Acquire();
      result = use.status();
      if (use.ok()) promise->buffer->Define(use->memory());
    }
    promise->ready.Set(result);
  });
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
