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
#include "xla/distributed/topology.h"
#include "xla/pjrt/caller_store.h"
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

// Registers this process among those of its job, waits for the others and connects to them.
absl::Status JoinJob(const ClientOptions& given, const Platform& platform, ClientState& client) {
  distributed::ProcessDescription self;
  self.version = PlatformVersion(given.compiler);
  self.platform = platform.name();
  self.num_devices = given.num_devices;
  self.partition_index = given.partition_index;
  client.collective_timeout = absl::Seconds(given.collective_timeout);
  XLA_ASSIGN_OR_RETURN(client.job,
                       distributed::Job::Join({.process = given.node_id,
                                               .num_processes = given.num_nodes,
                                               .engine = given.transport,
                                               .address = given.process_address,
                                               .coordinator = given.coordinator_address},
                                              std::move(self), client.store));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<PJRT_TopologyDescription>> TopologyOf(const ClientState& client,
                                                                     const ClientOptions& given,
                                                                     const Platform& platform) {
  if (client.job == nullptr) {
    return MakeTopology({{given.process_id, given.num_devices}},
                        given.process_id * kDeviceIdsOfProcess, platform);
  }
  std::vector<ProcessDevices> processes;
  const distributed::Topology& topology = client.job->topology();
  for (const int64_t process : topology.processes_by_id()) {
    const distributed::Topology::Process& described = topology.process(process);
    processes.push_back({process, described.description.num_devices, described.host});
  }
  return MakeTopology(std::move(processes), 0, platform);
}

absl::StatusOr<ClientPointer> MakeClient(const ClientOptions& given, const Platform& platform,
                                         std::shared_ptr<CallerStore> store) {
  const ClientPointer client(new ClientState, EndClient);
  client->is_asynchronous = given.asynchronous;
  client->process_index = static_cast<int>(given.num_nodes > 1 ? given.node_id : given.process_id);
  client->store = std::move(store);
  if (given.num_nodes > 1) XLA_RETURN_IF_ERROR(JoinJob(given, platform, *client));
  XLA_ASSIGN_OR_RETURN(client->topology, TopologyOf(*client, given, platform));
  client->num_devices = static_cast<int64_t>(client->topology->devices.size());
  BackendOptions options;
  options.device_count = static_cast<int>(given.num_devices);
  options.use_compiler = given.compiler;
  if (client->job != nullptr) options.num_threads = client->job->UsableCpus();
  if (given.compiler) WarnWithoutCompiler();
  XLA_ASSIGN_OR_RETURN(client->backend, Backend::Create(options));
  for (const auto& description : client->topology->devices) {
    auto device = std::make_unique<PJRT_Device>();
    device->client = client.get();
    device->description = description.get();
    device->ordinal = -1;
    client->device_pointers.push_back(device.get());
    client->devices.push_back(std::move(device));
    if (description->process_index != client->process_index) continue;
    PJRT_Device* const local = client->device_pointers.back();
    local->ordinal = static_cast<int>(client->local_devices.size());
    client->local_devices.push_back(local);
    for (PJRT_MemoryDescription* kind : description->memory_pointers) {
      const int id = static_cast<int>(client->memories.size());
      auto memory = std::make_unique<PJRT_Memory>(
          PJRT_Memory{&kMemoryFunctions, id, kind, local, platform.MemoryDebugText(id, kind->kind),
                      platform.MemoryText(id, kind->kind, description->id)});
      local->memories.push_back(memory.get());
      client->memory_pointers.push_back(memory.get());
      client->memories.push_back(std::move(memory));
    }
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
  const int64_t index = int64_t{id} - topology->first_id;  // ids follow each other
  if (index >= 0 && index < static_cast<int64_t>(devices.size())) {
    return device_pointers[static_cast<size_t>(index)];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no device ", id, "; the client has ", devices.size()));
}

absl::StatusOr<PJRT_Device*> ClientState::DeviceAt(int ordinal) const {
  if (ordinal >= 0 && static_cast<size_t>(ordinal) < local_devices.size()) {
    return local_devices[static_cast<size_t>(ordinal)];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no device ", ordinal, " here; the client has ", local_devices.size()));
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
  // With one process the callbacks may be anything.
  std::shared_ptr<CallerStore> store;
  if (options.num_nodes > 1) {
    XLA_ASSIGN_OR_RETURN(store, CallerStore::Create(args));
  }
  XLA_ASSIGN_OR_RETURN(ClientPointer state, MakeClient(options, *platform, std::move(store)));
  args.client = new PJRT_Client{std::move(state)};
  return absl::OkStatus();
}

absl::Status Client_Destroy(PJRT_Client_Destroy_Args& args) {
  if (args.client == nullptr) return absl::OkStatus();
  // The caller has ended the service behind its callbacks.
  if (args.client->state->store != nullptr) args.client->state->store->Close();
  args.client->state->backend->AwaitLaunches();
  if (args.client->state->job != nullptr) args.client->state->job->Leave();
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
  args.process_index = args.client->state->process_index;
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
  args.addressable_devices = args.client->state->local_devices.data();
  args.num_addressable_devices = args.client->state->local_devices.size();
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

// The caller ends the process if this is an error.
absl::Status Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  ClientState& client = *args.client->state;
  if (client.job == nullptr || args.process_infos == nullptr) return absl::OkStatus();
  for (size_t i = 0; i < args.num_process_infos; ++i) {
    const PJRT_ProcessInfo& process = args.process_infos[i];
    if (process.state == PJRT_ProcessState_kDisconnected ||
        process.state == PJRT_ProcessState_kError) {
      const absl::string_view why =
          process.error_message == nullptr
              ? absl::string_view()
              : absl::string_view(process.error_message, process.error_message_size);
      client.job->ProcessIsGone(
          process.task_id, absl::UnavailableError(absl::StrCat(
                               client.job->topology().ProcessText(process.task_id), " has gone",
                               why.empty() ? ", says the coordination service" : ": ", why)));
    } else if (process.state == PJRT_ProcessState_kConnected) {
      const std::lock_guard<std::mutex> lock(client.incarnations_mutex);
      const auto [known, is_new] =
          client.incarnations.try_emplace(process.task_id, process.incarnation_id);
      if (!is_new && known->second != process.incarnation_id) {
        known->second = process.incarnation_id;
        client.job->ProcessIsBack(process.task_id);
      }
    }
  }
  return absl::OkStatus();
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
  // The devices of this process, or those of all if these are too few.
  const ClientState& client = *args.client->state;
  const bool is_local = wanted <= static_cast<int64_t>(client.local_devices.size());
  const int first =
      (is_local ? client.local_devices : client.device_pointers).front()->description->id;
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
