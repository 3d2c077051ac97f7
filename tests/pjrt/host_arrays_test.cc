// SPDX-License-Identifier: Apache-2.0
// Arrays on their way between host and devices: layouts and strides, elements that share bytes.
// XLA's CPU plugin gives the same bytes, except where a test says so.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/pjrt/plugin.h"
#include "xla/pjrt/abi.h"

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;
using Bytes = std::vector<uint8_t>;
using Dims = std::vector<int64_t>;

// A layout by the order of dimensions, minor ones first, or by strides.
struct HostLayout {
  static HostLayout Order(Dims order) {
    HostLayout result{std::move(order)};
    result.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    result.layout.tiled.struct_size = sizeof(PJRT_Buffer_MemoryLayout_Tiled);
    result.layout.tiled.minor_to_major = result.numbers.data();
    result.layout.tiled.minor_to_major_size = result.numbers.size();
    return result;
  }
  static HostLayout Strides(Dims strides) {
    HostLayout result{std::move(strides)};
    result.layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    result.layout.strides.struct_size = sizeof(PJRT_Buffer_MemoryLayout_Strides);
    result.layout.strides.byte_strides = result.numbers.data();
    result.layout.strides.num_byte_strides = result.numbers.size();
    return result;
  }
  Dims numbers;
  PJRT_Buffer_MemoryLayout layout = New<PJRT_Buffer_MemoryLayout>();
};

// The bytes of a buffer on the host, or the error. `gap` fills what nothing is written to.
std::string ToHost(PJRT_Buffer* buffer, PJRT_Buffer_MemoryLayout* layout, Bytes* bytes,
                   uint8_t gap = 0) {
  auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = layout;
  std::string status = TextOf(Api().PJRT_Buffer_ToHostBuffer(&args));
  if (status != "OK") return status;
  bytes->assign(args.dst_size, gap);
  args.dst = bytes->data();
  status = TextOf(Api().PJRT_Buffer_ToHostBuffer(&args));
  return status == "OK" ? Await(args.event) : status;
}

Values FloatsOf(PJRT_Buffer* buffer, PJRT_Buffer_MemoryLayout* layout = nullptr) {
  Bytes bytes;
  EXPECT_EQ(ToHost(buffer, layout, &bytes), "OK");
  Values values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

Bytes RawBytes(PJRT_Buffer* buffer) {
  auto size = New<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = buffer;
  EXPECT_CALL_OK(Api().PJRT_Buffer_OnDeviceSizeInBytes(&size));
  Bytes bytes(size.on_device_size_in_bytes);
  auto args = New<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = buffer;
  args.dst = bytes.data();
  args.transfer_size = static_cast<int64_t>(bytes.size());
  EXPECT_CALL_OK(Api().PJRT_Buffer_CopyRawToHost(&args));
  EXPECT_EQ(Await(args.event), "OK");
  return bytes;
}

class HostArraysTest : public ::testing::Test {
 protected:
  PJRT_Buffer* FromHost(const void* data, PJRT_Buffer_Type type, const Dims& dims,
                        const Dims& strides = {}, PJRT_Buffer_MemoryLayout* layout = nullptr) {
    auto args = plugin_.HostArguments(data, type, dims);
    args.byte_strides = strides.empty() ? nullptr : strides.data();
    args.num_byte_strides = strides.size();
    args.device_layout = layout;
    EXPECT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
    plugin_.buffers.push_back(args.buffer);
    DestroyEvent(args.done_with_host_buffer);
    return args.buffer;
  }
  PJRT_Buffer* Run(PJRT_LoadedExecutable* executable, PJRT_Buffer* argument) {
    std::vector<PJRT_Buffer*> results(1);
    EXPECT_EQ(plugin_.Run(executable, {argument}, &results), "OK");
    return results[0];
  }

  Plugin plugin_;
  const Values rows_ = {1, 2, 3, 4, 5, 6};
};

TEST_F(HostArraysTest, WithoutALayoutTheHostGetsTheBuffersOwn) {
  PJRT_LoadedExecutable* executable = plugin_.Compile(R"(
func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) {
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
})");
  PJRT_Buffer* result = Run(executable, FromHost(rows_.data(), PJRT_Buffer_Type_F32, {2, 3}));
  const Values columns = {2, 8, 4, 10, 6, 12};
  EXPECT_EQ(FloatsOf(result), columns);
  HostLayout by_rows = HostLayout::Order({1, 0}), by_columns = HostLayout::Order({0, 1});
  EXPECT_EQ(FloatsOf(result, &by_rows.layout), (Values{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(FloatsOf(result, &by_columns.layout), columns);
  auto own = New<PJRT_Buffer_GetMemoryLayout_Args>();
  own.buffer = result;
  ASSERT_CALL_OK(Api().PJRT_Buffer_GetMemoryLayout(&own));
  ASSERT_EQ(own.layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  ASSERT_EQ(own.layout.tiled.minor_to_major_size, 2u);
  EXPECT_EQ(own.layout.tiled.minor_to_major[0], 0);
  EXPECT_EQ(own.layout.tiled.num_tiles, 0u);
  const Bytes raw = RawBytes(result);
  Values in_memory(6);
  ASSERT_EQ(raw.size(), 24u);
  std::memcpy(in_memory.data(), raw.data(), raw.size());
  EXPECT_EQ(in_memory, columns);
}

TEST_F(HostArraysTest, StridesOfTheHostAndLayoutsOfTheDeviceAreIndependent) {
  HostLayout by_columns = HostLayout::Order({0, 1}), by_rows = HostLayout::Order({1, 0});
  const auto from = [&](const float* data, Dims strides, PJRT_Buffer_MemoryLayout* layout) {
    return FromHost(data, PJRT_Buffer_Type_F32, {2, 3}, strides, layout);
  };
  // The host has columns; the device rows, or columns as well.
  EXPECT_EQ(FloatsOf(from(rows_.data(), {4, 8}, nullptr)), (Values{1, 3, 5, 2, 4, 6}));
  PJRT_Buffer* same = from(rows_.data(), {4, 8}, &by_columns.layout);
  EXPECT_EQ(FloatsOf(same), rows_);
  EXPECT_EQ(FloatsOf(same, &by_rows.layout), (Values{1, 3, 5, 2, 4, 6}));
  PJRT_Buffer* other = from(rows_.data(), {}, &by_columns.layout);
  EXPECT_EQ(FloatsOf(other), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(FloatsOf(other, &by_rows.layout), rows_);
  // One row for all, and rows from the last one on.
  EXPECT_EQ(FloatsOf(from(rows_.data(), {0, 4}, nullptr)), (Values{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(FloatsOf(from(rows_.data() + 3, {-12, 4}, nullptr)), (Values{4, 5, 6, 1, 2, 3}));
}

// XLA's CPU plugin refuses strides here.
TEST_F(HostArraysTest, TheHostMayHaveGaps) {
  PJRT_Buffer* buffer = FromHost(rows_.data(), PJRT_Buffer_Type_F32, {2, 3});
  HostLayout columns = HostLayout::Strides({4, 8}), gaps = HostLayout::Strides({16, 4});
  EXPECT_EQ(FloatsOf(buffer, &columns.layout), (Values{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(FloatsOf(buffer, &gaps.layout), (Values{1, 2, 3, 0, 4, 5, 6}));
  Bytes bytes;
  for (const Dims& overlapping : {Dims{4, 4}, Dims{0, 4}, Dims{8, 4}, Dims{-12, 4}}) {
    HostLayout layout = HostLayout::Strides(overlapping);
    EXPECT_NE(ToHost(buffer, &layout.layout, &bytes).find("would overlap"), std::string::npos);
  }
  HostLayout odd = HostLayout::Strides({12, 3}), few = HostLayout::Strides({4});
  EXPECT_NE(ToHost(buffer, &odd.layout, &bytes).find("stride of 3 bytes"), std::string::npos);
  EXPECT_NE(ToHost(buffer, &few.layout, &bytes).find("1 strides for f32[2,3]"), std::string::npos);
  HostLayout large = HostLayout::Strides({std::numeric_limits<int64_t>::max() - 3, 4});
  EXPECT_NE(ToHost(buffer, &large.layout, &bytes).find("overflow"), std::string::npos);
}

TEST_F(HostArraysTest, WrongLayoutsAndRoomAreErrors) {
  PJRT_Buffer* buffer = FromHost(rows_.data(), PJRT_Buffer_Type_F32, {2, 3});
  Bytes bytes;
  for (const Dims& order : {Dims{1}, Dims{1, 1}, Dims{2, 0}}) {
    HostLayout layout = HostLayout::Order(order);
    EXPECT_NE(ToHost(buffer, &layout.layout, &bytes).find("not a permutation of the dimensions"),
              std::string::npos);
  }
  float few[5];
  auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.dst = few;
  args.dst_size = sizeof(few);
  EXPECT_CALL_ERROR(Api().PJRT_Buffer_ToHostBuffer(&args), "`dst_size` must be >= 24");
}

// The host has a byte an element, with zeros above its bits; a device packs them.
TEST_F(HostArraysTest, ElementsOfLessThanAByteArePackedOnTheDevice) {
  const uint8_t bytes[] = {1, 0xFE, 3, 0xFC, 5, 0xFA};
  struct Case {
    PJRT_Buffer_Type type;
    Bytes device, host;
  };
  const Case cases[] = {
      {PJRT_Buffer_Type_S4, {0xE1, 0xC3, 0xA5}, {1, 14, 3, 12, 5, 10}},
      {PJRT_Buffer_Type_U4, {0xE1, 0xC3, 0xA5}, {1, 14, 3, 12, 5, 10}},
      {PJRT_Buffer_Type_F4E2M1FN, {0xE1, 0xC3, 0xA5}, {1, 14, 3, 12, 5, 10}},
      {PJRT_Buffer_Type_S2, {0x39, 0x09}, {1, 2, 3, 0, 1, 2}},
      {PJRT_Buffer_Type_U2, {0x39, 0x09}, {1, 2, 3, 0, 1, 2}},
      {PJRT_Buffer_Type_S1, {0x15}, {1, 0, 1, 0, 1, 0}},
      {PJRT_Buffer_Type_U1, {0x15}, {1, 0, 1, 0, 1, 0}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    PJRT_Buffer* buffer = FromHost(bytes, c.type, {6});
    EXPECT_EQ(RawBytes(buffer), c.device);
    Bytes host;
    EXPECT_EQ(ToHost(buffer, nullptr, &host), "OK");
    EXPECT_EQ(host, c.host);
  }
  PJRT_Buffer* columns = FromHost(bytes, PJRT_Buffer_Type_S4, {2, 3}, {1, 2});
  EXPECT_EQ(RawBytes(columns), (Bytes{0x31, 0xE5, 0xAC}));
  HostLayout order = HostLayout::Order({0, 1});
  Bytes host;
  EXPECT_EQ(ToHost(columns, &order.layout, &host), "OK");
  EXPECT_EQ(host, (Bytes{1, 14, 3, 12, 5, 10}));
}

TEST_F(HostArraysTest, ProgramsTakeAndMakePackedElements) {
  PJRT_LoadedExecutable* widen = plugin_.Compile(R"(
func.func @main(%a: tensor<3xi4>) -> tensor<3xi8> {
  %0 = stablehlo.convert %a : (tensor<3xi4>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
})");
  PJRT_LoadedExecutable* twice = plugin_.Compile(R"(
func.func @main(%a: tensor<3xi4> {tf.aliasing_output = 0 : i32}) -> tensor<3xi4> {
  %0 = stablehlo.add %a, %a : tensor<3xi4>
  return %0 : tensor<3xi4>
})");
  alignas(64) uint8_t packed[2] = {0xE1, 0x03};
  const Dims dims = {3};
  auto view = New<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  view.client = plugin_.client;
  view.device_buffer_ptr = packed;
  view.dims = dims.data();
  view.num_dims = 1;
  view.element_type = PJRT_Buffer_Type_S4;
  view.device = plugin_.device();
  ASSERT_CALL_OK(Api().PJRT_Client_CreateViewOfDeviceBuffer(&view));
  plugin_.buffers.push_back(view.buffer);
  EXPECT_EQ(RawBytes(Run(widen, view.buffer)), (Bytes{1, 0xFE, 3}));
  const uint8_t bytes[] = {1, 0xFE, 3};
  PJRT_Buffer* sum = Run(twice, FromHost(bytes, PJRT_Buffer_Type_S4, {3}));
  EXPECT_EQ(RawBytes(sum), (Bytes{0xC2, 0x06}));
  EXPECT_EQ(RawBytes(Run(widen, sum)), (Bytes{2, 0xFC, 6}));
}

// Kernels rely on the alignment of elements. The error tells jaxlib that it has to copy.
TEST_F(HostArraysTest, AViewOfUnalignedMemoryIsAnError) {
  alignas(64) uint8_t memory[64] = {};
  const Dims dims = {2};
  for (const size_t offset : {0, 1, 4, 8, 12, 16, 24, 32}) {
    auto view = New<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
    view.client = plugin_.client;
    view.device_buffer_ptr = memory + offset;
    view.dims = dims.data();
    view.num_dims = 1;
    view.element_type = PJRT_Buffer_Type_F32;
    view.device = plugin_.device();
    if (offset % 16 == 0) {
      ASSERT_CALL_OK(Api().PJRT_Client_CreateViewOfDeviceBuffer(&view));
      plugin_.buffers.push_back(view.buffer);
    } else {
      EXPECT_CALL_ERROR(Api().PJRT_Client_CreateViewOfDeviceBuffer(&view),
                        "is not aligned to 16 bytes");
    }
  }
}

TEST_F(HostArraysTest, ABitcastHasTheSameBytes) {
  const uint8_t byte = 0xE1;
  auto bitcast = New<PJRT_Buffer_Bitcast_Args>();
  bitcast.buffer = FromHost(&byte, PJRT_Buffer_Type_U8, {});
  bitcast.element_type = PJRT_Buffer_Type_S4;
  const int64_t dims[] = {2};
  bitcast.dims = dims;
  bitcast.num_dims = 1;
  ASSERT_CALL_OK(Api().PJRT_Buffer_Bitcast(&bitcast));
  plugin_.buffers.push_back(bitcast.out_buffer);
  Bytes host;
  EXPECT_EQ(ToHost(bitcast.out_buffer, nullptr, &host), "OK");
  EXPECT_EQ(host, (Bytes{1, 14}));
}

TEST_F(HostArraysTest, LayoutsAsTextSayHowWideElementsAre) {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension->type != PJRT_Extension_Type_Layouts) extension = extension->next;
  const auto* layouts = reinterpret_cast<const PJRT_Layouts_Extension*>(extension);
  const int64_t dims[] = {2, 3};
  for (const auto& [type, text] : {std::pair{PJRT_Buffer_Type_F32, "{1,0}"},
                                   {PJRT_Buffer_Type_S4, "{1,0:E(4)}"},
                                   {PJRT_Buffer_Type_U2, "{1,0:E(2)}"}}) {
    auto make = New<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>();
    make.client = plugin_.client;
    make.type = type;
    make.dims = dims;
    make.num_dims = 2;
    ASSERT_CALL_OK(layouts->client_default_layout(&make));
    auto serialize = New<PJRT_Layouts_MemoryLayout_Serialize_Args>();
    serialize.layout = make.layout;
    ASSERT_CALL_OK(layouts->memory_layout_serialize(&serialize));
    EXPECT_EQ(std::string(serialize.serialized_bytes, serialize.serialized_bytes_size), text);
    serialize.serialized_layout_deleter(serialize.serialized_layout);
    auto destroy = New<PJRT_Layouts_MemoryLayout_Destroy_Args>();
    destroy.layout = make.layout;
    ASSERT_CALL_OK(layouts->memory_layout_destroy(&destroy));
  }
}

// Parts of a transfer are bytes of the device.
TEST_F(HostArraysTest, TransfersInPartsArePacked) {
  auto create = New<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  create.client = plugin_.client;
  const int64_t dims[] = {3};
  auto spec = New<PJRT_ShapeSpec>();
  spec.dims = dims;
  spec.num_dims = 1;
  spec.element_type = PJRT_Buffer_Type_S4;
  create.shape_specs = &spec;
  create.num_shape_specs = 1;
  auto memory = New<PJRT_Device_DefaultMemory_Args>();
  memory.device = plugin_.device();
  ASSERT_CALL_OK(Api().PJRT_Device_DefaultMemory(&memory));
  create.memory = memory.memory;
  ASSERT_CALL_OK(Api().PJRT_Client_CreateBuffersForAsyncHostToDevice(&create));
  auto size = New<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
  size.transfer_manager = create.transfer_manager;
  ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_BufferSize(&size));
  EXPECT_EQ(size.buffer_size, 2u);
  const uint8_t packed[] = {0xE1, 0x03};
  auto transfer = New<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  transfer.transfer_manager = create.transfer_manager;
  transfer.data = packed;
  transfer.transfer_size = 2;
  transfer.is_last_transfer = true;
  ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_TransferData(&transfer));
  DestroyEvent(transfer.done_with_h2d_transfer);
  auto retrieve = New<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
  retrieve.transfer_manager = create.transfer_manager;
  ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(&retrieve));
  plugin_.buffers.push_back(retrieve.buffer_out);
  Bytes host;
  EXPECT_EQ(ToHost(retrieve.buffer_out, nullptr, &host), "OK");
  EXPECT_EQ(host, (Bytes{1, 14, 3}));
  auto destroy = New<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
  destroy.transfer_manager = create.transfer_manager;
  ASSERT_CALL_OK(Api().PJRT_AsyncHostToDeviceTransferManager_Destroy(&destroy));
}

}  // namespace
}  // namespace xla::pjrt::testing
