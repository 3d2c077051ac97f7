// SPDX-License-Identifier: Apache-2.0
// The plugin and its clients.
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/pjrt/client_options.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/service/computation_placer.h"

namespace xla::pjrt {
namespace {

PJRT_NamedValue IntegerList(const char* name, size_t name_size, const int64_t* values,
                            size_t count) {
  PJRT_NamedValue value = {};
  value.struct_size = sizeof(PJRT_NamedValue);
  value.name = name;
  value.name_size = name_size;
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = values;
  value.value_size = count;
  return value;
}

// See PJRT_Memory: memories are used through their table by code that expects it to keep user data.
void* NoUserData(PJRT_Memory*, const void*) { return nullptr; }
void DropUserData(PJRT_Memory*, const void*, void* data, void (*deleter)(void*)) {
  if (deleter != nullptr) deleter(data);
}
constexpr PJRT_Memory_FunctionTable kMemoryFunctions = {
    sizeof(PJRT_Memory_FunctionTable), nullptr, sizeof(PJRT_Memory), NoUserData, DropUserData};

// The threads of a client end with it, so that none of them may destroy it: the last reference may
// be released by a callback at the end of a run.
void EndClient(ClientState* client) {
  if (runtime::ReusableThreads::OwnThisThread()) {
    try {
      std::thread([client] { delete client; }).detach();
    } catch (const std::system_error&) {
      // The system has no thread left: the client is leaked.
    }
  } else {
    delete client;
  }
}

// Warns once if programs are interpreted, which is much slower, because LLVM is missing.
void WarnWithoutCompiler() {
  static const bool is_there = [] {
    const absl::Status compiler = CheckCpuCompiler();
    if (!compiler.ok()) {
      std::fprintf(stderr, "Xylem: interpreting, as nothing can be compiled: %s\n",
                   std::string(compiler.message()).c_str());
    }
    return compiler.ok();
  }();
  (void)is_there;
}

absl::StatusOr<ClientPointer> MakeClient(const ClientOptions& given, const Platform& platform) {
  const ClientPointer client(new ClientState, EndClient);
  client->is_asynchronous = given.asynchronous;
  XLA_ASSIGN_OR_RETURN(client->topology,
                       MakeTopology(given.num_devices, given.process_id, platform));
  BackendOptions options;
  options.device_count = static_cast<int>(given.num_devices);
  options.use_compiler = given.compiler;
  if (given.compiler) WarnWithoutCompiler();
  XLA_ASSIGN_OR_RETURN(client->backend, Backend::Create(options));
  for (const auto& description : client->topology->devices) {
    auto device = std::make_unique<PJRT_Device>();
    device->client = client.get();
    device->description = description.get();
    device->ordinal = static_cast<int>(client->devices.size());
    for (PJRT_MemoryDescription* kind : description->memory_pointers) {
      const int id = static_cast<int>(client->memories.size());
      auto memory = std::make_unique<PJRT_Memory>(PJRT_Memory{
          &kMemoryFunctions, id, kind, device.get(), platform.MemoryDebugText(id, kind->kind),
          platform.MemoryText(id, kind->kind, description->id)});
      device->memories.push_back(memory.get());
      client->memory_pointers.push_back(memory.get());
      client->memories.push_back(std::move(memory));
    }
    client->device_pointers.push_back(device.get());
    client->devices.push_back(std::move(device));
  }
  return client;
}

}  // namespace

const std::string& PlatformVersion(bool use_compiler) {
  static const std::string interprets = "Xylem " XYLEM_VERSION ", interpreter";
  if (!use_compiler) return interprets;
  static const std::string compiles = [] {
    const absl::StatusOr<std::string> compiler = CpuCompilerVersion();
    return compiler.ok() ? absl::StrCat("Xylem " XYLEM_VERSION ", ", *compiler) : interprets;
  }();
  return compiles;
}

absl::StatusOr<PJRT_Device*> ClientState::FindDevice(int id) const {
  for (PJRT_Device* device : device_pointers) {
    if (device->description->id == id) return device;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no device ", id, "; the client has ", devices.size()));
}

absl::StatusOr<PJRT_Device*> ClientState::DeviceAt(int ordinal) const {
  if (ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size()) {
    return device_pointers[static_cast<size_t>(ordinal)];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no device ", ordinal, " here; the client has ", devices.size()));
}

namespace api {

absl::Status Plugin_Initialize(PJRT_Plugin_Initialize_Args&) { return absl::OkStatus(); }

absl::Status Plugin_Attributes(PJRT_Plugin_Attributes_Args& args) {
  // The version that the readers of xla/stablehlo support.
  static constexpr int64_t kCurrent[] = {1, 17, 0};
  static constexpr int64_t kMinimum[] = {0, 9, 0};
  static constexpr int64_t kXlaVersion[] = {2};
  static const std::vector<PJRT_NamedValue> attributes = {
      IntegerList("stablehlo_current_version", 25, kCurrent, 3),
      IntegerList("stablehlo_minimum_version", 25, kMinimum, 3), [] {
        PJRT_NamedValue value = IntegerList("xla_version", 11, nullptr, 1);
        value.type = PJRT_NamedValue_kInt64;
        value.int64_value = kXlaVersion[0];
        return value;
      }()};
  args.attributes = attributes.data();
  args.num_attributes = attributes.size();
  return absl::OkStatus();
}

absl::Status Client_Create(PJRT_Client_Create_Args& args) {
  XLA_ASSIGN_OR_RETURN(const ClientOptions options,
                       ReadClientOptions(args.create_options, args.num_options));
  XLA_ASSIGN_OR_RETURN(const Platform* platform,
                       Platform::FromOptions(args.create_options, args.num_options));
  XLA_ASSIGN_OR_RETURN(ClientPointer state, MakeClient(options, *platform));
  args.client = new PJRT_Client{std::move(state)};
  return absl::OkStatus();
}

absl::Status Client_Destroy(PJRT_Client_Destroy_Args& args) {
  if (args.client == nullptr) return absl::OkStatus();
  args.client->state->backend->AwaitLaunches();
  delete args.client;
  return absl::OkStatus();
}

absl::Status Client_PlatformName(PJRT_Client_PlatformName_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  Put(args.client->state->topology->platform->name(), args.platform_name, args.platform_name_size);
  return absl::OkStatus();
}

absl::Status Client_ProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  args.process_index = args.client->state->topology->devices.front()->process_index;
  return absl::OkStatus();
}

absl::Status Client_PlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  Put(PlatformVersion(args.client->state->backend->options().use_compiler), args.platform_version,
      args.platform_version_size);
  return absl::OkStatus();
}

absl::Status Client_TopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  args.topology = args.client->state->topology.get();
  return absl::OkStatus();
}

absl::Status Client_Devices(PJRT_Client_Devices_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  args.devices = args.client->state->device_pointers.data();
  args.num_devices = args.client->state->device_pointers.size();
  return absl::OkStatus();
}

absl::Status Client_AddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  args.addressable_devices = args.client->state->device_pointers.data();
  args.num_addressable_devices = args.client->state->device_pointers.size();
  return absl::OkStatus();
}

absl::Status Client_LookupDevice(PJRT_Client_LookupDevice_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  XLA_ASSIGN_OR_RETURN(args.device, args.client->state->FindDevice(args.id));
  return absl::OkStatus();
}

absl::Status Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  XLA_ASSIGN_OR_RETURN(args.addressable_device,
                       args.client->state->DeviceAt(args.local_hardware_id));
  return absl::OkStatus();
}

absl::Status Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args& args) {
  return Require({{"client", args.client}});  // Nothing depends on other processes.
}

absl::Status Client_AddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  args.addressable_memories = args.client->state->memory_pointers.data();
  args.num_addressable_memories = args.client->state->memory_pointers.size();
  return absl::OkStatus();
}

absl::Status Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  XLA_RETURN_IF_ERROR(
      Require({{"client", args.client}, {"default_assignment", args.default_assignment}}));
  const int64_t wanted = int64_t{args.num_replicas} * args.num_partitions;
  if (args.num_replicas < 1 || args.num_partitions < 1 ||
      wanted > static_cast<int64_t>(args.default_assignment_size)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a device assignment of ", args.num_replicas, " replicas and ", args.num_partitions,
        " partitions in a list of ", args.default_assignment_size));
  }
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  const int first = args.client->state->topology->devices.front()->id;
  for (int64_t i = 0; i < wanted; ++i) args.default_assignment[i] = first + static_cast<int>(i);
  return absl::OkStatus();
}

// Devices can access all memory of the process.
absl::Status Client_DmaMap(PJRT_Client_DmaMap_Args& args) {
  return Require({{"client", args.client}, {"data", args.data}});
}

absl::Status Client_DmaUnmap(PJRT_Client_DmaUnmap_Args& args) {
  return Require({{"client", args.client}, {"data", args.data}});
}

}  // namespace api
}  // namespace xla::pjrt
