// SPDX-License-Identifier: Apache-2.0
// Topologies: devices without a client, for compiling ahead of time.
#include "xla/distributed/topology.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla/base/fnv_hash.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/client_options.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/entry_attributes.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/program.h"
#include "xla/pjrt/types.h"
#include "xla/xla_data.pb.h"

struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace xla::pjrt {
namespace {

// Then the platform, the first id, and for each process its number, devices and host, all after
// spaces.
constexpr char kTopologyPrefix[] = "xylem-topology 3";
constexpr size_t kMaxTopologyBytes = size_t{64} * distributed::kMaxProcesses;

PJRT_NamedValue Integer(const char* name, int64_t number) {
  PJRT_NamedValue value = {};
  value.struct_size = sizeof(PJRT_NamedValue);
  value.name = name;
  value.name_size = std::strlen(name);
  value.type = PJRT_NamedValue_kInt64;
  value.int64_value = number;
  value.value_size = 1;
  return value;
}

std::unique_ptr<PJRT_DeviceDescription> DescribeDevice(int id, const ProcessDevices& process,
                                                       const Platform& platform) {
  auto device = std::make_unique<PJRT_DeviceDescription>();
  device->id = id;
  device->process_index = static_cast<int>(process.process);
  device->kind = platform.name();
  device->debug_string = platform.DeviceDebugText(id);
  device->to_string = platform.DeviceText(id);
  if (process.host >= 0) {
    // By its two names: that of XLA's clients, and that which JAX's meshes read.
    device->attributes = {Integer("partition_index", process.host),
                          Integer("slice_index", process.host)};
  }
  // All kinds are the memory of the host; programs may ask for any by name.
  for (const std::string_view kind : kMemoryKinds) {
    const auto number = static_cast<int>(device->memories.size());
    device->memories.push_back({std::string(kind), number});
  }
  for (PJRT_MemoryDescription& memory : device->memories) {
    device->memory_pointers.push_back(&memory);
  }
  return device;
}

std::string SerializeTopology(const PJRT_TopologyDescription& topology) {
  std::string text =
      absl::StrCat(kTopologyPrefix, " ", topology.platform->name(), " ", topology.first_id);
  for (const ProcessDevices& process : topology.processes) {
    absl::StrAppend(&text, " ", process.process, " ", process.num_devices, " ", process.host);
  }
  return text;
}

absl::StatusOr<std::unique_ptr<PJRT_TopologyDescription>> ParseTopology(absl::string_view text) {
  const absl::Status malformed =
      absl::InvalidArgumentError("these bytes are not a topology of Xylem");
  if (text.size() > kMaxTopologyBytes || !absl::ConsumePrefix(&text, kTopologyPrefix)) {
    return malformed;
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ' ');
  if (parts.size() < 6 || parts.size() % 3 != 0 || !parts[0].empty()) return malformed;
  XLA_ASSIGN_OR_RETURN(const Platform* platform,
                       Platform::Find({parts[1].data(), parts[1].size()}));
  int64_t first_id = 0;
  if (!absl::SimpleAtoi(parts[2], &first_id)) return malformed;
  std::vector<ProcessDevices> processes;
  for (size_t i = 3; i < parts.size(); i += 3) {
    ProcessDevices& process = processes.emplace_back();
    if (!absl::SimpleAtoi(parts[i], &process.process) ||
        !absl::SimpleAtoi(parts[i + 1], &process.num_devices) ||
        !absl::SimpleAtoi(parts[i + 2], &process.host)) {
      return malformed;
    }
  }
  return MakeTopology(std::move(processes), first_id, *platform);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PJRT_TopologyDescription>> MakeTopology(
    std::vector<ProcessDevices> processes, int64_t first_id, const Platform& platform) {
  int64_t count = 0;
  for (const ProcessDevices& process : processes) {
    if (process.num_devices < 1 || process.num_devices > kMaxDevices) {
      return absl::InvalidArgumentError(
          absl::StrCat(process.num_devices, " devices; there may be 1 to ", kMaxDevices));
    }
    if (process.process < 0 || process.process > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("process ", process.process));
    }
    count += process.num_devices;
    if (count > distributed::kMaxJobDevices) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", distributed::kMaxJobDevices, " devices of all processes"));
    }
  }
  if (first_id < 0 || first_id > std::numeric_limits<int32_t>::max() - count) {
    return absl::InvalidArgumentError(absl::StrCat("device ids from ", first_id));
  }
  auto topology = std::make_unique<PJRT_TopologyDescription>();
  topology->platform = &platform;
  topology->first_id = first_id;
  topology->processes = std::move(processes);
  for (const ProcessDevices& process : topology->processes) {
    for (int64_t i = 0; i < process.num_devices; ++i) {
      const auto id = static_cast<int>(first_id) + static_cast<int>(topology->devices.size());
      topology->devices.push_back(DescribeDevice(id, process, platform));
      topology->device_pointers.push_back(topology->devices.back().get());
    }
  }
  return topology;
}

namespace api {

absl::Status TopologyDescription_Create(PJRT_TopologyDescription_Create_Args& args) {
  XLA_ASSIGN_OR_RETURN(const ClientOptions options,
                       ReadClientOptions(args.create_options, args.num_options));
  XLA_ASSIGN_OR_RETURN(const Platform* platform,
                       Platform::FromOptions(args.create_options, args.num_options));
  // Several processes are alike, and each is a host.
  std::vector<ProcessDevices> processes = {{options.process_id, options.num_devices}};
  if (options.num_nodes > 1) {
    processes.clear();
    for (int64_t i = 0; i < options.num_nodes; ++i) {
      processes.push_back({i, options.num_devices, options.partition_index.value_or(i)});
    }
  }
  const int64_t first_id = options.num_nodes > 1 ? 0 : options.process_id * kDeviceIdsOfProcess;
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_TopologyDescription> topology,
                       MakeTopology(std::move(processes), first_id, *platform));
  args.topology = topology.release();
  return absl::OkStatus();
}

absl::Status TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args& args) {
  delete args.topology;
  return absl::OkStatus();
}

absl::Status TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  Put(args.topology->platform->name(), args.platform_name, args.platform_name_size);
  return absl::OkStatus();
}

absl::Status TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args& args) {
  Put(PlatformVersion(), args.platform_version, args.platform_version_size);
  return absl::OkStatus();
}

absl::Status TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  args.descriptions = args.topology->device_pointers.data();
  args.num_descriptions = args.topology->device_pointers.size();
  return absl::OkStatus();
}

absl::Status TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  auto* holder = new PJRT_SerializedTopology{SerializeTopology(*args.topology)};
  Put(holder->bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_topology = holder;
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* topology) { delete topology; };
  return absl::OkStatus();
}

absl::Status TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"serialized_topology", args.serialized_topology}}));
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_TopologyDescription> topology,
                       ParseTopology({args.serialized_topology, args.serialized_topology_size}));
  args.topology = topology.release();
  return absl::OkStatus();
}

absl::Status TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  args.attributes = args.topology->attributes.data();
  args.num_attributes = args.topology->attributes.size();
  return absl::OkStatus();
}

absl::Status TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  args.fingerprint = FnvHash(SerializeTopology(*args.topology));
  return absl::OkStatus();
}

absl::Status TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  static constexpr int kKinds[] = {0, 1, 2};
  args.memory_space_kind_ids = kKinds;
  args.num_memory_space_kind_ids = std::size(kKinds);
  return absl::OkStatus();
}

absl::Status TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  XLA_ASSIGN_OR_RETURN(const Shape shape,
                       ShapeOf(args.element_type, args.dims, args.num_dims, args.layout));
  const std::string bytes = shape.ToProto().SerializeAsString();
  auto* copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) return absl::ResourceExhaustedError("out of memory");
  bytes.copy(copy, bytes.size());
  args.serialized_shape = copy;
  args.serialized_shape_size = bytes.size();
  args.serialized_shape_deleter = [](const char* text) { std::free(const_cast<char*>(text)); };
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
