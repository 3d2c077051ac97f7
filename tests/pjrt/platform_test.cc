// SPDX-License-Identifier: Apache-2.0
// The names by which clients know the platform and its devices.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/pjrt/plugin.h"

namespace xla::pjrt::testing {
namespace {

PJRT_NamedValue PlatformName(const char* name) {
  PJRT_NamedValue option = {};
  option.struct_size = sizeof(option);
  option.name = "platform_name";
  option.name_size = std::strlen(option.name);
  option.type = PJRT_NamedValue_kString;
  option.string_value = name;
  option.value_size = std::strlen(name);
  return option;
}

// All names of a client of one device, or the error.
std::vector<std::string> NamesOfClient(const std::vector<PJRT_NamedValue>& options) {
  auto create = New<PJRT_Client_Create_Args>();
  create.create_options = options.data();
  create.num_options = options.size();
  const std::string created = TextOf(Api().PJRT_Client_Create(&create));
  if (created != "OK") return {created};
  std::vector<std::string> names;
  auto name = New<PJRT_Client_PlatformName_Args>();
  name.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_PlatformName(&name));
  names.emplace_back(name.platform_name, name.platform_name_size);
  auto topology = New<PJRT_Client_TopologyDescription_Args>();
  topology.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_TopologyDescription(&topology));
  auto of_topology = New<PJRT_TopologyDescription_PlatformName_Args>();
  of_topology.topology = topology.topology;
  EXPECT_CALL_OK(Api().PJRT_TopologyDescription_PlatformName(&of_topology));
  names.emplace_back(of_topology.platform_name, of_topology.platform_name_size);

  auto devices = New<PJRT_Client_Devices_Args>();
  devices.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_Devices(&devices));
  auto description = New<PJRT_Device_GetDescription_Args>();
  description.device = devices.devices[0];
  EXPECT_CALL_OK(Api().PJRT_Device_GetDescription(&description));
  auto kind = New<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = description.device_description;
  EXPECT_CALL_OK(Api().PJRT_DeviceDescription_Kind(&kind));
  names.emplace_back(kind.device_kind, kind.device_kind_size);
  auto text = New<PJRT_DeviceDescription_ToString_Args>();
  text.device_description = description.device_description;
  EXPECT_CALL_OK(Api().PJRT_DeviceDescription_ToString(&text));
  names.emplace_back(text.to_string, text.to_string_size);
  auto debug = New<PJRT_DeviceDescription_DebugString_Args>();
  debug.device_description = description.device_description;
  EXPECT_CALL_OK(Api().PJRT_DeviceDescription_DebugString(&debug));
  names.emplace_back(debug.debug_string, debug.debug_string_size);

  auto memories = New<PJRT_Device_AddressableMemories_Args>();
  memories.device = devices.devices[0];
  EXPECT_CALL_OK(Api().PJRT_Device_AddressableMemories(&memories));
  for (size_t i = 0; i < memories.num_memories; ++i) {
    auto of_memory = New<PJRT_Memory_ToString_Args>();
    of_memory.memory = memories.memories[i];
    EXPECT_CALL_OK(Api().PJRT_Memory_ToString(&of_memory));
    names.emplace_back(of_memory.to_string, of_memory.to_string_size);
    auto debug_of_memory = New<PJRT_Memory_DebugString_Args>();
    debug_of_memory.memory = memories.memories[i];
    EXPECT_CALL_OK(Api().PJRT_Memory_DebugString(&debug_of_memory));
    names.emplace_back(debug_of_memory.debug_string, debug_of_memory.debug_string_size);
  }
  auto destroy = New<PJRT_Client_Destroy_Args>();
  destroy.client = create.client;
  EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&destroy));
  return names;
}

const std::vector<std::string>& Xylem() {
  static const auto* const names =
      new std::vector<std::string>{"xylem",
                                   "xylem",
                                   "xylem",
                                   "XylemDevice(id=0)",
                                   "XYLEM_0",
                                   "XylemMemory(id=0, kind=device, device=0)",
                                   "XYLEM_device_0",
                                   "XylemMemory(id=1, kind=pinned_host, device=0)",
                                   "XYLEM_pinned_host_1",
                                   "XylemMemory(id=2, kind=unpinned_host, device=0)",
                                   "XYLEM_unpinned_host_2"};
  return *names;
}

// As JAX 0.7 and later print those of its own CPUs.
const std::vector<std::string>& Cpu() {
  static const auto* const names =
      new std::vector<std::string>{"cpu",
                                   "cpu",
                                   "cpu",
                                   "CpuDevice(id=0)",
                                   "cpu:0",
                                   "CpuDeviceMemory(id=0, process_index=0, client=cpu)",
                                   "CPU_DEVICE_0",
                                   "PinnedHostMemory(id=1, process_index=0, client=cpu)",
                                   "PINNED_HOST_1",
                                   "UnpinnedHostMemorySpace(id=2, process_index=0, client=cpu)",
                                   "UNPINNED_HOST_2"};
  return *names;
}

TEST(PjrtPlatformTest, AnOptionNamesThePlatform) {
  EXPECT_EQ(NamesOfClient({}), Xylem());
  EXPECT_EQ(NamesOfClient({PlatformName("xylem")}), Xylem());
  EXPECT_EQ(NamesOfClient({PlatformName("cpu")}), Cpu());
  const std::vector<std::string> error = NamesOfClient({PlatformName("gpu")});
  ASSERT_EQ(error.size(), 1u);
  EXPECT_NE(error[0].find("cannot be called \"gpu\"; it is xylem or cpu"), std::string::npos);
  PJRT_NamedValue number = PlatformName("cpu");
  number.type = PJRT_NamedValue_kInt64;
  EXPECT_NE(NamesOfClient({number})[0].find("with name platform_name has type index"),
            std::string::npos);
}

TEST(PjrtPlatformTest, TheEnvironmentNamesThePlatform) {
  setenv("XYLEM_PLATFORM_NAME", "cpu", 1);
  EXPECT_EQ(NamesOfClient({}), Cpu());
  EXPECT_EQ(NamesOfClient({PlatformName("xylem")}), Xylem());
  setenv("XYLEM_PLATFORM_NAME", "", 1);
  EXPECT_EQ(NamesOfClient({}), Xylem());
  setenv("XYLEM_PLATFORM_NAME", "tpu", 1);
  EXPECT_EQ(NamesOfClient({}).size(), 1u);
  unsetenv("XYLEM_PLATFORM_NAME");
}

TEST(PjrtPlatformTest, ATopologyKeepsItsName) {
  const PJRT_NamedValue option = PlatformName("cpu");
  auto create = New<PJRT_TopologyDescription_Create_Args>();
  create.create_options = &option;
  create.num_options = 1;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Create(&create));
  auto serialize = New<PJRT_TopologyDescription_Serialize_Args>();
  serialize.topology = create.topology;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Serialize(&serialize));
  auto read = New<PJRT_TopologyDescription_Deserialize_Args>();
  read.serialized_topology = serialize.serialized_bytes;
  read.serialized_topology_size = serialize.serialized_bytes_size;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Deserialize(&read));
  auto name = New<PJRT_TopologyDescription_PlatformName_Args>();
  name.topology = read.topology;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_PlatformName(&name));
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "cpu");
  serialize.serialized_topology_deleter(serialize.serialized_topology);
  for (PJRT_TopologyDescription* topology : {create.topology, read.topology}) {
    auto destroy = New<PJRT_TopologyDescription_Destroy_Args>();
    destroy.topology = topology;
    EXPECT_CALL_OK(Api().PJRT_TopologyDescription_Destroy(&destroy));
  }
}

}  // namespace
}  // namespace xla::pjrt::testing
