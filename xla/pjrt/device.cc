// SPDX-License-Identifier: Apache-2.0
// Devices, their descriptions and their memories.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"

struct PJRT_Device_Attributes {};
struct PJRT_AsyncTrackingEvent {};

namespace xla::pjrt {

void MemoryCount::Add(int64_t bytes) {
  const auto raise = [](std::atomic<int64_t>& most, int64_t value) {
    int64_t seen = most.load(std::memory_order_relaxed);
    while (seen < value && !most.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  };
  count_.fetch_add(1, std::memory_order_relaxed);
  raise(largest_, bytes);
  raise(peak_, in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

namespace {

absl::Status IsRemote(const PJRT_Device& device) {
  return absl::FailedPreconditionError(
      absl::StrCat(device.description->to_string, " belongs to process ",
                   device.description->process_index, "; its memory cannot be reached from here"));
}

}  // namespace

namespace api {

absl::Status DeviceDescription_Id(PJRT_DeviceDescription_Id_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  args.id = args.device_description->id;
  return absl::OkStatus();
}

absl::Status DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  args.process_index = args.device_description->process_index;
  return absl::OkStatus();
}

absl::Status DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  Put(args.device_description->kind, args.device_kind, args.device_kind_size);
  return absl::OkStatus();
}

absl::Status DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  Put(args.device_description->debug_string, args.debug_string, args.debug_string_size);
  return absl::OkStatus();
}

absl::Status DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device_description", args.device_description}}));
  Put(args.device_description->to_string, args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status Device_GetDescription(PJRT_Device_GetDescription_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.device_description = args.device->description;
  return absl::OkStatus();
}

absl::Status Device_IsAddressable(PJRT_Device_IsAddressable_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.is_addressable = args.device->ordinal >= 0;
  return absl::OkStatus();
}

absl::Status Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.local_hardware_id = args.device->ordinal;
  return absl::OkStatus();
}

absl::Status Device_AddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return absl::OkStatus();
}

absl::Status Device_DefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  if (args.device->memories.empty()) return IsRemote(*args.device);
  args.memory = args.device->memories.front();
  return absl::OkStatus();
}

absl::Status Device_MemoryStats(PJRT_Device_MemoryStats_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  if (args.device->ordinal < 0) return IsRemote(*args.device);
  const MemoryCount& count = args.device->memory_count;
  const PJRT_Device_MemoryStats_Args request = args;
  args = {};  // Unset fields must be marked.
  args.struct_size = request.struct_size;
  args.extension_start = request.extension_start;
  args.device = request.device;
  args.bytes_in_use = count.in_use();
  args.peak_bytes_in_use = count.peak();
  args.peak_bytes_in_use_is_set = true;
  args.num_allocs = count.count();
  args.num_allocs_is_set = true;
  args.largest_alloc_size = count.largest();
  args.largest_alloc_size_is_set = true;
  return absl::OkStatus();
}

absl::Status Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.device->memory_count.ResetPeak();
  return absl::OkStatus();
}

absl::Status Device_PoisonExecution(PJRT_Device_PoisonExecution_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.poisoned = false;  // Launches of several processes are not paired here.
  return absl::OkStatus();
}

absl::Status Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.event = new PJRT_AsyncTrackingEvent;
  return absl::OkStatus();
}

absl::Status AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args& args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status Device_GetAttributes(PJRT_Device_GetAttributes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"device", args.device}}));
  args.attributes = args.device->description->attributes.data();
  args.num_attributes = args.device->description->attributes.size();
  args.device_attributes = new PJRT_Device_Attributes;
  args.attributes_deleter = [](PJRT_Device_Attributes* attributes) { delete attributes; };
  return absl::OkStatus();
}

absl::Status Memory_Id(PJRT_Memory_Id_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory", args.memory}}));
  args.id = args.memory->id;
  return absl::OkStatus();
}

absl::Status Memory_Kind(PJRT_Memory_Kind_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory", args.memory}}));
  Put(args.memory->description->kind, args.kind, args.kind_size);
  return absl::OkStatus();
}

absl::Status Memory_Kind_Id(PJRT_Memory_Kind_Id_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory", args.memory}}));
  args.kind_id = args.memory->description->kind_id;
  return absl::OkStatus();
}

absl::Status Memory_DebugString(PJRT_Memory_DebugString_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory", args.memory}}));
  Put(args.memory->debug_string, args.debug_string, args.debug_string_size);
  return absl::OkStatus();
}

absl::Status Memory_ToString(PJRT_Memory_ToString_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory", args.memory}}));
  Put(args.memory->to_string, args.to_string, args.to_string_size);
  return absl::OkStatus();
}

absl::Status Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"memory", args.memory}}));
  args.devices = &args.memory->device;
  args.num_devices = 1;
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
