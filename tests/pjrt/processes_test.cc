// SPDX-License-Identifier: Apache-2.0
// What clients report when several processes work together.
#include "tests/pjrt/processes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/xla_data.pb.h"

namespace xla::pjrt::testing {
namespace {

std::vector<PJRT_Device*> AllDevices(PJRT_Client* client) {
  auto args = New<PJRT_Client_Devices_Args>();
  args.client = client;
  EXPECT_CALL_OK(Api().PJRT_Client_Devices(&args));
  return {args.devices, args.devices + args.num_devices};
}

PJRT_DeviceDescription* DescriptionOf(PJRT_Device* device) {
  auto args = New<PJRT_Device_GetDescription_Args>();
  args.device = device;
  EXPECT_CALL_OK(Api().PJRT_Device_GetDescription(&args));
  return args.device_description;
}

int IdOf(PJRT_Device* device) {
  auto args = New<PJRT_DeviceDescription_Id_Args>();
  args.device_description = DescriptionOf(device);
  EXPECT_CALL_OK(Api().PJRT_DeviceDescription_Id(&args));
  return args.id;
}

int ProcessOf(PJRT_Device* device) {
  auto args = New<PJRT_DeviceDescription_ProcessIndex_Args>();
  args.device_description = DescriptionOf(device);
  EXPECT_CALL_OK(Api().PJRT_DeviceDescription_ProcessIndex(&args));
  return args.process_index;
}

int LocalIdOf(PJRT_Device* device) {
  auto args = New<PJRT_Device_LocalHardwareId_Args>();
  args.device = device;
  EXPECT_CALL_OK(Api().PJRT_Device_LocalHardwareId(&args));
  return args.local_hardware_id;
}

TEST(ProcessesTest, EachSeesTheDevicesOfAll) {
  Job job({2, 3});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  for (int process = 0; process < 2; ++process) {
    PJRT_Client* client = job.clients[static_cast<size_t>(process)];
    ASSERT_NE(client, nullptr) << job.errors[static_cast<size_t>(process)];
    auto index = New<PJRT_Client_ProcessIndex_Args>();
    index.client = client;
    ASSERT_CALL_OK(Api().PJRT_Client_ProcessIndex(&index));
    EXPECT_EQ(index.process_index, process);
    const std::vector<PJRT_Device*> devices = AllDevices(client);
    ASSERT_EQ(devices.size(), 5u);
    std::vector<int> local_ids;
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(IdOf(devices[i]), static_cast<int>(i));
      EXPECT_EQ(ProcessOf(devices[i]), i < 2 ? 0 : 1);
      local_ids.push_back(LocalIdOf(devices[i]));
      auto addressable = New<PJRT_Device_IsAddressable_Args>();
      addressable.device = devices[i];
      ASSERT_CALL_OK(Api().PJRT_Device_IsAddressable(&addressable));
      EXPECT_EQ(addressable.is_addressable, ProcessOf(devices[i]) == process);
    }
    EXPECT_EQ(local_ids, process == 0 ? (std::vector<int>{0, 1, -1, -1, -1})
                                      : (std::vector<int>{-1, -1, 0, 1, 2}));
    auto local = New<PJRT_Client_AddressableDevices_Args>();
    local.client = client;
    ASSERT_CALL_OK(Api().PJRT_Client_AddressableDevices(&local));
    ASSERT_EQ(local.num_addressable_devices, process == 0 ? 2u : 3u);
    EXPECT_EQ(local.addressable_devices[0], devices[process == 0 ? 0 : 2]);
    // Two numberings.
    auto by_id = New<PJRT_Client_LookupDevice_Args>();
    by_id.client = client;
    by_id.id = 3;
    ASSERT_CALL_OK(Api().PJRT_Client_LookupDevice(&by_id));
    EXPECT_EQ(by_id.device, devices[3]);
    by_id.id = 5;
    EXPECT_CALL_ERROR(Api().PJRT_Client_LookupDevice(&by_id), "no device 5");
    auto by_local_id = New<PJRT_Client_LookupAddressableDevice_Args>();
    by_local_id.client = client;
    by_local_id.local_hardware_id = 1;
    ASSERT_CALL_OK(Api().PJRT_Client_LookupAddressableDevice(&by_local_id));
    EXPECT_EQ(by_local_id.addressable_device, devices[process == 0 ? 1 : 3]);
    by_local_id.local_hardware_id = 3;
    EXPECT_CALL_ERROR(Api().PJRT_Client_LookupAddressableDevice(&by_local_id), "no device 3");
    // A few replicas are on the devices of the process, many on those of all.
    int ids[5] = {};
    auto assignment = New<PJRT_Client_DefaultDeviceAssignment_Args>();
    assignment.client = client;
    assignment.num_replicas = 1;
    assignment.num_partitions = 2;
    assignment.default_assignment_size = 5;
    assignment.default_assignment = ids;
    ASSERT_CALL_OK(Api().PJRT_Client_DefaultDeviceAssignment(&assignment));
    EXPECT_EQ(ids[0], process == 0 ? 0 : 2);
    assignment.num_replicas = 5;
    assignment.num_partitions = 1;
    ASSERT_CALL_OK(Api().PJRT_Client_DefaultDeviceAssignment(&assignment));
    EXPECT_EQ(ids[0], 0);
    EXPECT_EQ(ids[4], 4);
  }
}

TEST(ProcessesTest, DevicesOfOthersHaveNoMemory) {
  Job job({1, 1});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  ASSERT_NE(job.clients[0], nullptr) << job.errors[0];
  PJRT_Device* remote = AllDevices(job.clients[0])[1];
  auto memories = New<PJRT_Device_AddressableMemories_Args>();
  memories.device = remote;
  ASSERT_CALL_OK(Api().PJRT_Device_AddressableMemories(&memories));
  EXPECT_EQ(memories.num_memories, 0u);
  auto memory = New<PJRT_Device_DefaultMemory_Args>();
  memory.device = remote;
  EXPECT_CALL_ERROR(Api().PJRT_Device_DefaultMemory(&memory), "belongs to process 1");
  auto stats = New<PJRT_Device_MemoryStats_Args>();
  stats.device = remote;
  EXPECT_CALL_ERROR(Api().PJRT_Device_MemoryStats(&stats), "belongs to process 1");
  const float value = 1;
  auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = job.clients[0];
  args.data = &value;
  args.type = PJRT_Buffer_Type_F32;
  args.device = remote;
  EXPECT_CALL_ERROR(Api().PJRT_Client_BufferFromHostBuffer(&args), "belongs to process 1");
}

// The devices of each host, or of what the caller says, share a partition.
TEST(ProcessesTest, DevicesSayWhatIsNear) {
  const auto partition_of = [](PJRT_Device* device) -> int64_t {
    auto args = New<PJRT_DeviceDescription_Attributes_Args>();
    args.device_description = DescriptionOf(device);
    EXPECT_CALL_OK(Api().PJRT_DeviceDescription_Attributes(&args));
    for (size_t i = 0; i < args.num_attributes; ++i) {
      if (std::string(args.attributes[i].name, args.attributes[i].name_size) == "slice_index") {
        return args.attributes[i].int64_value;
      }
    }
    return -1;
  };
  Job on_one_host({1, 1});
  if (on_one_host.CannotConnect()) GTEST_SKIP() << on_one_host.errors[0];
  ASSERT_NE(on_one_host.clients[1], nullptr) << on_one_host.errors[1];
  EXPECT_EQ(partition_of(AllDevices(on_one_host.clients[1])[0]), 0);
  EXPECT_EQ(partition_of(AllDevices(on_one_host.clients[1])[1]), 0);
  Job stated({1, 1}, {{NumberOption("partition_index", 4)}, {NumberOption("partition_index", 2)}});
  ASSERT_NE(stated.clients[1], nullptr) << stated.errors[1];
  const std::vector<PJRT_Device*> devices = AllDevices(stated.clients[1]);
  EXPECT_EQ(partition_of(devices[0]), 2);
  EXPECT_EQ(ProcessOf(devices[0]), 1);
  EXPECT_EQ(partition_of(devices[1]), 4);
  EXPECT_EQ(partition_of(Plugin().device()), -1);
}

TEST(ProcessesTest, WrongOptionsAreErrors) {
  JobStore store;
  std::string error;
  EXPECT_EQ(JoinJob(store, {NumberOption("num_nodes", 2), NumberOption("node_id", 2)}, &error),
            nullptr);
  EXPECT_EQ(error, "node_id 2 of num_nodes 2");
  EXPECT_EQ(JoinJob(store, {NumberOption("num_nodes", 0)}, &error), nullptr);
  EXPECT_NE(error.find("num_nodes 0"), std::string::npos);
  const PJRT_NamedValue options[] = {NumberOption("num_nodes", 2), NumberOption("node_id", 0)};
  auto create = New<PJRT_Client_Create_Args>();
  create.create_options = options;
  create.num_options = 2;
  EXPECT_CALL_ERROR(Api().PJRT_Client_Create(&create), "kv_get_callback is null");
}

// Options as jaxlib serializes them: maps in any order, and each process with its own number.
std::string SerializedOptions(int process, bool other_way) {
  CompileOptionsProto options;
  auto* build = options.mutable_executable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(4);
  build->set_use_spmd_partitioning(true);
  build->set_process_index(process);
  build->set_process_count(2);
  auto* assignment = build->mutable_device_assignment();
  assignment->set_replica_count(1);
  assignment->set_computation_count(4);
  for (const int id : {1, 0, 3, 2})
    assignment->add_computation_devices()->add_replica_device_ids(id);
  std::string bytes = options.SerializeAsString();
  CompileOptionsProto first, second;
  (*first.mutable_env_option_overrides())["xla_cpu_ftz"].set_bool_field(false);
  (*second.mutable_env_option_overrides())["xla_cpu_max_isa"].set_string_field("AVX2");
  // Concatenated messages merge.
  const std::string a = first.SerializeAsString(), b = second.SerializeAsString();
  return bytes + (other_way ? b + a : a + b);
}

constexpr char kProgram[] = R"(
module @program attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<8xf32> {
    %y = stablehlo.add %x, %x : tensor<8xf32>
    return %y : tensor<8xf32>
  }
})";

PJRT_LoadedExecutable* CompileOn(PJRT_Client* client, const std::string& options,
                                 std::string code = kProgram) {
  auto program = New<PJRT_Program>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  auto args = New<PJRT_Client_Compile_Args>();
  args.client = client;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  EXPECT_CALL_OK(Api().PJRT_Client_Compile(&args));
  return args.executable;
}

std::string FingerprintOf(PJRT_LoadedExecutable* executable) {
  auto args = New<PJRT_LoadedExecutable_Fingerprint_Args>();
  args.executable = executable;
  EXPECT_CALL_OK(Api().PJRT_LoadedExecutable_Fingerprint(&args));
  return std::string(args.executable_fingerprint, args.executable_fingerprint_size);
}

void Destroy(PJRT_LoadedExecutable* executable) {
  auto args = New<PJRT_LoadedExecutable_Destroy_Args>();
  args.executable = executable;
  EXPECT_CALL_OK(Api().PJRT_LoadedExecutable_Destroy(&args));
}

// Each process loads its part of a program of all devices.
void ExpectPart(int process, PJRT_Client* client, PJRT_LoadedExecutable* executable) {
  const std::vector<PJRT_Device*> devices = AllDevices(client);
  auto local = New<PJRT_LoadedExecutable_AddressableDevices_Args>();
  local.executable = executable;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_AddressableDevices(&local));
  ASSERT_EQ(local.num_addressable_devices, 2u);
  const size_t first = process == 0 ? 1 : 3;  // the assignment is 1, 0, 3, 2
  EXPECT_EQ(local.addressable_devices[0], devices[first]);
  EXPECT_EQ(local.addressable_devices[1], devices[first - 1]);
  auto logical = New<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>();
  logical.executable = executable;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_AddressableDeviceLogicalIds(&logical));
  ASSERT_EQ(logical.num_addressable_device_logical_ids, 2u);
  EXPECT_EQ(logical.addressable_device_logical_ids[0].partition, 2 * process);
  EXPECT_EQ(logical.addressable_device_logical_ids[1].partition, 2 * process + 1);
  auto whole = New<PJRT_LoadedExecutable_GetDeviceAssignment_Args>();
  whole.executable = executable;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetDeviceAssignment(&whole));
  DeviceAssignmentProto proto;
  ASSERT_TRUE(
      proto.ParseFromString(std::string(whole.serialized_bytes, whole.serialized_bytes_size)));
  whole.serialized_device_assignment_deleter(whole.serialized_device_assignment);
  ASSERT_EQ(proto.computation_devices_size(), 4);
  EXPECT_EQ(proto.computation_devices(3).replica_device_ids(0), 2);
}

TEST(ProcessesTest, EachLoadsItsPartOfAProgram) {
  Job job({2, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  std::vector<PJRT_LoadedExecutable*> executables;
  for (int process = 0; process < 2; ++process) {
    PJRT_Client* client = job.clients[static_cast<size_t>(process)];
    ASSERT_NE(client, nullptr) << job.errors[static_cast<size_t>(process)];
    executables.push_back(CompileOn(client, SerializedOptions(process, process == 1)));
    ASSERT_NE(executables.back(), nullptr);
    ExpectPart(process, client, executables.back());
  }
  EXPECT_EQ(FingerprintOf(executables[0]), FingerprintOf(executables[1]));
  // What process 0 has compiled process 1 can load.
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = executables[0];
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto serialize = New<PJRT_Executable_Serialize_Args>();
  serialize.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_Serialize(&serialize));
  auto load = New<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = job.clients[1];
  load.serialized_executable = serialize.serialized_bytes;
  load.serialized_executable_size = serialize.serialized_bytes_size;
  ASSERT_CALL_OK(Api().PJRT_Executable_DeserializeAndLoad(&load));
  ExpectPart(1, job.clients[1], load.loaded_executable);
  EXPECT_EQ(FingerprintOf(load.loaded_executable), FingerprintOf(executables[0]));
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
  Destroy(load.loaded_executable);
  for (PJRT_LoadedExecutable* executable : executables) Destroy(executable);
}

TEST(ProcessesTest, TopologiesAreSerializedWithTheirProcesses) {
  Job job({2, 3});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  ASSERT_NE(job.clients[0], nullptr) << job.errors[0];
  std::vector<std::string> texts;
  std::vector<uint64_t> fingerprints;
  for (PJRT_Client* client : job.clients) {
    auto topology = New<PJRT_Client_TopologyDescription_Args>();
    topology.client = client;
    ASSERT_CALL_OK(Api().PJRT_Client_TopologyDescription(&topology));
    auto serialize = New<PJRT_TopologyDescription_Serialize_Args>();
    serialize.topology = topology.topology;
    ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Serialize(&serialize));
    texts.emplace_back(serialize.serialized_bytes, serialize.serialized_bytes_size);
    serialize.serialized_topology_deleter(serialize.serialized_topology);
    auto fingerprint = New<PJRT_TopologyDescription_Fingerprint_Args>();
    fingerprint.topology = topology.topology;
    ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Fingerprint(&fingerprint));
    fingerprints.push_back(fingerprint.fingerprint);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
  auto read = New<PJRT_TopologyDescription_Deserialize_Args>();
  read.serialized_topology = texts[0].data();
  read.serialized_topology_size = texts[0].size();
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Deserialize(&read));
  auto devices = New<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  devices.topology = read.topology;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_GetDeviceDescriptions(&devices));
  ASSERT_EQ(devices.num_descriptions, 5u);
  auto process = New<PJRT_DeviceDescription_ProcessIndex_Args>();
  process.device_description = devices.descriptions[4];
  ASSERT_CALL_OK(Api().PJRT_DeviceDescription_ProcessIndex(&process));
  EXPECT_EQ(process.process_index, 1);
  auto destroy = New<PJRT_TopologyDescription_Destroy_Args>();
  destroy.topology = read.topology;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Destroy(&destroy));
  for (const std::string text :
       {"xylem-topology 3", "xylem-topology 3 xylem 0 1 2", "xylem-topology 3 xylem 0 0 0 0",
        "xylem-topology 3 x 0 0 1 0", "xylem-topology 3 xylem 2147483647 0 1 0",
        "xylem-topology 3 xylem 0 0 99999999999 0"}) {
    read.serialized_topology = text.data();
    read.serialized_topology_size = text.size();
    EXPECT_NE(TextOf(Api().PJRT_TopologyDescription_Deserialize(&read)), "OK") << text;
  }
}

// Ahead of time, for more devices than a process may have.
TEST(ProcessesTest, TopologiesOfLargeJobsNeedNoProcesses) {
  const PJRT_NamedValue options[] = {NumberOption("num_nodes", 1000),
                                     NumberOption("num_devices", 8)};
  auto create = New<PJRT_TopologyDescription_Create_Args>();
  create.create_options = options;
  create.num_options = 2;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Create(&create));
  auto devices = New<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  devices.topology = create.topology;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_GetDeviceDescriptions(&devices));
  EXPECT_EQ(devices.num_descriptions, 8000u);
  auto destroy = New<PJRT_TopologyDescription_Destroy_Args>();
  destroy.topology = create.topology;
  ASSERT_CALL_OK(Api().PJRT_TopologyDescription_Destroy(&destroy));
}

constexpr char kSum[] = R"(
module @sums attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %y = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
        : (tensor<2xf32>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
})";

// Options of a program that is written for each of four devices.
std::string ManualOptions() {
  CompileOptionsProto options;
  auto* build = options.mutable_executable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(4);
  return options.SerializeAsString();
}

PJRT_Buffer* FloatsOn(PJRT_Client* client, PJRT_Device* device, const std::vector<float>& values) {
  const int64_t size = static_cast<int64_t>(values.size());
  auto args = New<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = client;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  args.dims = &size;
  args.num_dims = 1;
  args.device = device;
  EXPECT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
  EXPECT_EQ(Await(args.done_with_host_buffer), "OK");
  return args.buffer;
}

// The floats, or the error; destroys the buffer.
std::string TextOfFloats(PJRT_Buffer* buffer, size_t count) {
  std::vector<float> values(count);
  auto args = New<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.dst = values.data();
  args.dst_size = count * sizeof(float);
  std::string text = TextOf(Api().PJRT_Buffer_ToHostBuffer(&args));
  if (text == "OK") text = Await(args.event);
  auto destroy = New<PJRT_Buffer_Destroy_Args>();
  destroy.buffer = buffer;
  EXPECT_CALL_OK(Api().PJRT_Buffer_Destroy(&destroy));
  if (text != "OK") return text;
  text.clear();
  for (const float value : values) text += std::to_string(static_cast<int>(value)) + " ";
  return text;
}

// One process's part of a run of a program with a result of so many floats: its results, or the
// error. Device d has the argument {d + 1, 10}.
std::vector<std::string> RunPart(PJRT_Client* client, PJRT_LoadedExecutable* executable,
                                 size_t result_size = 2) {
  auto local = New<PJRT_LoadedExecutable_AddressableDevices_Args>();
  local.executable = executable;
  EXPECT_CALL_OK(Api().PJRT_LoadedExecutable_AddressableDevices(&local));
  const size_t count = local.num_addressable_devices;
  std::vector<PJRT_Buffer*> arguments, outputs(count);
  for (size_t d = 0; d < count; ++d) {
    PJRT_Device* device = local.addressable_devices[d];
    arguments.push_back(FloatsOn(client, device, {static_cast<float>(IdOf(device) + 1), 10}));
  }
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t d = 0; d < count; ++d) {
    argument_lists.push_back(&arguments[d]);
    output_lists.push_back(&outputs[d]);
  }
  auto options = New<PJRT_ExecuteOptions>();
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = count;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  const std::string error = TextOf(Api().PJRT_LoadedExecutable_Execute(&args));
  std::vector<std::string> results;
  for (size_t d = 0; d < count; ++d) {
    results.push_back(error == "OK" ? TextOfFloats(outputs[d], result_size) : error);
    (void)TextOfFloats(arguments[d], 2);
  }
  return results;
}

PJRT_LoadedExecutable* CompileSum(PJRT_Client* client) {
  return CompileOn(client, ManualOptions(), kSum);
}

TEST(ProcessesTest, ProgramsSpanProcesses) {
  Job job({2, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  std::vector<std::vector<std::string>> results(2);
  std::vector<std::thread> threads;
  for (size_t process = 0; process < 2; ++process) {
    ASSERT_NE(job.clients[process], nullptr) << job.errors[process];
    threads.emplace_back([&, process] {
      PJRT_LoadedExecutable* executable = CompileSum(job.clients[process]);
      for (int run = 0; run < 20; ++run) {
        results[process] = RunPart(job.clients[process], executable);
      }
      Destroy(executable);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_process : results) {
    EXPECT_EQ(of_process, (std::vector<std::string>{"10 40 ", "10 40 "}));
  }
}

// Each collective, one after the other.
constexpr char kEvery[] = R"(
module @every attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<19xf32> {
    %gathered = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}
        : (tensor<2xf32>) -> tensor<8xf32>
    %sum = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}
        : (tensor<2xf32>) -> tensor<2xf32>
    %twice = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %exchanged = "stablehlo.all_to_all"(%twice) {split_dimension = 0 : i64, concat_dimension = 0 : i64,
        split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}
        : (tensor<4xf32>) -> tensor<4xf32>
    %scattered = "stablehlo.reduce_scatter"(%twice) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
        use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>}
        : (tensor<4xf32>) -> tensor<1xf32>
    %shifted = "stablehlo.collective_permute"(%x) {
        source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>}
        : (tensor<2xf32>) -> tensor<2xf32>
    %sent = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[2, 0, 1, 3]]> : tensor<1x4xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>}
        : (tensor<2xf32>) -> tensor<2xf32>
    %all = stablehlo.concatenate %gathered, %sum, %exchanged, %scattered, %shifted, %sent, dim = 0
        : (tensor<8xf32>, tensor<2xf32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<19xf32>
    return %all : tensor<19xf32>
  }
})";

TEST(ProcessesTest, EveryCollective) {
  Job job({2, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  std::vector<std::vector<std::string>> results(2);
  std::vector<std::thread> threads;
  for (size_t process = 0; process < 2; ++process) {
    ASSERT_NE(job.clients[process], nullptr) << job.errors[process];
    threads.emplace_back([&, process] {
      PJRT_LoadedExecutable* executable = CompileOn(job.clients[process], ManualOptions(), kEvery);
      for (int run = 0; run < 5; ++run) {
        results[process] = RunPart(job.clients[process], executable, /*result_size=*/19);
      }
      Destroy(executable);
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Gathered, summed, exchanged, scattered sums, from the neighbor, from device 2.
  EXPECT_EQ(results[0],
            (std::vector<std::string>{"1 10 2 10 3 10 4 10 10 40 1 2 3 4 10 4 10 3 10 ",
                                      "1 10 2 10 3 10 4 10 10 40 10 10 10 10 40 1 10 3 10 "}));
  EXPECT_EQ(results[1],
            (std::vector<std::string>{"1 10 2 10 3 10 4 10 10 40 1 2 3 4 10 2 10 3 10 ",
                                      "1 10 2 10 3 10 4 10 10 40 10 10 10 10 40 3 10 3 10 "}));
}

// A process without devices of a program loads it and has nothing to run.
TEST(ProcessesTest, ProgramsOfOthersRunThere) {
  Job job({1, 1});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  ASSERT_NE(job.clients[0], nullptr) << job.errors[0];
  CompileOptionsProto options;
  auto* build = options.mutable_executable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(1);
  auto* assignment = build->mutable_device_assignment();
  assignment->set_replica_count(1);
  assignment->set_computation_count(1);
  assignment->add_computation_devices()->add_replica_device_ids(1);
  PJRT_LoadedExecutable* executable = CompileOn(job.clients[0], options.SerializeAsString());
  ASSERT_NE(executable, nullptr);
  auto local = New<PJRT_LoadedExecutable_AddressableDevices_Args>();
  local.executable = executable;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_AddressableDevices(&local));
  EXPECT_EQ(local.num_addressable_devices, 0u);
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.num_args = 1;
  EXPECT_CALL_OK(Api().PJRT_LoadedExecutable_Execute(&args));
  args.num_devices = 1;
  EXPECT_CALL_ERROR(Api().PJRT_LoadedExecutable_Execute(&args), "output_lists");
  Destroy(executable);
}

// A process that has gone is named.
TEST(ProcessesTest, AProcessThatHasGoneIsAnError) {
  Job job({2, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  ASSERT_NE(job.clients[0], nullptr) << job.errors[0];
  PJRT_LoadedExecutable* executable = CompileSum(job.clients[0]);
  auto destroy = New<PJRT_Client_Destroy_Args>();
  destroy.client = job.clients[1];
  EXPECT_CALL_OK(Api().PJRT_Client_Destroy(&destroy));
  job.clients[1] = nullptr;
  const std::vector<std::string> results = RunPart(job.clients[0], executable);
  for (const char* part : {"process 1 (host ", "has closed its client", "sums"}) {
    EXPECT_NE(results[0].find(part), std::string::npos) << results[0];
  }
  Destroy(executable);
}

// What the coordination service says of a process is taken as well.
TEST(ProcessesTest, TheCallerSaysThatAProcessHasGone) {
  Job job({2, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  ASSERT_NE(job.clients[0], nullptr) << job.errors[0];
  PJRT_LoadedExecutable* executable = CompileSum(job.clients[0]);
  std::thread caller([&job] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto info = New<PJRT_ProcessInfo>();
    info.task_id = 1;
    info.state = PJRT_ProcessState_kError;
    info.error_message = "missed its heartbeats";
    info.error_message_size = 21;
    auto args = New<PJRT_Client_UpdateGlobalProcessInfo_Args>();
    args.client = job.clients[0];
    args.process_infos = &info;
    args.num_process_infos = 1;
    EXPECT_CALL_OK(Api().PJRT_Client_UpdateGlobalProcessInfo(&args));
  });
  const std::vector<std::string> results = RunPart(job.clients[0], executable);
  caller.join();
  EXPECT_NE(results[0].find("missed its heartbeats"), std::string::npos) << results[0];
  Destroy(executable);
}

const PJRT_CrossHostTransfers_Extension* CrossHost() {
  for (const auto* extension = static_cast<const PJRT_Extension_Base*>(Api().extension_start);
       extension != nullptr; extension = extension->next) {
    if (extension->type == PJRT_Extension_Type_CrossHostTransfers) {
      return reinterpret_cast<const PJRT_CrossHostTransfers_Extension*>(extension);
    }
  }
  return nullptr;
}

TEST(ProcessesTest, BuffersAreCopiedToOtherProcesses) {
  Job job({1, 2});
  if (job.CannotConnect()) GTEST_SKIP() << job.errors[0];
  for (size_t i = 0; i < 2; ++i) ASSERT_NE(job.clients[i], nullptr) << job.errors[i];
  ASSERT_NE(CrossHost(), nullptr);
  // Received in another order than sent.
  std::vector<PJRT_Buffer*> sent = {
      FloatsOn(job.clients[0], AllDevices(job.clients[0])[0], {1, 2, 3}),
      FloatsOn(job.clients[0], AllDevices(job.clients[0])[0], {4, 5})};
  const int32_t targets[] = {2, 2}, sources[] = {0, 0};
  const int64_t send_keys[] = {7, 8}, receive_keys[] = {8, 7};
  PJRT_Event* events[2];
  auto send = New<PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args>();
  send.client = job.clients[0];
  send.num_buffers = 2;
  send.buffers = sent.data();
  send.dst_global_device_ids = targets;
  send.transfer_keys = send_keys;
  send.send_events = events;
  ASSERT_CALL_OK(CrossHost()->cross_host_send_buffers(&send));
  PJRT_Buffer* received[2];
  size_t ranks[] = {1, 1};
  const int64_t two = 2, three = 3;
  const int64_t* dims[] = {&two, &three};
  PJRT_Buffer_Type types[] = {PJRT_Buffer_Type_F32, PJRT_Buffer_Type_F32};
  auto receive = New<PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args>();
  receive.client = job.clients[1];
  receive.num_shapes = 2;
  receive.shape_num_dims = ranks;
  receive.num_dims = dims;
  receive.element_types = types;
  receive.device = AllDevices(job.clients[1])[2];
  receive.src_global_device_ids = sources;
  receive.transfer_keys = receive_keys;
  receive.buffers = received;
  ASSERT_CALL_OK(CrossHost()->cross_host_receive_buffers(&receive));
  EXPECT_EQ(TextOfFloats(received[0], 2), "4 5 ");
  EXPECT_EQ(TextOfFloats(received[1], 3), "1 2 3 ");
  for (PJRT_Event* event : events) EXPECT_EQ(Await(event), "OK");
  for (PJRT_Buffer* buffer : sent) (void)TextOfFloats(buffer, 3);
  // To itself there is nothing to send.
  const int32_t own[] = {0, 0};
  std::vector<PJRT_Buffer*> more = {FloatsOn(job.clients[0], AllDevices(job.clients[0])[0], {1})};
  send.num_buffers = 1;
  send.buffers = more.data();
  send.dst_global_device_ids = own;
  EXPECT_CALL_ERROR(CrossHost()->cross_host_send_buffers(&send), "belongs to this process");
  (void)TextOfFloats(more[0], 1);
}

}  // namespace
}  // namespace xla::pjrt::testing
