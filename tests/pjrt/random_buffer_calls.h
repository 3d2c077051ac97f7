// SPDX-License-Identifier: Apache-2.0
// Random calls that make, read, copy and delete buffers. Part of random_calls.h.
#ifndef TESTS_PJRT_RANDOM_BUFFER_CALLS_H_
#define TESTS_PJRT_RANDOM_BUFFER_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/pjrt/random_objects.h"

namespace xla::pjrt::testing {

class RandomBufferCalls : protected RandomObjects {
 protected:
  using RandomObjects::RandomObjects;

  // Memory of the caller.
  std::unique_ptr<Bytes> Memory(size_t bytes) {
    auto memory = std::make_unique<Bytes>(bytes);
    uint8_t seed = Next();
    for (uint8_t& byte : *memory) byte = seed = static_cast<uint8_t>(seed * 5 + 3);
    return memory;
  }
  // Keeps it for as long as the plugin may use it, and no longer.
  void FreeWhenReady(PJRT_Event* event, std::unique_ptr<Bytes> memory) {
    PJRT_Event_OnReady_Args args = {};
    args.struct_size = sizeof(args);
    args.event = event;
    args.user_arg = memory.release();
    args.callback = [](PJRT_Error* error, void* bytes) {
      DestroyError(error);
      delete static_cast<Bytes*>(bytes);
    };
    if (!Ok(Api().PJRT_Event_OnReady(&args))) Find("an event takes no callback");
  }

  static size_t BitsOf(PJRT_Buffer_Type type) {
    switch (type) {
      case PJRT_Buffer_Type_F32:
        return 32;
      case PJRT_Buffer_Type_U64:
        return 64;
      case PJRT_Buffer_Type_C128:
        return 128;
      default:
        return 8;
    }
  }
  // Bytes of a small array; 0 for absurd ones, which must be refused before data is read.
  static size_t BytesOf(const RandomShape& shape) {
    size_t bytes = BitsOf(shape.type) / 8;
    if (shape.type > PJRT_Buffer_Type_F8E3M4) bytes = 16;
    if (shape.type == PJRT_Buffer_Type_C64 || shape.type == PJRT_Buffer_Type_S64 ||
        shape.type == PJRT_Buffer_Type_F64) {
      bytes = 8;
    } else if (BitsOf(shape.type) == 8) {
      bytes = 4;
    }
    for (const int64_t d : shape.dims) {
      if (d < 0 || d > 16) return 0;
      bytes *= static_cast<size_t>(d);
    }
    return bytes;
  }
  static bool IsAbsurd(const RandomShape& shape) {
    for (const int64_t d : shape.dims) {
      if (d < 0 || d > 16) return true;
    }
    return false;
  }
  // The same bytes are in the caller's array and in the buffer, whole elements in row-major order.
  static bool HasPlainBytes(const RandomShape& shape) {
    return !shape.has_layout &&
           (shape.type == PJRT_Buffer_Type_F32 || shape.type == PJRT_Buffer_Type_U64 ||
            shape.type == PJRT_Buffer_Type_C128);
  }

  void FromHost() {
    RandomShape shape = AnyShape();
    auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
    // Where absurd sizes are given, nothing may be read.
    std::unique_ptr<Bytes> memory = Memory(BytesOf(shape) + 64);
    std::vector<int64_t> strides;
    const size_t skew = OneIn(2) ? 0 : Next() % 16;
    const auto start = reinterpret_cast<uintptr_t>(memory->data());
    args.client = OneIn(32) ? nullptr : SharedClient();
    args.data = OneIn(32) ? nullptr : memory->data() + (OneIn(2) ? 63 - (start + 63) % 64 : skew);
    if (IsAbsurd(shape)) args.data = nullptr;
    args.type = shape.type;
    args.dims = shape.dims.data();
    args.num_dims = shape.dims.size();
    if (OneIn(4) && shape.type == PJRT_Buffer_Type_F32) {
      strides = Strides(shape);
      for (const int64_t stride : strides) {
        if (stride < 0 || stride > 4096) strides.clear();
        if (strides.empty()) break;
      }
      // A stride that was drawn may lead beyond the array: only those of the array are used.
      size_t last = 4;
      for (size_t i = 0; i < strides.size(); ++i) {
        if (shape.dims[i] > 0)
          last += static_cast<size_t>(strides[i]) * static_cast<size_t>(shape.dims[i] - 1);
      }
      if (last > BytesOf(shape)) strides.clear();
      args.byte_strides = strides.empty() ? nullptr : strides.data();
      args.num_byte_strides = strides.size();
    }
    args.host_buffer_semantics = static_cast<PJRT_HostBufferSemantics>(Next() % 5);
    args.device = AnyDevice();
    args.memory = AnyMemory();
    args.device_layout = shape.layout_or_null();
    if (!Ok(Api().PJRT_Client_BufferFromHostBuffer(&args))) return;
    Keep(args.buffer);
    if (HasPlainBytes(shape) && strides.empty()) {
      const auto* const data = static_cast<const uint8_t*>(args.data);
      buffers_.back().is_known = true;
      if (BytesOf(shape) > 0) buffers_.back().bytes.assign(data, data + BytesOf(shape));
    }
    if (args.host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableOnlyDuringCall) {
      FreeWhenReady(args.done_with_host_buffer, std::move(memory));
    }
    Keep(args.done_with_host_buffer);
  }

  void View() {
    RandomShape shape = AnyShape();
    if (IsAbsurd(shape)) return;
    auto args = New<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
    args.client = SharedClient();
    std::unique_ptr<Bytes> memory = Memory(BytesOf(shape) + 1);
    args.device_buffer_ptr = memory->data();
    args.dims = shape.dims.data();
    args.num_dims = shape.dims.size();
    args.element_type = shape.type;
    args.layout = shape.layout_or_null();
    args.device = AnyDevice();
    args.memory = AnyMemory();
    args.on_delete_callback = [](void*, void* bytes) { delete static_cast<Bytes*>(bytes); };
    args.on_delete_callback_arg = memory.get();
    if (!Ok(Api().PJRT_Client_CreateViewOfDeviceBuffer(&args))) return;
    memory.release();
    Keep(args.buffer);
  }

  void Uninitialized() {
    RandomShape shape = AnyShape();
    auto args = New<PJRT_Client_CreateUninitializedBuffer_Args>();
    args.client = SharedClient();
    args.shape_dims = shape.dims.data();
    args.shape_num_dims = shape.dims.size();
    args.shape_element_type = shape.type;
    args.shape_layout = shape.layout_or_null();
    args.memory = AnyMemory();
    if (Ok(Api().PJRT_Client_CreateUninitializedBuffer(&args))) Keep(args.buffer);
  }

  void Failed() {
    RandomShape shape = AnyShape();
    const std::string text = Text();
    auto args = New<PJRT_Client_CreateErrorBuffer_Args>();
    args.client = SharedClient();
    args.error_code = Code();
    args.error_message = text.data();
    args.error_message_size = text.size();
    args.shape_dims = shape.dims.data();
    args.shape_num_dims = shape.dims.size();
    args.shape_element_type = shape.type;
    args.shape_layout = shape.layout_or_null();
    args.memory = AnyMemory();
    if (OkOrAnyError(Api().PJRT_Client_CreateErrorBuffer(&args))) Keep(args.buffer);
  }

  void Alias() {
    RandomShape shape = AnyShape();
    auto args = New<PJRT_Client_CreateAliasBuffer_Args>();
    args.client = SharedClient();
    args.memory = AnyMemory();
    args.shape_dims = shape.dims.data();
    args.shape_num_dims = shape.dims.size();
    args.shape_element_type = shape.type;
    args.shape_layout = shape.layout_or_null();
    if (!Ok(Api().PJRT_Client_CreateAliasBuffer(&args))) return;
    Keep(args.alias_buffer);
    promises_.emplace_back().alias = args.fulfill_alias_buffer_cb;
  }

  // The bytes of the buffer, in row-major order, must be those that it was made of.
  void ToHost() {
    Buffer* const buffer = AnyBuffer();
    RandomShape shape = AnyShape();
    auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
    args.src = buffer == nullptr ? nullptr : buffer->handle;
    if (OneIn(2)) shape.has_layout = false;
    args.host_layout = shape.layout_or_null();
    if (!Ok(Api().PJRT_Buffer_ToHostBuffer(&args))) return;
    Settle();
    std::vector<uint8_t> bytes(args.dst_size + 1, 0xAB);
    args.dst = bytes.data();
    if (OneIn(8)) args.dst_size = Next() % (args.dst_size + 1);
    const size_t room = args.dst_size;
    if (!Ok(Api().PJRT_Buffer_ToHostBuffer(&args))) return;
    const bool copied = Await(args.event);
    if (bytes[room] != 0xAB) Find("a copy to the host writes behind its end");
    if (!copied || !buffer->is_known || shape.has_layout) return;
    if (room < buffer->bytes.size() ||
        !std::equal(buffer->bytes.begin(), buffer->bytes.end(), bytes.begin())) {
      Find("a buffer does not hold what was copied to it");
    }
  }

  void RawToHost() {
    Buffer* const buffer = AnyBuffer();
    auto args = New<PJRT_Buffer_CopyRawToHost_Args>();
    args.buffer = buffer == nullptr ? nullptr : buffer->handle;
    args.offset = Number();
    args.transfer_size = Number();
    // More than any buffer has; what is asked for beyond is refused.
    std::vector<uint8_t> bytes(1 << 16);
    args.dst = bytes.data();
    Settle();
    if (!Ok(Api().PJRT_Buffer_CopyRawToHost(&args)) || !Await(args.event)) return;
    if (!buffer->is_known || args.transfer_size == 0) return;
    const auto first = buffer->bytes.begin() + args.offset;
    if (!std::equal(first, first + args.transfer_size, bytes.begin())) {
      Find("raw bytes of a buffer are not those that were copied to it");
    }
  }

  void RawToHostLater() {
    Buffer* const buffer = AnyBuffer();
    auto args = New<PJRT_Buffer_CopyRawToHostFuture_Args>();
    args.buffer = buffer == nullptr ? nullptr : buffer->handle;
    args.offset = Number();
    args.transfer_size = Number();
    if (!Ok(Api().PJRT_Buffer_CopyRawToHostFuture(&args))) return;
    Keep(args.event);
    Promise& promise = promises_.emplace_back();
    promise.data = args.callback_data;
    promise.copy = args.future_ready_callback;
    promise.copied = args.event;
  }

  void Copy() {
    Buffer* const buffer = AnyBuffer();
    PJRT_Buffer* copy = nullptr;
    if (OneIn(2)) {
      auto args = New<PJRT_Buffer_CopyToDevice_Args>();
      args.buffer = buffer == nullptr ? nullptr : buffer->handle;
      args.dst_device = AnyDevice();
      if (!Ok(Api().PJRT_Buffer_CopyToDevice(&args))) return;
      copy = args.dst_buffer;
    } else {
      auto args = New<PJRT_Buffer_CopyToMemory_Args>();
      args.buffer = buffer == nullptr ? nullptr : buffer->handle;
      args.dst_memory = AnyMemory();
      if (!Ok(Api().PJRT_Buffer_CopyToMemory(&args))) return;
      copy = args.dst_buffer;
    }
    KeepCopy(copy, *buffer);
  }
  void KeepCopy(PJRT_Buffer* copy, const Buffer& of) {
    Buffer made = of;
    made.handle = copy;
    if (copy != nullptr) buffers_.push_back(made);
  }

  void Bitcast() {
    Buffer* const buffer = AnyBuffer();
    RandomShape shape = AnyShape();
    auto args = New<PJRT_Buffer_Bitcast_Args>();
    args.buffer = buffer == nullptr ? nullptr : buffer->handle;
    args.element_type = shape.type;
    args.dims = shape.dims.data();
    args.num_dims = shape.dims.size();
    args.device_layout = shape.layout_or_null();
    if (Ok(Api().PJRT_Buffer_Bitcast(&args))) Keep(args.out_buffer);
  }

  void Donate() {
    Buffer* const buffer = AnyBuffer();
    auto args = New<PJRT_Buffer_DonateWithControlDependency_Args>();
    args.buffer = buffer == nullptr ? nullptr : buffer->handle;
    if (!Ok(Api().PJRT_Buffer_DonateWithControlDependency(&args))) return;
    Promise& promise = promises_.emplace_back();
    promise.data = args.callback_data;
    promise.donate = args.dependency_ready_callback;
    KeepCopy(args.out_buffer, *buffer);
  }

  void Delete() {
    Buffer* const buffer = AnyBuffer();
    auto args = New<PJRT_Buffer_Delete_Args>();
    args.buffer = buffer == nullptr ? nullptr : buffer->handle;
    if (!Ok(Api().PJRT_Buffer_Delete(&args))) return;
    PJRT_Buffer_IsDeleted_Args deleted = {};
    deleted.struct_size = sizeof(deleted);
    deleted.buffer = buffer->handle;
    if (Ok(Api().PJRT_Buffer_IsDeleted(&deleted)) && !deleted.is_deleted) {
      Find("a deleted buffer is not deleted");
    }
  }

  void Destroy() {
    Buffer* const buffer = AnyBuffer();
    if (buffer == nullptr) return;
    PJRT_Buffer_Destroy_Args args = {};
    args.struct_size = sizeof(args);
    args.buffer = buffer->handle;
    Ok(Api().PJRT_Buffer_Destroy(&args));
    *buffer = buffers_.back();
    buffers_.pop_back();
  }

  // All that can be asked of a buffer.
  void Ask() {
    Buffer* const buffer = AnyBuffer();
    PJRT_Buffer* const handle = buffer == nullptr ? nullptr : buffer->handle;
#define XYLEM_ASK(name)                           \
  {                                               \
    auto args = New<PJRT_Buffer_##name##_Args>(); \
    args.buffer = handle;                         \
    Ok(Api().PJRT_Buffer_##name(&args));          \
  }
    XYLEM_ASK(ElementType)
    XYLEM_ASK(Dimensions)
    XYLEM_ASK(UnpaddedDimensions)
    XYLEM_ASK(DynamicDimensionIndices)
    XYLEM_ASK(GetMemoryLayout)
    XYLEM_ASK(OnDeviceSizeInBytes)
    XYLEM_ASK(Device)
    XYLEM_ASK(Memory)
    XYLEM_ASK(IsOnCpu)
#undef XYLEM_ASK
  }

  void Refer() {
    Buffer* const buffer = AnyBuffer();
    PJRT_Buffer* const handle = buffer == nullptr ? nullptr : buffer->handle;
    switch (Below(4)) {
      case 0: {
        auto args = New<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
        args.buffer = handle;
        Ok(Api().PJRT_Buffer_IncreaseExternalReferenceCount(&args));
        break;
      }
      case 1: {
        auto args = New<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
        args.buffer = handle;
        Ok(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&args));
        break;
      }
      case 2: {
        Settle();
        auto args = New<PJRT_Buffer_UnsafePointer_Args>();
        args.buffer = handle;
        OkOrAnyError(Api().PJRT_Buffer_UnsafePointer(&args));
        break;
      }
      default: {
        Settle();
        auto args = New<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
        args.buffer = handle;
        OkOrAnyError(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&args));
      }
    }
  }

  void StartTransfer() {
    std::vector<RandomShape> shapes(Below(3));
    std::vector<PJRT_ShapeSpec> specs;
    std::vector<PJRT_Buffer_MemoryLayout*> layouts;
    for (RandomShape& shape : shapes) {
      shape = AnyShape();
      PJRT_ShapeSpec& spec = specs.emplace_back();
      spec = {sizeof(PJRT_ShapeSpec), nullptr, shape.dims.data(), shape.dims.size(), shape.type};
    }
    for (RandomShape& shape : shapes) layouts.push_back(shape.layout_or_null());
    auto args = New<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    args.client = SharedClient();
    args.shape_specs = specs.data();
    args.num_shape_specs = specs.size();
    args.device_layouts = layouts.data();
    args.num_device_layouts = OneIn(2) ? 0 : layouts.size();
    args.memory = AnyMemory();
    if (!Ok(Api().PJRT_Client_CreateBuffersForAsyncHostToDevice(&args))) return;
    transfers_.push_back({args.transfer_manager, specs.size()});
  }

  void TransferStep() {
    PJRT_AsyncHostToDeviceTransferManager* const manager =
        transfers_.empty() ? nullptr : transfers_[Below(transfers_.size())].manager;
    const int index = OneIn(8) ? Int() : static_cast<int>(Below(2));
    switch (Below(6)) {
      case 0: {
        auto args = New<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
        args.transfer_manager = manager;
        args.buffer_index = index;
        args.offset = OneIn(2) ? 0 : Number();
        args.transfer_size = Number();
        std::unique_ptr<Bytes> memory = Memory(64);
        args.data = args.transfer_size > 64 ? nullptr : memory->data();
        args.is_last_transfer = OneIn(2);
        if (!Ok(Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&args))) return;
        FreeWhenReady(args.done_with_h2d_transfer, std::move(memory));
        Keep(args.done_with_h2d_transfer);
        break;
      }
      case 1: {
        RandomShape shape = AnyShape();
        auto args = New<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
        args.transfer_manager = manager;
        args.buffer_index = index;
        std::unique_ptr<Bytes> memory = Memory(BytesOf(shape) + 1);
        args.data = IsAbsurd(shape) ? nullptr : memory->data();
        args.shape_dims = shape.dims.data();
        args.shape_num_dims = shape.dims.size();
        args.shape_element_type = shape.type;
        args.shape_layout = shape.layout_or_null();
        if (!Ok(Api().PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(&args))) return;
        FreeWhenReady(args.done_with_h2d_transfer, std::move(memory));
        Keep(args.done_with_h2d_transfer);
        break;
      }
      case 2: {
        auto args = New<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
        args.transfer_manager = manager;
        args.buffer_index = index;
        if (Ok(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&args))) {
          Keep(args.buffer_out);
        }
        break;
      }
      case 3: {
        const std::string text = Text();
        auto args = New<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
        args.transfer_manager = manager;
        args.buffer_index = index;
        args.error_code = Code();
        args.error_message = text.data();
        args.error_message_size = text.size();
        Ok(Api().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&args));
        break;
      }
      case 4: {
        auto args = New<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
        args.transfer_manager = manager;
        args.buffer_index = index;
        Ok(Api().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&args));
        break;
      }
      default: {
        if (transfers_.empty()) return;
        DestroyTransfer(transfers_.back());
        transfers_.pop_back();
      }
    }
  }
  void DestroyTransfer(const Transfer& transfer) {
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args args = {};
    args.struct_size = sizeof(args);
    args.transfer_manager = transfer.manager;
    Ok(Api().PJRT_AsyncHostToDeviceTransferManager_Destroy(&args));
  }

  // --- Events

  // Waits, with nothing left that the caller owes, and destroys.
  bool Await(PJRT_Event* event) {
    if (event == nullptr) return false;
    Settle();
    PJRT_Event_Await_Args args = {};
    args.struct_size = sizeof(args);
    args.event = event;
    const bool ok = OkOrAnyError(Api().PJRT_Event_Await(&args));
    DestroyEvent(event);
    return ok;
  }
  void DestroyEvent(PJRT_Event* event) {
    PJRT_Event_Destroy_Args args = {};
    args.struct_size = sizeof(args);
    args.event = event;
    Ok(Api().PJRT_Event_Destroy(&args));
  }
  bool IsReady(PJRT_Buffer* buffer) {
    PJRT_Buffer_ReadyEvent_Args ready = {};
    ready.struct_size = sizeof(ready);
    ready.buffer = buffer;
    if (!Ok(Api().PJRT_Buffer_ReadyEvent(&ready))) return false;
    PJRT_Event_IsReady_Args args = {};
    args.struct_size = sizeof(args);
    args.event = ready.event;
    const bool is_ready = Ok(Api().PJRT_Event_IsReady(&args)) && args.is_ready;
    DestroyEvent(ready.event);
    return is_ready;
  }
  void EventStep() {
    PJRT_Event* const event = events_.empty() ? nullptr : events_[Below(events_.size())];
    switch (Below(6)) {
      case 0: {
        auto args = New<PJRT_Event_Create_Args>();
        if (!Ok(Api().PJRT_Event_Create(&args))) return;
        Keep(args.event);
        promises_.emplace_back().event = args.event;
        break;
      }
      case 1: {
        auto args = New<PJRT_Event_IsReady_Args>();
        args.event = event;
        Ok(Api().PJRT_Event_IsReady(&args));
        break;
      }
      case 2: {
        auto args = New<PJRT_Event_Error_Args>();
        args.event = event;
        OkOrAnyError(Api().PJRT_Event_Error(&args));
        break;
      }
      case 3: {
        auto args = New<PJRT_Event_OnReady_Args>();
        args.event = event;
        args.callback = [](PJRT_Error* error, void*) { DestroyError(error); };
        if (OneIn(8)) args.callback = nullptr;
        Ok(Api().PJRT_Event_OnReady(&args));
        break;
      }
      case 4: {
        Buffer* const buffer = AnyBuffer();
        auto args = New<PJRT_Buffer_ReadyEvent_Args>();
        args.buffer = buffer == nullptr ? nullptr : buffer->handle;
        if (Ok(Api().PJRT_Buffer_ReadyEvent(&args))) Keep(args.event);
        break;
      }
      default: {
        auto args = New<PJRT_Event_Set_Args>();
        args.event = event;
        Ok(Api().PJRT_Event_Set(&args));
      }
    }
  }

  // --- What the caller owes

  // Keeps all promises: well, or with an error.
  void Settle() {
    while (!promises_.empty()) {
      const Promise promise = promises_.back();
      promises_.pop_back();
      const PJRT_Error_Code code = Code();
      if (promise.alias != nullptr) {
        Buffer* const buffer = AnyBuffer();
        // One that may depend on the promise itself would never be ready.
        PJRT_Buffer* const target =
            buffer != nullptr && IsReady(buffer->handle) ? buffer->handle : nullptr;
        PJRT_Client_FulfillAliasBuffer_Args args = {};
        args.struct_size = sizeof(args);
        args.client = SharedClient();
        args.buffer = target;
        args.status_code = code;
        args.fulfill_alias_buffer_cb = promise.alias;
        Ok(Api().PJRT_Client_FulfillAliasBuffer(&args));
      } else if (promise.event != nullptr) {
        PJRT_Event_Set_Args args = {};
        args.struct_size = sizeof(args);
        args.event = promise.event;
        args.error_code = code;
        Ok(Api().PJRT_Event_Set(&args));
      } else if (promise.donate != nullptr) {
        PJRT_Buffer_DonateWithControlDependency_Callback_Args args = {};
        args.struct_size = sizeof(args);
        args.callback_data = promise.data;
        args.error_code = code;
        promise.donate(&args);
      } else if (promise.copy != nullptr) {
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args args = {};
        args.struct_size = sizeof(args);
        args.callback_data = promise.data;
        args.error_code = code;
        std::unique_ptr<Bytes> memory = Memory(1 << 12);
        args.dst = OneIn(8) ? nullptr : memory->data();
        FreeWhenReady(promise.copied, std::move(memory));
        promise.copy(&args);
      }
    }
    // Transfers that are not finished never end otherwise.
    for (const Transfer& transfer : transfers_) DestroyTransfer(transfer);
    transfers_.clear();
  }
};

}  // namespace xla::pjrt::testing

#endif  // TESTS_PJRT_RANDOM_BUFFER_CALLS_H_
