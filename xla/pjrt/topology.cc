// SPDX-License-Identifier: Apache-2.0
// Topologies: devices without a client, for compiling ahead of time.
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/client_options.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/entry_attributes.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/types.h"
#include "xla/xla_data.pb.h"

struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace xla::pjrt {
namespace {

constexpr char kTopologyPrefix[] = "xylem-topology 2 devices ";

}  // namespace

absl::StatusOr<std::unique_ptr<PJRT_TopologyDescription>> MakeTopology(int64_t num_devices,
                                                                       int64_t process_id,
                                                                       const Platform& platform) {
  if (num_devices < 1 || num_devices > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat(num_devices, " devices; there may be 1 to ", kMaxDevices));
  }
  auto topology = std::make_unique<PJRT_TopologyDescription>();
  topology->platform = &platform;
  for (int64_t i = 0; i < num_devices; ++i) {
    auto device = std::make_unique<PJRT_DeviceDescription>();
    const auto id = static_cast<int>(process_id * kDeviceIdsOfProcess + i);
    device->id = id;
    device->process_index = static_cast<int>(process_id);
    device->kind = platform.name();
    device->debug_string = platform.DeviceDebugText(id);
    device->to_string = platform.DeviceText(id);
    // All kinds are the memory of the host; programs may ask for any by name.
    for (const std::string_view kind : kMemoryKinds) {
      const auto number = static_cast<int>(device->memories.size());
      device->memories.push_back({std::string(kind), number});
    }
    for (PJRT_MemoryDescription& memory : device->memories) {
      device->memory_pointers.push_back(&memory);
    }
    topology->device_pointers.push_back(device.get());
    topology->devices.push_back(std::move(device));
  }
  return topology;
}

namespace api {

absl::Status TopologyDescription_Create(PJRT_TopologyDescription_Create_Args& args) {
  XLA_ASSIGN_OR_RETURN(const ClientOptions options,
                       ReadClientOptions(args.create_options, args.num_options));
  XLA_ASSIGN_OR_RETURN(const Platform* platform,
                       Platform::FromOptions(args.create_options, args.num_options));
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_TopologyDescription> topology,
                       MakeTopology(options.num_devices, options.process_id, *platform));
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
  auto* holder = new PJRT_SerializedTopology{absl::StrCat(
      kTopologyPrefix, args.topology->devices.size(), " of ", args.topology->platform->name())};
  Put(holder->bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_topology = holder;
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* topology) { delete topology; };
  return absl::OkStatus();
}

absl::Status TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"serialized_topology", args.serialized_topology}}));
  absl::string_view text(args.serialized_topology, args.serialized_topology_size);
  if (!absl::ConsumePrefix(&text, kTopologyPrefix)) {
    return absl::InvalidArgumentError("these bytes are not a topology of Xylem");
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(" of ", 1));
  int64_t count = 0;
  if (!absl::SimpleAtoi(parts.first, &count)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the serialized topology is of \"", parts.first, "\" devices"));
  }
  XLA_ASSIGN_OR_RETURN(const Platform* platform,
                       Platform::Find({parts.second.data(), parts.second.size()}));
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<PJRT_TopologyDescription> topology,
                       MakeTopology(count, 0, *platform));
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
  args.fingerprint = 0x78796c656d000000u + args.topology->devices.size();
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
