// SPDX-License-Identifier: Apache-2.0
// Buffers: from and to the host, copied, referred to, donated, promised.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "tests/pjrt/plugin.h"

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;

TEST(PjrtBufferTest, HasTypeShapeAndPlace) {
  Plugin plugin(2);
  PJRT_Buffer* buffer = plugin.Floats({1, 2, 3}, /*device_number=*/1);
  auto type = New<PJRT_Buffer_ElementType_Args>();
  type.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_ElementType(&type));
  EXPECT_EQ(type.type, PJRT_Buffer_Type_F32);
  auto dims = New<PJRT_Buffer_Dimensions_Args>();
  dims.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_Dimensions(&dims));
  ASSERT_EQ(dims.num_dims, 1u);
  EXPECT_EQ(dims.dims[0], 3);
  auto device = New<PJRT_Buffer_Device_Args>();
  device.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_Device(&device));
  EXPECT_EQ(device.device, plugin.device(1));
  auto size = New<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_OnDeviceSizeInBytes(&size));
  EXPECT_EQ(size.on_device_size_in_bytes, 12u);
}

TEST(PjrtBufferTest, TakesStridesOfTheHost) {
  Plugin plugin;
  const Values rows = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> dims = {3, 2}, strides = {4, 12};  // the transpose of 2 x 3
  auto args = plugin.HostArguments(rows.data(), PJRT_Buffer_Type_F32, dims);
  args.byte_strides = strides.data();
  args.num_byte_strides = 2;
  ASSERT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
  plugin.buffers.push_back(args.buffer);
  DestroyEvent(args.done_with_host_buffer);
  EXPECT_EQ(plugin.ToFloats(args.buffer), (Values{1, 4, 2, 5, 3, 6}));

  const std::vector<int64_t> odd = {4, 13};
  args = plugin.HostArguments(rows.data(), PJRT_Buffer_Type_F32, dims);
  args.byte_strides = odd.data();
  args.num_byte_strides = 2;
  EXPECT_CALL_ERROR(Api().PJRT_Client_BufferFromHostBuffer(&args), "stride of 13 bytes");
}

// The bits of a byte beyond those of its element may be anything on the host.
TEST(PjrtBufferTest, NarrowElementsTakeTheirBitsOnly) {
  Plugin plugin;
  alignas(64) const uint8_t bytes[] = {0x01, 0x0E, 0xFE, 0xF8, 0x08, 0x97};
  const std::vector<int64_t> dims = {6};
  const auto program = [&](const char* type) {
    return plugin.Compile(
        absl::Substitute("func.func @main(%a: tensor<6x$0>) -> tensor<6xf32> {\n"
                         "  %0 = stablehlo.convert %a : (tensor<6x$0>) -> tensor<6xf32>\n"
                         "  return %0 : tensor<6xf32>\n}",
                         type));
  };
  const auto run = [&](PJRT_LoadedExecutable* executable, PJRT_Buffer* argument) {
    std::vector<PJRT_Buffer*> results(1);
    EXPECT_EQ(plugin.Run(executable, {argument}, &results), "OK");
    return plugin.ToFloats(results[0]);
  };
  for (const bool is_signed : {true, false}) {
    PJRT_LoadedExecutable* executable = program(is_signed ? "i4" : "ui4");
    const Values expected = is_signed ? Values{1, -2, -2, -8, -8, 7} : Values{1, 14, 14, 8, 8, 7};
    const PJRT_Buffer_Type type = is_signed ? PJRT_Buffer_Type_S4 : PJRT_Buffer_Type_U4;
    for (const PJRT_HostBufferSemantics semantics :
         {PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
          PJRT_HostBufferSemantics_kImmutableZeroCopy}) {
      auto args = plugin.HostArguments(bytes, type, dims);
      args.host_buffer_semantics = semantics;
      ASSERT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
      plugin.buffers.push_back(args.buffer);
      DestroyEvent(args.done_with_host_buffer);
      EXPECT_EQ(run(executable, args.buffer), expected);
    }
  }
}

TEST(PjrtBufferTest, AlignedMemoryOfTheHostIsUsedInPlace) {
  Plugin plugin;
  const std::unique_ptr<float, decltype(&std::free)> memory(
      static_cast<float*>(std::aligned_alloc(64, 64)), &std::free);
  memory.get()[0] = 5;
  const std::vector<int64_t> dims = {1};
  auto args = plugin.HostArguments(memory.get(), PJRT_Buffer_Type_F32, dims);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  ASSERT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
  auto pointer = New<PJRT_Buffer_UnsafePointer_Args>();
  pointer.buffer = args.buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_UnsafePointer(&pointer));
  EXPECT_EQ(pointer.buffer_pointer, reinterpret_cast<uintptr_t>(memory.get()));
  auto is_ready = New<PJRT_Event_IsReady_Args>();
  is_ready.event = args.done_with_host_buffer;
  ASSERT_CALL_OK(Api().PJRT_Event_IsReady(&is_ready));
  EXPECT_FALSE(is_ready.is_ready);
  auto destroy = New<PJRT_Buffer_Destroy_Args>();
  destroy.buffer = args.buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_Destroy(&destroy));
  EXPECT_EQ(Await(args.done_with_host_buffer), "OK");
}

// There is nothing to wait for, nor to share.
TEST(PjrtBufferTest, EmptyArraysAreDoneWithAtOnce) {
  Plugin plugin;
  const std::vector<int64_t> dims = {0};
  auto args = plugin.HostArguments(nullptr, PJRT_Buffer_Type_F32, dims);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  ASSERT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
  plugin.buffers.push_back(args.buffer);
  EXPECT_EQ(Await(args.done_with_host_buffer), "OK");
}

TEST(PjrtBufferTest, DeletedBuffersAreErrorsButForReferences) {
  Plugin plugin;
  PJRT_Buffer* buffer = plugin.Floats({1, 2});
  auto increase = New<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  increase.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_IncreaseExternalReferenceCount(&increase));
  auto remove = New<PJRT_Buffer_Delete_Args>();
  remove.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_Delete(&remove));
  auto deleted = New<PJRT_Buffer_IsDeleted_Args>();
  deleted.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_IsDeleted(&deleted));
  EXPECT_TRUE(deleted.is_deleted);
  auto pointer = New<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  pointer.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&pointer));
  EXPECT_EQ(static_cast<const float*>(pointer.device_memory_ptr)[1], 2);
  auto copy = New<PJRT_Buffer_CopyToDevice_Args>();
  copy.buffer = buffer;
  copy.dst_device = plugin.device();
  EXPECT_CALL_ERROR(Api().PJRT_Buffer_CopyToDevice(&copy), "it was deleted");
  auto decrease = New<PJRT_Buffer_DecreaseExternalReferenceCount_Args>();
  decrease.buffer = buffer;
  EXPECT_CALL_OK(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease));
  EXPECT_CALL_ERROR(Api().PJRT_Buffer_DecreaseExternalReferenceCount(&decrease),
                    "no external references");
}

TEST(PjrtBufferTest, CopiesToOtherDevicesAndRawToTheHost) {
  Plugin plugin(2);
  PJRT_Buffer* buffer = plugin.Floats({1, 2, 3});
  auto copy = New<PJRT_Buffer_CopyToDevice_Args>();
  copy.buffer = buffer;
  copy.dst_device = plugin.device(1);
  ASSERT_CALL_OK(Api().PJRT_Buffer_CopyToDevice(&copy));
  plugin.buffers.push_back(copy.dst_buffer);
  EXPECT_EQ(plugin.ToFloats(copy.dst_buffer), (Values{1, 2, 3}));

  float two = 0;
  auto raw = New<PJRT_Buffer_CopyRawToHost_Args>();
  raw.buffer = buffer;
  raw.dst = &two;
  raw.offset = 4;
  raw.transfer_size = 4;
  ASSERT_CALL_OK(Api().PJRT_Buffer_CopyRawToHost(&raw));
  EXPECT_EQ(Await(raw.event), "OK");
  EXPECT_EQ(two, 2);
  raw.offset = 12;
  EXPECT_CALL_ERROR(Api().PJRT_Buffer_CopyRawToHost(&raw), "of a buffer of 12");

  Plugin other;
  copy.dst_device = other.device();
  EXPECT_CALL_ERROR(Api().PJRT_Buffer_CopyToDevice(&copy), "another client");
}

TEST(PjrtBufferTest, TransfersInParts) {
  Plugin plugin;
  const int64_t dims[] = {3};
  auto spec = New<PJRT_ShapeSpec>();
  spec.dims = dims;
  spec.num_dims = 1;
  spec.element_type = PJRT_Buffer_Type_F32;
  PJRT_ShapeSpec specs[] = {spec, spec};
  auto memories = New<PJRT_Client_AddressableMemories_Args>();
  memories.client = plugin.client;
  ASSERT_CALL_OK(Api().PJRT_Client_AddressableMemories(&memories));
  auto create = New<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  create.client = plugin.client;
  create.shape_specs = specs;
  create.num_shape_specs = 2;
  create.memory = memories.addressable_memories[0];
  ASSERT_CALL_OK(Api().PJRT_Client_CreateBuffersForAsyncHostToDevice(&create));

  PJRT_Buffer* results[2];
  for (int i = 0; i < 2; ++i) {
    auto retrieve = New<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    retrieve.transfer_manager = create.transfer_manager;
    retrieve.buffer_index = i;
    ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&retrieve));
    results[i] = retrieve.buffer_out;
    plugin.buffers.push_back(results[i]);
    EXPECT_CALL_ERROR(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&retrieve),
                      "retrieved already");
  }
  const Values values = {7, 8, 9};
  auto transfer = New<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  transfer.transfer_manager = create.transfer_manager;
  for (const int64_t i : {2, 0, 1}) {
    transfer.data = &values[static_cast<size_t>(i)];
    transfer.offset = 4 * i;
    transfer.transfer_size = 4;
    transfer.is_last_transfer = i == 1;
    ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&transfer));
    DestroyEvent(transfer.done_with_h2d_transfer);
  }
  EXPECT_EQ(plugin.ToFloats(results[0]), values);
  EXPECT_CALL_ERROR(Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&transfer),
                    "has ended");

  auto fail = New<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
  fail.transfer_manager = create.transfer_manager;
  fail.buffer_index = 1;
  fail.error_code = static_cast<PJRT_Error_Code>(15);
  fail.error_message = "lost";
  fail.error_message_size = 4;
  ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_SetBufferError(&fail));
  auto ready = New<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = results[1];
  ASSERT_CALL_OK(Api().PJRT_Buffer_ReadyEvent(&ready));
  EXPECT_EQ(Await(ready.event), "lost");
  auto destroy = New<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
  destroy.transfer_manager = create.transfer_manager;
  EXPECT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_Destroy(&destroy));
}

// Memories keep no data of users; what is given to them is freed at once.
TEST(PjrtBufferTest, MemoriesKeepNoUserData) {
  Plugin plugin;
  auto memories = New<PJRT_Client_AddressableMemories_Args>();
  memories.client = plugin.client;
  ASSERT_CALL_OK(Api().PJRT_Client_AddressableMemories(&memories));
  PJRT_Memory* const memory = memories.addressable_memories[0];
  const PJRT_Memory_FunctionTable* functions;
  std::memcpy(&functions, memory, sizeof(functions));
  int freed = 0;
  functions->set_user_data(memory, &functions, &freed,
                           [](void* data) { ++*static_cast<int*>(data); });
  EXPECT_EQ(freed, 1);
  functions->set_user_data(memory, &functions, &freed, nullptr);
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(functions->get_user_data(memory, &functions), nullptr);
}

TEST(PjrtBufferTest, PromisedBuffersAreFulfilledOrFail) {
  Plugin plugin;
  const int64_t dims[] = {2};
  auto memories = New<PJRT_Client_AddressableMemories_Args>();
  memories.client = plugin.client;
  ASSERT_CALL_OK(Api().PJRT_Client_AddressableMemories(&memories));
  for (const bool fails : {false, true}) {
    auto create = New<PJRT_Client_CreateAliasBuffer_Args>();
    create.client = plugin.client;
    create.memory = memories.addressable_memories[0];
    create.shape_dims = dims;
    create.shape_num_dims = 1;
    create.shape_element_type = PJRT_Buffer_Type_F32;
    ASSERT_CALL_OK(Api().PJRT_Client_CreateAliasBuffer(&create));
    plugin.buffers.push_back(create.alias_buffer);
    auto fulfill = New<PJRT_Client_FulfillAliasBuffer_Args>();
    fulfill.client = plugin.client;
    fulfill.fulfill_alias_buffer_cb = create.fulfill_alias_buffer_cb;
    fulfill.buffer = plugin.Floats({1, 2});
    fulfill.status_code = static_cast<PJRT_Error_Code>(fails ? 10 : 0);
    fulfill.error_message = "aborted";
    fulfill.error_message_size = 7;
    // As in XLA, the error is also that of the call.
    EXPECT_EQ(TextOf(Api().PJRT_Client_FulfillAliasBuffer(&fulfill)), fails ? "aborted" : "OK");
    if (!fails) {
      EXPECT_EQ(plugin.ToFloats(create.alias_buffer), (Values{1, 2}));
      continue;
    }
    auto ready = New<PJRT_Buffer_ReadyEvent_Args>();
    ready.buffer = create.alias_buffer;
    ASSERT_CALL_OK(Api().PJRT_Buffer_ReadyEvent(&ready));
    EXPECT_EQ(Await(ready.event), "aborted");
  }
}

TEST(PjrtBufferTest, ABufferDonatedToAnEventIsReadyWithIt) {
  Plugin plugin;
  auto donate = New<PJRT_Buffer_DonateWithControlDependency_Args>();
  donate.buffer = plugin.Floats({4});
  ASSERT_CALL_OK(Api().PJRT_Buffer_DonateWithControlDependency(&donate));
  plugin.buffers.push_back(donate.out_buffer);
  auto ready = New<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = donate.out_buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_ReadyEvent(&ready));
  auto is_ready = New<PJRT_Event_IsReady_Args>();
  is_ready.event = ready.event;
  ASSERT_CALL_OK(Api().PJRT_Event_IsReady(&is_ready));
  EXPECT_FALSE(is_ready.is_ready);
  PJRT_Buffer_DonateWithControlDependency_Callback_Args callback = {};
  callback.struct_size = sizeof(callback);
  callback.callback_data = donate.callback_data;
  donate.dependency_ready_callback(&callback);
  EXPECT_EQ(Await(ready.event), "OK");
  EXPECT_EQ(plugin.ToFloats(donate.out_buffer), Values{4});
}

TEST(PjrtBufferTest, TheDeviceCountsItsMemory) {
  Plugin plugin;
  auto stats = New<PJRT_Device_MemoryStats_Args>();
  stats.device = plugin.device();
  ASSERT_CALL_OK(Api().PJRT_Device_MemoryStats(&stats));
  const int64_t before = stats.bytes_in_use;
  // Callers do not initialize outputs.
  std::memset(&stats.bytes_limit, 0xff,
              sizeof(stats) - offsetof(PJRT_Device_MemoryStats_Args, bytes_limit));
  ASSERT_CALL_OK(Api().PJRT_Device_MemoryStats(&stats));
  EXPECT_FALSE(stats.bytes_limit_is_set);
  EXPECT_FALSE(stats.peak_allocated_bytes_is_set);
  PJRT_Buffer* buffer = plugin.Floats(Values(1000));
  ASSERT_CALL_OK(Api().PJRT_Device_MemoryStats(&stats));
  EXPECT_EQ(stats.bytes_in_use, before + 4000);
  auto remove = New<PJRT_Buffer_Delete_Args>();
  remove.buffer = buffer;
  ASSERT_CALL_OK(Api().PJRT_Buffer_Delete(&remove));
  ASSERT_CALL_OK(Api().PJRT_Device_MemoryStats(&stats));
  EXPECT_EQ(stats.bytes_in_use, before);
  EXPECT_GE(stats.peak_bytes_in_use, before + 4000);
}

TEST(PjrtEventTest, CallbacksGetTheErrorThatWasSet) {
  auto create = New<PJRT_Event_Create_Args>();
  ASSERT_CALL_OK(Api().PJRT_Event_Create(&create));
  std::string seen;
  auto on_ready = New<PJRT_Event_OnReady_Args>();
  on_ready.event = create.event;
  on_ready.user_arg = &seen;
  on_ready.callback = [](PJRT_Error* error, void* arg) {
    *static_cast<std::string*>(arg) = TextOf(error);
  };
  ASSERT_CALL_OK(Api().PJRT_Event_OnReady(&on_ready));
  auto error = New<PJRT_Event_Error_Args>();
  error.event = create.event;
  EXPECT_CALL_ERROR(Api().PJRT_Event_Error(&error), "not ready");
  auto set = New<PJRT_Event_Set_Args>();
  set.event = create.event;
  set.error_code = static_cast<PJRT_Error_Code>(5);
  set.error_message = "nowhere";
  set.error_message_size = 7;
  ASSERT_CALL_OK(Api().PJRT_Event_Set(&set));
  EXPECT_EQ(seen, "nowhere");
  EXPECT_CALL_ERROR(Api().PJRT_Event_Set(&set), "on an event that is set already");
  EXPECT_EQ(TextOf(Api().PJRT_Event_Error(&error)), "nowhere");
  DestroyEvent(create.event);
}

}  // namespace
}  // namespace xla::pjrt::testing
