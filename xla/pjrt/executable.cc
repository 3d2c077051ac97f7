// SPDX-License-Identifier: Apache-2.0
// Compiles programs, and describes compiled ones.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/client_options.h"
#include "xla/pjrt/compilation.h"
#include "xla/pjrt/cost.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/program.h"
#include "xla/runtime/packed_elements.h"
#include "xla/service/computation_placer.h"

struct PJRT_SerializedExecutable {
  std::string bytes;
};
struct PJRT_SerializedCompileOptions {
  std::string bytes;
};
struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

namespace xla::pjrt {
namespace {

absl::StatusOr<ProgramSource> SourceOf(const PJRT_Program* program, const char* options,
                                       size_t options_size) {
  XLA_RETURN_IF_ERROR(
      Require({{"program", program}, {"compile_options", options_size == 0 ? "" : options}}));
  XLA_RETURN_IF_ERROR(
      Require({{"program->code", program->code}, {"program->format", program->format}}));
  return ProgramSource{.format = std::string(program->format, program->format_size),
                       .code = std::string(program->code, program->code_size),
                       .options = std::string(options == nullptr ? "" : options, options_size)};
}

// Loads a program on the devices that the options assign to replicas and partitions, or on the
// first ones.
absl::StatusOr<PJRT_LoadedExecutable*> Load(const ClientPointer& client, ProgramPointer program) {
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  const auto replicas = static_cast<int>(program->num_replicas());
  const auto partitions = static_cast<int>(program->num_partitions());
  const ExecutableBuildOptionsProto& build = program->options.executable_build_options();
  DeviceAssignment assignment(replicas, partitions);
  // Those of this process, if they suffice.
  const std::vector<PJRT_Device*>& devices =
      int64_t{replicas} * partitions <= static_cast<int64_t>(client->local_devices.size())
          ? client->local_devices
          : client->device_pointers;
  if (build.has_device_assignment() && build.device_assignment().replica_count() > 0) {
    XLA_ASSIGN_OR_RETURN(const auto given,
                         DeviceAssignment::Deserialize(build.device_assignment()));
    if (given->replica_count() != replicas || given->computation_count() != partitions) {
      return absl::InvalidArgumentError(
          absl::StrCat("a device assignment of ", given->replica_count(), " replicas and ",
                       given->computation_count(), " partitions for a program of ", replicas,
                       " and ", partitions));
    }
    assignment = *given;
  } else {
    for (int r = 0; r < replicas; ++r) {
      for (int p = 0; p < partitions; ++p) {
        const auto index =
            static_cast<size_t>(r) * static_cast<size_t>(partitions) + static_cast<size_t>(p);
        if (index >= devices.size()) {
          return absl::InvalidArgumentError(
              absl::StrCat("a program of ", replicas, " replicas and ", partitions,
                           " partitions for ", devices.size(), " devices"));
        }
        assignment(r, p) = devices[index]->description->id;
      }
    }
    if (replicas * partitions == 1 && build.device_ordinal() > 0) {
      XLA_ASSIGN_OR_RETURN(const PJRT_Device* device,
                           client->DeviceAt(static_cast<int>(build.device_ordinal())));
      assignment(0, 0) = device->description->id;
    }
  }
  for (int r = 0; r < replicas; ++r) {
    for (int p = 0; p < partitions; ++p) {
      XLA_ASSIGN_OR_RETURN(PJRT_Device * device,
                           client->FindDevice(static_cast<int>(assignment(r, p))));
      loaded->device_ids.push_back(device->description->id);
      if (device->ordinal < 0) continue;
      loaded->devices.push_back(device);
      loaded->logical_ids.push_back({r, p});
    }
  }
  if (loaded->devices.size() != loaded->device_ids.size()) {
    XLA_ASSIGN_OR_RETURN(loaded->processes, client->job->ProcessesOf(loaded->device_ids));
  }
  loaded->client = client;
  loaded->program = std::move(program);
  return loaded.release();
}

int64_t TotalBytes(absl::Span<const Shape* const> leaves) {
  int64_t bytes = 0;
  for (const Shape* leaf : leaves) {
    if (leaf->IsArray()) bytes += runtime::PackedArrayBytes(*leaf).value_or(0);
  }
  return bytes;
}

absl::Status CheckLoaded(const PJRT_LoadedExecutable* executable) {
  XLA_RETURN_IF_ERROR(Require({{"executable", executable}}));
  if (!executable->is_deleted) return absl::OkStatus();
  return absl::FailedPreconditionError("the executable was deleted");
}

}  // namespace

namespace api {

absl::Status Client_Compile(PJRT_Client_Compile_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}}));
  XLA_ASSIGN_OR_RETURN(ProgramSource source,
                       SourceOf(args.program, args.compile_options, args.compile_options_size));
  const ClientPointer& client = args.client->state;
  XLA_ASSIGN_OR_RETURN(ProgramPointer program, CompileUnlessSignaled(client, std::move(source)));
  XLA_ASSIGN_OR_RETURN(args.executable, Load(client, std::move(program)));
  return absl::OkStatus();
}

absl::Status Compile(PJRT_Compile_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"topology", args.topology}}));
  XLA_ASSIGN_OR_RETURN(ProgramSource source,
                       SourceOf(args.program, args.compile_options, args.compile_options_size));
  ClientPointer client;
  if (args.client != nullptr) {
    client = args.client->state;
  } else {
    client = std::make_shared<ClientState>();
    client->num_devices = static_cast<int64_t>(args.topology->devices.size());
    BackendOptions options;
    // The devices of a job are more than a process may have.
    options.device_count = static_cast<int>(std::min(client->num_devices, kMaxDevices));
    options.use_compiler = true;
    XLA_ASSIGN_OR_RETURN(client->backend, Backend::Create(options));
  }
  XLA_ASSIGN_OR_RETURN(ProgramPointer program, CompileUnlessSignaled(client, std::move(source)));
  // The compiled program may use threads of its backend.
  program->compiler = std::move(client);
  args.executable = new PJRT_Executable{std::move(program)};
  return absl::OkStatus();
}

absl::Status Client_Load(PJRT_Client_Load_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"client", args.client}, {"executable", args.executable}}));
  // The program is read again, because this client may have another number of devices.
  ProgramSource source = args.executable->program->source;
  XLA_ASSIGN_OR_RETURN(source.compiled, args.executable->program->executable->Save(
                                            KeyOf(source, args.executable->program->options)));
  XLA_ASSIGN_OR_RETURN(ProgramPointer program,
                       CompileUnlessSignaled(args.client->state, std::move(source)));
  XLA_ASSIGN_OR_RETURN(args.loaded_executable, Load(args.client->state, std::move(program)));
  return absl::OkStatus();
}

absl::Status Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args) {
  XLA_RETURN_IF_ERROR(
      Require({{"client", args.client}, {"serialized_executable", args.serialized_executable}}));
  XLA_ASSIGN_OR_RETURN(ProgramSource source, DeserializeProgram({args.serialized_executable,
                                                                 args.serialized_executable_size}));
  if (args.overridden_serialized_compile_options != nullptr &&
      args.overridden_serialized_compile_options_size > 0) {
    source.options = std::string(args.overridden_serialized_compile_options,
                                 args.overridden_serialized_compile_options_size);
  }
  XLA_ASSIGN_OR_RETURN(ProgramPointer program,
                       CompileUnlessSignaled(args.client->state, std::move(source)));
  XLA_ASSIGN_OR_RETURN(args.loaded_executable, Load(args.client->state, std::move(program)));
  return absl::OkStatus();
}

absl::Status Executable_Destroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status Executable_Name(PJRT_Executable_Name_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  Put(args.executable->program->executable->module().name(), args.executable_name,
      args.executable_name_size);
  return absl::OkStatus();
}

absl::Status Executable_NumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.num_replicas = static_cast<size_t>(args.executable->program->num_replicas());
  return absl::OkStatus();
}

absl::Status Executable_NumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.num_partitions = static_cast<size_t>(args.executable->program->num_partitions());
  return absl::OkStatus();
}

absl::Status Executable_NumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.num_outputs = args.executable->program->output_types.size();
  return absl::OkStatus();
}

absl::Status Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.size_in_bytes =
      std::max<int64_t>(args.executable->program->executable->SizeOfGeneratedCodeInBytes(), 0);
  return absl::OkStatus();
}

absl::Status Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  Program& program = *args.executable->program;
  const std::lock_guard<std::mutex> lock(program.mutex);
  if (program.cost.empty()) program.cost = CostProperties(program.executable->module());
  args.properties = program.cost.data();
  args.num_properties = program.cost.size();
  return absl::OkStatus();
}

absl::Status Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.output_types = args.executable->program->output_types.data();
  args.num_output_types = args.executable->program->output_types.size();
  return absl::OkStatus();
}

absl::Status Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const Program& program = *args.executable->program;
  args.num_outputs = program.output_dim_sizes.size();
  args.dims = program.output_dims.data();
  args.dim_sizes = program.output_dim_sizes.data();
  return absl::OkStatus();
}

absl::Status Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const TextList& kinds = args.executable->program->output_memory_kinds;
  args.num_outputs = kinds.texts.size();
  args.memory_kinds = kinds.pointers.data();
  args.memory_kind_sizes = kinds.sizes.data();
  return absl::OkStatus();
}

absl::Status Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const TextList& kinds = args.executable->program->parameter_memory_kinds;
  args.num_parameters = kinds.texts.size();
  args.memory_kinds = kinds.pointers.data();
  args.memory_kind_sizes = kinds.sizes.data();
  return absl::OkStatus();
}

absl::Status Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}, {"program", args.program}}));
  Program& program = *args.executable->program;
  const std::lock_guard<std::mutex> lock(program.mutex);
  if (program.optimized.empty()) {
    XLA_ASSIGN_OR_RETURN(program.optimized, DescribeOptimized(program));
  }
  static const std::string format = "hlo_with_config";
  Put(format, args.program->format, args.program->format_size);
  if (args.program->code == nullptr) {
    args.program->code_size = program.optimized.size();
    return absl::OkStatus();
  }
  if (args.program->code_size < program.optimized.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "room for ", args.program->code_size, " bytes of a program of ", program.optimized.size()));
  }
  std::memcpy(args.program->code, program.optimized.data(), program.optimized.size());
  args.program->code_size = program.optimized.size();
  return absl::OkStatus();
}

absl::Status Executable_Serialize(PJRT_Executable_Serialize_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  XLA_ASSIGN_OR_RETURN(std::string bytes, SerializeProgram(*args.executable->program));
  args.serialized_executable = new PJRT_SerializedExecutable{std::move(bytes)};
  Put(args.serialized_executable->bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* holder) { delete holder; };
  return absl::OkStatus();
}

absl::Status Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.serialized_compile_options =
      new PJRT_SerializedCompileOptions{args.executable->program->source.options};
  Put(args.serialized_compile_options->bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* holder) {
    delete holder;
  };
  return absl::OkStatus();
}

absl::Status Executable_Fingerprint(PJRT_Executable_Fingerprint_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  Put(args.executable->program->fingerprint, args.executable_fingerprint,
      args.executable_fingerprint_size);
  return absl::OkStatus();
}

absl::Status Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const Executable& executable = *args.executable->program->executable;
  const PJRT_Executable_GetCompiledMemoryStats_Args request = args;
  args = {};
  args.struct_size = request.struct_size;
  args.extension_start = request.extension_start;
  args.executable = request.executable;
  args.argument_size_in_bytes = TotalBytes(executable.argument_leaves());
  args.output_size_in_bytes = TotalBytes(executable.result_leaves());
  for (const Executable::Alias& alias : executable.aliases()) {
    const Shape* leaf = executable.result_leaves()[static_cast<size_t>(alias.result)];
    args.alias_size_in_bytes += TotalBytes({leaf});
  }
  args.temp_size_in_bytes = executable.TemporaryBytes();
  args.generated_code_size_in_bytes = std::max<int64_t>(0, executable.SizeOfGeneratedCodeInBytes());
  args.peak_memory_in_bytes = args.argument_size_in_bytes + args.output_size_in_bytes -
                              args.alias_size_in_bytes + args.temp_size_in_bytes;
  args.total_size_in_bytes = args.peak_memory_in_bytes;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"loaded_executable", args.loaded_executable}}));
  args.executable = new PJRT_Executable{args.loaded_executable->program};
  return absl::OkStatus();
}

absl::Status LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.addressable_device_logical_ids = args.executable->logical_ids.data();
  args.num_addressable_device_logical_ids = args.executable->logical_ids.size();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  const Program& program = *args.executable->program;
  const auto replicas = static_cast<int>(program.num_replicas());
  const auto partitions = static_cast<int>(program.num_partitions());
  DeviceAssignment assignment(replicas, partitions);
  for (int r = 0; r < replicas; ++r) {
    for (int p = 0; p < partitions; ++p) {
      assignment(r, p) =
          static_cast<int>(args.executable->device_ids[static_cast<size_t>(r * partitions + p)]);
    }
  }
  DeviceAssignmentProto proto;
  XLA_RETURN_IF_ERROR(assignment.Serialize(&proto));
  args.serialized_device_assignment =
      new PJRT_DeviceAssignmentSerialized{proto.SerializeAsString()};
  Put(args.serialized_device_assignment->bytes, args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized* holder) {
    delete holder;
  };
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.executable->is_deleted = true;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"executable", args.executable}}));
  args.is_deleted = args.executable->is_deleted;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  XLA_RETURN_IF_ERROR(CheckLoaded(args.executable));
  Put(args.executable->program->fingerprint, args.executable_fingerprint,
      args.executable_fingerprint_size);
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
