// SPDX-License-Identifier: Apache-2.0
// What the plugin says of devices, memories, buffers of all types and layouts, and programs in all
// formats, and what calls with odd arguments give.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/pjrt/plugin.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla.pb.h"

namespace xla::pjrt::testing {
namespace {

using xla::testing::ExpectLines;
using xla::testing::Fingerprint;
using xla::testing::OneLine;

// Calls a function of the table with the arguments; false, and a line, after an error.
#define DESCRIBE(function, arguments)                                                     \
  [&] {                                                                                   \
    const std::string text = TextOf(Api().function(&(arguments)));                        \
    if (text != "OK") lines_.push_back(absl::StrCat("  " #function ": ", OneLine(text))); \
    return text == "OK";                                                                  \
  }()

template <typename T>
std::string ListOf(const T* values, size_t count) {
  return absl::StrCat("[", absl::StrJoin(absl::MakeConstSpan(values, count), ","), "]");
}

std::string TextOfValue(const PJRT_NamedValue& value) {
  std::string text = absl::StrCat(std::string(value.name, value.name_size), "=");
  switch (value.type) {
    case PJRT_NamedValue_kString:
      return absl::StrCat(text, std::string(value.string_value, value.value_size));
    case PJRT_NamedValue_kInt64:
      return absl::StrCat(text, value.int64_value);
    case PJRT_NamedValue_kInt64List:
      return absl::StrCat(text, ListOf(value.int64_array_value, value.value_size));
    case PJRT_NamedValue_kFloat:
      return absl::StrCat(text, value.float_value);
    case PJRT_NamedValue_kBool:
      return absl::StrCat(text, value.bool_value ? "true" : "false");
    default:
      return absl::StrCat(text, "type ", static_cast<int>(value.type));
  }
}

std::string TextOfValues(const PJRT_NamedValue* values, size_t count) {
  return absl::StrJoin(absl::MakeConstSpan(values, count), " ",
                       [](std::string* out, const PJRT_NamedValue& value) {
                         absl::StrAppend(out, TextOfValue(value));
                       });
}

class PjrtDescription : public ::testing::Test {
 protected:
  // A buffer, with the bytes that the host gets.
  void Buffer(const std::string& name, PJRT_Buffer* buffer) {
    std::string line = absl::StrCat(name, ":");
    auto type = New<PJRT_Buffer_ElementType_Args>();
    type.buffer = buffer;
    if (DESCRIBE(PJRT_Buffer_ElementType, type)) absl::StrAppend(&line, " type ", type.type);
    auto dims = New<PJRT_Buffer_Dimensions_Args>();
    dims.buffer = buffer;
    if (DESCRIBE(PJRT_Buffer_Dimensions, dims))
      absl::StrAppend(&line, " dims ", ListOf(dims.dims, dims.num_dims));
    auto unpadded = New<PJRT_Buffer_UnpaddedDimensions_Args>();
    unpadded.buffer = buffer;
    if (DESCRIBE(PJRT_Buffer_UnpaddedDimensions, unpadded))
      absl::StrAppend(&line, " unpadded ", ListOf(unpadded.unpadded_dims, unpadded.num_dims));
    for (int time = 0; time < 2; ++time) {
      auto dynamic = New<PJRT_Buffer_DynamicDimensionIndices_Args>();
      dynamic.buffer = buffer;
      if (DESCRIBE(PJRT_Buffer_DynamicDimensionIndices, dynamic)) {
        absl::StrAppend(&line, " dynamic ",
                        ListOf(dynamic.dynamic_dim_indices, dynamic.num_dynamic_dims));
      }
      auto layout = New<PJRT_Buffer_GetMemoryLayout_Args>();
      layout.buffer = buffer;
      if (DESCRIBE(PJRT_Buffer_GetMemoryLayout, layout)) {
        const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout.layout.tiled;
        absl::StrAppend(&line, " layout ", layout.layout.type,
                        ListOf(tiled.minor_to_major, tiled.minor_to_major_size), tiled.num_tiles);
      }
    }
    auto size = New<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
    size.buffer = buffer;
    if (DESCRIBE(PJRT_Buffer_OnDeviceSizeInBytes, size))
      absl::StrAppend(&line, " bytes ", size.on_device_size_in_bytes);
    auto memory = New<PJRT_Buffer_Memory_Args>();
    memory.buffer = buffer;
    if (DESCRIBE(PJRT_Buffer_Memory, memory)) absl::StrAppend(&line, " in ", KindOf(memory.memory));
    auto cpu = New<PJRT_Buffer_IsOnCpu_Args>();
    cpu.buffer = buffer;
    if (DESCRIBE(PJRT_Buffer_IsOnCpu, cpu)) absl::StrAppend(&line, cpu.is_on_cpu ? " cpu" : "");
    auto host = New<PJRT_Buffer_ToHostBuffer_Args>();
    host.src = buffer;
    if (DESCRIBE(PJRT_Buffer_ToHostBuffer, host)) {
      std::string bytes(host.dst_size, '\xee');
      host.dst = bytes.data();
      if (DESCRIBE(PJRT_Buffer_ToHostBuffer, host))
        absl::StrAppend(&line, " host ", bytes.size(), " ", Await(host.event), " ", Hex(bytes));
    }
    lines_.push_back(line);
  }
  static std::string Hex(const std::string& bytes) {
    if (bytes.size() > 64) return Fingerprint(bytes);
    std::string text;
    for (const char c : bytes)
      absl::StrAppend(&text, absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad2));
    return text;
  }
  std::string KindOf(PJRT_Memory* memory) {
    auto kind = New<PJRT_Memory_Kind_Args>();
    kind.memory = memory;
    return DESCRIBE(PJRT_Memory_Kind, kind) ? std::string(kind.kind, kind.kind_size) : "?";
  }
  PJRT_Memory* MemoryOf(size_t device, size_t number) {
    auto memories = New<PJRT_Device_AddressableMemories_Args>();
    memories.device = plugin_.device(device);
    if (!DESCRIBE(PJRT_Device_AddressableMemories, memories)) return nullptr;
    return number < memories.num_memories ? memories.memories[number] : nullptr;
  }
  PJRT_Buffer* FromHost(PJRT_Buffer_Type type, const std::vector<int64_t>& dims,
                        PJRT_Buffer_MemoryLayout* layout = nullptr,
                        const std::vector<int64_t>& strides = {}) {
    for (size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<char>(i * 3 + 1);
    // Negative strides lead to what is in front of the first element.
    const bool is_backwards =
        std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride < 0; });
    auto args = plugin_.HostArguments(data_.data() + (is_backwards ? 64 : 0), type, dims);
    args.device_layout = layout;
    args.byte_strides = strides.empty() ? nullptr : strides.data();
    args.num_byte_strides = strides.size();
    if (!DESCRIBE(PJRT_Client_BufferFromHostBuffer, args)) return nullptr;
    EXPECT_EQ(Await(args.done_with_host_buffer), "OK");
    plugin_.buffers.push_back(args.buffer);
    return args.buffer;
  }
  static PJRT_Buffer_MemoryLayout Tiled(const std::vector<int64_t>& order) {
    PJRT_Buffer_MemoryLayout layout = {};
    layout.struct_size = sizeof(layout);
    layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout.tiled.struct_size = sizeof(layout.tiled);
    layout.tiled.minor_to_major = order.data();
    layout.tiled.minor_to_major_size = order.size();
    return layout;
  }
  static PJRT_Buffer_MemoryLayout Strided(const std::vector<int64_t>& strides) {
    PJRT_Buffer_MemoryLayout layout = {};
    layout.struct_size = sizeof(layout);
    layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    layout.strides.struct_size = sizeof(layout.strides);
    layout.strides.byte_strides = strides.data();
    layout.strides.num_byte_strides = strides.size();
    return layout;
  }

  void Program(PJRT_LoadedExecutable* loaded) {
    auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable = loaded;
    if (!DESCRIBE(PJRT_LoadedExecutable_GetExecutable, get)) return;
    PJRT_Executable* const executable = get.executable;
    auto types = New<PJRT_Executable_OutputElementTypes_Args>();
    types.executable = executable;
    auto dims = New<PJRT_Executable_OutputDimensions_Args>();
    dims.executable = executable;
    auto outputs = New<PJRT_Executable_OutputMemoryKinds_Args>();
    outputs.executable = executable;
    auto inputs = New<PJRT_Executable_ParameterMemoryKinds_Args>();
    inputs.executable = executable;
    auto replicas = New<PJRT_Executable_NumReplicas_Args>();
    replicas.executable = executable;
    auto partitions = New<PJRT_Executable_NumPartitions_Args>();
    partitions.executable = executable;
    auto name = New<PJRT_Executable_Name_Args>();
    name.executable = executable;
    auto costs = New<PJRT_Executable_GetCostAnalysis_Args>();
    costs.executable = executable;
    auto memory = New<PJRT_Executable_GetCompiledMemoryStats_Args>();
    memory.executable = executable;
    std::string line = "  program";
    if (DESCRIBE(PJRT_Executable_Name, name))
      absl::StrAppend(&line, " ", std::string(name.executable_name, name.executable_name_size));
    if (DESCRIBE(PJRT_Executable_NumReplicas, replicas) &&
        DESCRIBE(PJRT_Executable_NumPartitions, partitions)) {
      absl::StrAppend(&line, " on ", replicas.num_replicas, "x", partitions.num_partitions);
    }
    if (DESCRIBE(PJRT_Executable_OutputElementTypes, types))
      absl::StrAppend(&line, " types ", ListOf(types.output_types, types.num_output_types));
    if (DESCRIBE(PJRT_Executable_OutputDimensions, dims)) {
      size_t all = 0;
      for (size_t i = 0; i < dims.num_outputs; ++i) all += dims.dim_sizes[i];
      absl::StrAppend(&line, " ranks ", ListOf(dims.dim_sizes, dims.num_outputs), " dims ",
                      ListOf(dims.dims, all));
    }
    const auto kinds = [](const char* const* texts, const size_t* sizes, size_t count) {
      std::string list;
      for (size_t i = 0; i < count; ++i)
        absl::StrAppend(&list, " ", std::string(texts[i], sizes[i]));
      return list;
    };
    if (DESCRIBE(PJRT_Executable_OutputMemoryKinds, outputs)) {
      absl::StrAppend(&line, " to",
                      kinds(outputs.memory_kinds, outputs.memory_kind_sizes, outputs.num_outputs));
    }
    if (DESCRIBE(PJRT_Executable_ParameterMemoryKinds, inputs)) {
      absl::StrAppend(&line, " from",
                      kinds(inputs.memory_kinds, inputs.memory_kind_sizes, inputs.num_parameters));
    }
    if (DESCRIBE(PJRT_Executable_GetCompiledMemoryStats, memory)) {
      absl::StrAppend(&line, " arguments ", memory.argument_size_in_bytes, " outputs ",
                      memory.output_size_in_bytes, " aliases ", memory.alias_size_in_bytes);
    }
    lines_.push_back(line);
    if (DESCRIBE(PJRT_Executable_GetCostAnalysis, costs))
      lines_.push_back(
          absl::StrCat("  costs ", TextOfValues(costs.properties, costs.num_properties)));
    auto destroy = New<PJRT_Executable_Destroy_Args>();
    destroy.executable = executable;
    DESCRIBE(PJRT_Executable_Destroy, destroy);
  }

  std::vector<std::string> lines_;
  std::string data_ = std::string(1024, '\0');
  Plugin plugin_{2};
};

TEST_F(PjrtDescription, Buffers) {
  for (int type = 0; type < 40; ++type) {
    const std::string name = absl::StrCat("type ", type);
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {3}, {2, 0}, {2, 3, 2}}) {
      PJRT_Buffer* buffer = FromHost(static_cast<PJRT_Buffer_Type>(type), dims);
      if (buffer != nullptr) Buffer(name, buffer);
    }
  }
  // Layouts on the device, which the host asks for again.
  for (const std::vector<int64_t>& order :
       {std::vector<int64_t>{1, 0}, {0, 1}, {0, 0}, {0}, {0, 2}, {-1, 0}}) {
    PJRT_Buffer_MemoryLayout layout = Tiled(order);
    PJRT_Buffer* buffer = FromHost(PJRT_Buffer_Type_S16, {2, 3}, &layout);
    if (buffer == nullptr) continue;
    Buffer(absl::StrCat("order ", ListOf(order.data(), order.size())), buffer);
    for (const std::vector<int64_t>& other : {std::vector<int64_t>{1, 0}, {0, 1}, {1}}) {
      PJRT_Buffer_MemoryLayout wanted = Tiled(other);
      auto host = New<PJRT_Buffer_ToHostBuffer_Args>();
      host.src = buffer;
      host.host_layout = &wanted;
      std::string bytes(12, '\0');
      host.dst = bytes.data();
      host.dst_size = bytes.size();
      if (DESCRIBE(PJRT_Buffer_ToHostBuffer, host))
        lines_.push_back(absl::StrCat("  as ", other[0], ": ", Await(host.event), " ", Hex(bytes)));
    }
    for (const std::vector<int64_t>& strides :
         {std::vector<int64_t>{6, 2}, {2, 4}, {8, 2}, {6}, {0, 2}, {6, -2}}) {
      PJRT_Buffer_MemoryLayout wanted = Strided(strides);
      auto host = New<PJRT_Buffer_ToHostBuffer_Args>();
      host.src = buffer;
      host.host_layout = &wanted;
      std::string bytes(64, '\0');
      host.dst = bytes.data();
      host.dst_size = bytes.size();
      if (DESCRIBE(PJRT_Buffer_ToHostBuffer, host)) {
        lines_.push_back(absl::StrCat("  strides ", ListOf(strides.data(), strides.size()), ": ",
                                      Await(host.event), " ", Hex(bytes)));
      }
    }
  }
  for (const std::vector<int64_t>& strides :
       {std::vector<int64_t>{6, 2}, {2, 4}, {2, 2}, {12, 4}, {6}, {0, 0}, {-6, 2}, {7, 2}}) {
    PJRT_Buffer* buffer = FromHost(PJRT_Buffer_Type_S16, {2, 3}, nullptr, strides);
    if (buffer != nullptr)
      Buffer(absl::StrCat("strides ", ListOf(strides.data(), strides.size())), buffer);
  }
  // Parts of a buffer, and the same bytes as another type.
  PJRT_Buffer* buffer = FromHost(PJRT_Buffer_Type_S16, {2, 3});
  for (const auto& [offset, size] : {std::pair<int64_t, int64_t>{0, 12},
                                     {4, 8},
                                     {4, 9},
                                     {12, 0},
                                     {13, 0},
                                     {-1, 4},
                                     {0, -1},
                                     {8, INT64_MAX}}) {
    auto raw = New<PJRT_Buffer_CopyRawToHost_Args>();
    raw.buffer = buffer;
    std::string bytes(16, '\0');
    raw.dst = bytes.data();
    raw.offset = offset;
    raw.transfer_size = size;
    if (DESCRIBE(PJRT_Buffer_CopyRawToHost, raw)) {
      lines_.push_back(
          absl::StrCat("raw ", offset, "+", size, ": ", Await(raw.event), " ", Hex(bytes)));
    }
  }
  for (const auto& [type, dims] :
       {std::pair<PJRT_Buffer_Type, std::vector<int64_t>>{PJRT_Buffer_Type_S32, {3}},
        {PJRT_Buffer_Type_S8, {4, 3}},
        {PJRT_Buffer_Type_S16, {6}},
        {PJRT_Buffer_Type_F64, {1}},
        {PJRT_Buffer_Type_S32, {-3}},
        {PJRT_Buffer_Type_TOKEN, {}}}) {
    auto bitcast = New<PJRT_Buffer_Bitcast_Args>();
    bitcast.buffer = buffer;
    bitcast.element_type = type;
    bitcast.dims = dims.data();
    bitcast.num_dims = dims.size();
    if (!DESCRIBE(PJRT_Buffer_Bitcast, bitcast)) continue;
    plugin_.buffers.push_back(bitcast.out_buffer);
    Buffer("bitcast", bitcast.out_buffer);
  }
  // Memory of the caller, and none at all.
  for (const int64_t size : {4, 0, -4}) {
    for (const bool has_data : {true, false}) {
      const std::vector<int64_t> dims = {size};
      auto view = New<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
      view.client = plugin_.client;
      view.device = plugin_.device();
      view.dims = dims.data();
      view.num_dims = 1;
      view.element_type = PJRT_Buffer_Type_U8;
      view.device_buffer_ptr = has_data ? data_.data() : nullptr;
      int released = 0;
      view.on_delete_callback = [](void*, void* count) { ++*static_cast<int*>(count); };
      view.on_delete_callback_arg = &released;
      if (!DESCRIBE(PJRT_Client_CreateViewOfDeviceBuffer, view)) continue;
      Buffer(absl::StrCat("view of ", size), view.buffer);
      auto destroy = New<PJRT_Buffer_Destroy_Args>();
      destroy.buffer = view.buffer;
      DESCRIBE(PJRT_Buffer_Destroy, destroy);
      lines_.push_back(absl::StrCat("  released ", released));
    }
  }
  // On other devices and in other memories.
  for (size_t device = 0; device < 2; ++device) {
    auto copy = New<PJRT_Buffer_CopyToDevice_Args>();
    copy.buffer = buffer;
    copy.dst_device = plugin_.device(device);
    if (DESCRIBE(PJRT_Buffer_CopyToDevice, copy)) {
      plugin_.buffers.push_back(copy.dst_buffer);
      Buffer(absl::StrCat("on device ", device), copy.dst_buffer);
    }
    for (size_t number = 0; MemoryOf(device, number) != nullptr; ++number) {
      auto move = New<PJRT_Buffer_CopyToMemory_Args>();
      move.buffer = buffer;
      move.dst_memory = MemoryOf(device, number);
      if (!DESCRIBE(PJRT_Buffer_CopyToMemory, move)) continue;
      plugin_.buffers.push_back(move.dst_buffer);
      Buffer(absl::StrCat("in memory ", number), move.dst_buffer);
    }
  }
  ExpectLines("pjrt_buffers", lines_);
}

TEST_F(PjrtDescription, Devices) {
  for (size_t i = 0; i < 2; ++i) {
    auto description = New<PJRT_Device_GetDescription_Args>();
    description.device = plugin_.device(i);
    ASSERT_TRUE(DESCRIBE(PJRT_Device_GetDescription, description));
    auto id = New<PJRT_DeviceDescription_Id_Args>();
    auto process = New<PJRT_DeviceDescription_ProcessIndex_Args>();
    auto attributes = New<PJRT_DeviceDescription_Attributes_Args>();
    auto kind = New<PJRT_DeviceDescription_Kind_Args>();
    auto debug = New<PJRT_DeviceDescription_DebugString_Args>();
    auto to_string = New<PJRT_DeviceDescription_ToString_Args>();
    id.device_description = process.device_description = attributes.device_description =
        kind.device_description = debug.device_description = to_string.device_description =
            description.device_description;
    auto local = New<PJRT_Device_LocalHardwareId_Args>();
    auto addressable = New<PJRT_Device_IsAddressable_Args>();
    auto memory = New<PJRT_Device_DefaultMemory_Args>();
    local.device = addressable.device = memory.device = plugin_.device(i);
    ASSERT_TRUE(DESCRIBE(PJRT_DeviceDescription_Id, id) &&
                DESCRIBE(PJRT_DeviceDescription_ProcessIndex, process) &&
                DESCRIBE(PJRT_DeviceDescription_Attributes, attributes) &&
                DESCRIBE(PJRT_DeviceDescription_Kind, kind) &&
                DESCRIBE(PJRT_DeviceDescription_DebugString, debug) &&
                DESCRIBE(PJRT_DeviceDescription_ToString, to_string) &&
                DESCRIBE(PJRT_Device_LocalHardwareId, local) &&
                DESCRIBE(PJRT_Device_IsAddressable, addressable) &&
                DESCRIBE(PJRT_Device_DefaultMemory, memory));
    lines_.push_back(absl::StrCat("device ", id.id, " of process ", process.process_index,
                                  ", local ", local.local_hardware_id,
                                  addressable.is_addressable ? ", addressable" : "", ", kind ",
                                  std::string(kind.device_kind, kind.device_kind_size), ", ",
                                  std::string(to_string.to_string, to_string.to_string_size), ", ",
                                  std::string(debug.debug_string, debug.debug_string_size), ", ",
                                  TextOfValues(attributes.attributes, attributes.num_attributes),
                                  ", memory ", KindOf(memory.memory)));
    for (size_t number = 0; MemoryOf(i, number) != nullptr; ++number) {
      auto memory_id = New<PJRT_Memory_Id_Args>();
      auto kind_id = New<PJRT_Memory_Kind_Id_Args>();
      auto memory_text = New<PJRT_Memory_ToString_Args>();
      auto memory_debug = New<PJRT_Memory_DebugString_Args>();
      auto devices = New<PJRT_Memory_AddressableByDevices_Args>();
      memory_id.memory = kind_id.memory = memory_text.memory = memory_debug.memory =
          devices.memory = MemoryOf(i, number);
      ASSERT_TRUE(DESCRIBE(PJRT_Memory_Id, memory_id) && DESCRIBE(PJRT_Memory_Kind_Id, kind_id) &&
                  DESCRIBE(PJRT_Memory_ToString, memory_text) &&
                  DESCRIBE(PJRT_Memory_DebugString, memory_debug) &&
                  DESCRIBE(PJRT_Memory_AddressableByDevices, devices));
      lines_.push_back(absl::StrCat(
          "  memory ", memory_id.id, " ", KindOf(memory_id.memory), " ", kind_id.kind_id, " ",
          std::string(memory_text.to_string, memory_text.to_string_size), ", ",
          std::string(memory_debug.debug_string, memory_debug.debug_string_size), ", of ",
          devices.num_devices, devices.devices[0] == plugin_.device(i) ? " itself" : ""));
    }
  }
  for (const int id : {-1, 0, 1, 2}) {
    auto device = New<PJRT_Client_LookupDevice_Args>();
    device.client = plugin_.client;
    device.id = id;
    if (DESCRIBE(PJRT_Client_LookupDevice, device))
      lines_.push_back(absl::StrCat("id ", id, device.device == plugin_.device(1) ? " last" : ""));
    auto local = New<PJRT_Client_LookupAddressableDevice_Args>();
    local.client = plugin_.client;
    local.local_hardware_id = id;
    if (DESCRIBE(PJRT_Client_LookupAddressableDevice, local)) {
      lines_.push_back(
          absl::StrCat("local ", id, local.addressable_device == plugin_.device(1) ? " last" : ""));
    }
  }
  for (const auto& [replicas, partitions, size] : {std::array<int, 3>{1, 1, 1},
                                                   {2, 1, 2},
                                                   {1, 2, 2},
                                                   {2, 2, 4},
                                                   {2, 1, 1},
                                                   {0, 1, 1},
                                                   {-1, 1, 1},
                                                   {3, 1, 3}}) {
    std::vector<int> assignment(4, -1);
    auto args = New<PJRT_Client_DefaultDeviceAssignment_Args>();
    args.client = plugin_.client;
    args.num_replicas = replicas;
    args.num_partitions = partitions;
    args.default_assignment_size = static_cast<size_t>(size);
    args.default_assignment = assignment.data();
    if (DESCRIBE(PJRT_Client_DefaultDeviceAssignment, args)) {
      lines_.push_back(absl::StrCat("assignment ", replicas, "x", partitions, " ",
                                    ListOf(assignment.data(), assignment.size())));
    }
  }
  ExpectLines("pjrt_devices", lines_);
}

TEST_F(PjrtDescription, Programs) {
  const std::string mlir_programs[] = {
      std::string(kAdd),
      "func.func @main(%a: tensor<2x3xf32> {mhlo.layout_mode = \"{0,1}\"}, %b: tensor<2x3xf32> "
      "{tf.aliasing_output = 0 : i32, mhlo.memory_kind = \"pinned_host\"}) -> (tensor<2x3xf32> "
      "{mhlo.layout_mode = \"default\"}, tensor<3x2xf64> {mhlo.memory_kind = \"unpinned_host\", "
      "mhlo.layout_mode = \"{0,1}\"}, tensor<i1>) {\n"
      "%0 = stablehlo.add %a, %b : tensor<2x3xf32>\n"
      "%1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
      "%2 = stablehlo.convert %1 : (tensor<3x2xf32>) -> tensor<3x2xf64>\n"
      "%3 = stablehlo.constant dense<true> : tensor<i1>\n"
      "return %0, %2, %3 : tensor<2x3xf32>, tensor<3x2xf64>, tensor<i1> }",
      "func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}) -> tensor<4xf32> { return %a : "
      "tensor<4xf32> }",
      "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }",
      "func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = 3 : i32, mhlo.layout_mode = 4 : i32}) "
      "-> (tensor<4xf32> {mhlo.memory_kind = 3 : i32}) { return %a : tensor<4xf32> }",
      "func.func @main(%a: tensor<4xf32> {mhlo.memory_kind = \"wrong\"}) { return }",
      "func.func @main(%a: tensor<4xf32> {mhlo.layout_mode = \"{x}\"}) { return }",
      "func.func @main(%a: tensor<4xf32> {mhlo.layout_mode = \"{1}\"}) { return }",
      "func.func @main(%a: tensor<4x2xf32> {mhlo.layout_mode = \"{0,0}\"}) { return }",
      "func.func @main(%a: tensor<4x2xf32> {mhlo.layout_mode = \"0,1\"}) { return }",
      "func.func @other() { return }",
      "nothing",
  };
  for (const std::string& text : mlir_programs) {
    std::string error;
    PJRT_LoadedExecutable* loaded = plugin_.Compile(text, &error);
    lines_.push_back(absl::StrCat("mlir: ", OneLine(error)));
    if (loaded != nullptr) Program(loaded);
  }
  const std::string hlo_programs[] = {
      "HloModule sizes\nENTRY e { x = f32[2,<=3,<=4] parameter(0) ROOT r = f32[2,<=3,<=4] "
      "negate(x) }",
      "HloModule tuples, input_output_alias={ {0}: (0, {1}, may-alias) }\nENTRY e { x = (f32[], "
      "s8[4,5]{0,1}) parameter(0) a = f32[] get-tuple-element(x), index=0 b = s8[4,5]{0,1} "
      "get-tuple-element(x), index=1 c = s8[4,5]{0,1} add(b, b) ROOT r = (s8[4,5]{0,1}, f32[]) "
      "tuple(c, a) }",
      "HloModule devices, replica_count=2\nENTRY e { ROOT r = u32[] replica-id() }",
      "HloModule costs\nENTRY e { x = f32[16,32] parameter(0) y = f32[32,8] parameter(1) d = "
      "f32[16,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT t = "
      "f32[16,8] tanh(d) }",
  };
  for (const std::string& text : hlo_programs) {
    const auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_OK(module) << text;
    const auto proto = ModuleToProto(**module);
    ASSERT_OK(proto);
    HloModuleProtoWithConfig with_config;
    *with_config.mutable_hlo_module() = *proto;
    const std::vector<std::pair<std::string, std::string>> sources = {
        {"hlo", proto->SerializeAsString()},
        {"hlo_with_config", with_config.SerializeAsString()},
        {"hlo_with_config", "x"},
        {"hlo", "x"},
        {"odd", "x"}};
    for (const auto& [format, code] : sources) {
      std::string error;
      PJRT_LoadedExecutable* loaded = plugin_.Compile(code, &error, format);
      lines_.push_back(absl::StrCat(format, ": ", OneLine(error)));
      if (loaded != nullptr) Program(loaded);
    }
  }
  // Results of dynamic sizes and other layouts.
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule results\nENTRY e { x = f32[4] parameter(0) n = s32[] constant(3) s = f32[<=4] "
      "set-dimension-size(x, n), dimensions={0} b = f32[4,2]{0,1} broadcast(x), dimensions={0} "
      "ROOT r = (f32[<=4], f32[4,2]{0,1}) tuple(s, b) }");
  ASSERT_OK(module);
  const auto proto = ModuleToProto(**module);
  ASSERT_OK(proto);
  PJRT_LoadedExecutable* loaded = plugin_.Compile(proto->SerializeAsString(), nullptr, "hlo");
  ASSERT_NE(loaded, nullptr);
  std::vector<PJRT_Buffer*> results(2);
  const std::string run = plugin_.Run(loaded, {plugin_.Floats({1, 2, 3, 4})}, &results);
  lines_.push_back(absl::StrCat("run: ", OneLine(run)));
  if (run == "OK") {
    for (PJRT_Buffer* result : results) Buffer("result", result);
  }
  ExpectLines("pjrt_programs", lines_);
}

}  // namespace
}  // namespace xla::pjrt::testing
