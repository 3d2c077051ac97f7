// SPDX-License-Identifier: Apache-2.0
// HloModule's own conversions from and to protos, with XLA's names.
#include <memory>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/xla.pb.h"

namespace xla {

absl::StatusOr<std::unique_ptr<HloModule>> HloModule::CreateFromProto(
    const HloModuleProto& proto, const HloModuleConfig& config) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, CreateModuleFromProto(proto));
  HloModuleConfig& read = module->config();
  if (config.replica_count() != 1) read.set_replica_count(config.replica_count());
  if (config.num_partitions() != 1) read.set_num_partitions(config.num_partitions());
  if (config.has_entry_computation_layout()) {
    read.set_entry_computation_layout(config.entry_computation_layout());
  }
  read.set_seed(config.seed());
  read.TakeRequests(config);
  return module;
}

absl::StatusOr<HloModuleConfig> HloModule::CreateModuleConfigFromProto(
    const HloModuleProto& proto, const DebugOptions& debug_options,
    const ExecutionOptions* execution_options) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, CreateModuleFromProto(proto));
  HloModuleConfig config = module->config();
  config.set_debug_options(debug_options);
  if (execution_options != nullptr) config.TakeExecutionOptions(*execution_options);
  return config;
}

void HloModuleConfig::TakeExecutionOptions(const ExecutionOptions& options) {
  if (options.num_replicas() > 0) set_replica_count(options.num_replicas());
  if (options.num_partitions() > 0) set_num_partitions(options.num_partitions());
  set_seed(options.seed());
  set_use_spmd_partitioning(options.use_spmd_partitioning());
  if (options.alias_passthrough_params()) set_alias_passthrough_params(true);
  const auto& to_parameters = options.allow_spmd_sharding_propagation_to_parameters();
  if (!to_parameters.empty()) {
    set_allow_spmd_sharding_propagation_to_parameters({to_parameters.begin(), to_parameters.end()});
  }
  const auto& to_output = options.allow_spmd_sharding_propagation_to_output();
  if (!to_output.empty()) {
    set_allow_spmd_sharding_propagation_to_output({to_output.begin(), to_output.end()});
  }
  set_fdo_profile(options.fdo_profile());
  set_device_memory_size(options.device_memory_size());
  set_use_shardy_partitioner(options.use_shardy_partitioner());
  set_exec_time_optimization_effort(options.exec_time_optimization_effort());
  set_memory_fitting_effort(options.memory_fitting_effort());
  set_optimization_level(options.optimization_level());
  set_memory_fitting_level(options.memory_fitting_level());
}

HloModuleConfigProto HloModuleConfig::ToProto() const {
  HloModuleConfigProto proto;
  if (has_entry_computation_layout()) {
    *proto.mutable_entry_computation_layout() = entry_computation_layout().ToProto();
  }
  proto.set_seed(seed());
  proto.set_replica_count(replica_count());
  proto.set_num_partitions(num_partitions());
  proto.set_use_spmd_partitioning(use_spmd_partitioning());
  proto.set_alias_passthrough_params(alias_passthrough_params());
  for (const bool allowed : allow_spmd_sharding_propagation_to_parameters()) {
    proto.add_allow_spmd_sharding_propagation_to_parameters(allowed);
  }
  for (const bool allowed : allow_spmd_sharding_propagation_to_output()) {
    proto.add_allow_spmd_sharding_propagation_to_output(allowed);
  }
  proto.set_fdo_profile(fdo_profile());
  proto.set_device_memory_size(device_memory_size());
  proto.set_use_shardy_partitioner(use_shardy_partitioner());
  proto.set_exec_time_optimization_effort(exec_time_optimization_effort());
  proto.set_memory_fitting_effort(memory_fitting_effort());
  proto.set_optimization_level(optimization_level());
  proto.set_memory_fitting_level(memory_fitting_level());
  if (has_static_device_assignment()) {
    (void)static_device_assignment().Serialize(proto.mutable_static_device_assignment());
  }
  if (requests_.debug_options != nullptr) {
    *proto.mutable_debug_options() = *requests_.debug_options;
  }
  return proto;
}

absl::StatusOr<std::unique_ptr<HloModuleConfig>> HloModuleConfig::CreateFromProto(
    const HloModuleConfigProto& proto) {
  auto config = std::make_unique<HloModuleConfig>();
  if (proto.has_entry_computation_layout()) {
    XLA_ASSIGN_OR_RETURN(ProgramShape layout,
                         ProgramShape::FromProto(proto.entry_computation_layout()));
    config->set_entry_computation_layout(std::move(layout));
  }
  if (proto.has_static_device_assignment()) {
    XLA_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceAssignment> assignment,
                         DeviceAssignment::Deserialize(proto.static_device_assignment()));
    config->set_static_device_assignment(*assignment);
  }
  // 0 is what protos without the field have.
  if (proto.replica_count() > 0) config->set_replica_count(proto.replica_count());
  if (proto.num_partitions() > 0) config->set_num_partitions(proto.num_partitions());
  config->set_seed(proto.seed());
  config->set_use_spmd_partitioning(proto.use_spmd_partitioning());
  config->set_alias_passthrough_params(proto.alias_passthrough_params());
  const auto& to_parameters = proto.allow_spmd_sharding_propagation_to_parameters();
  config->set_allow_spmd_sharding_propagation_to_parameters(
      {to_parameters.begin(), to_parameters.end()});
  const auto& to_output = proto.allow_spmd_sharding_propagation_to_output();
  config->set_allow_spmd_sharding_propagation_to_output({to_output.begin(), to_output.end()});
  config->set_fdo_profile(proto.fdo_profile());
  config->set_device_memory_size(proto.device_memory_size());
  config->set_use_shardy_partitioner(proto.use_shardy_partitioner());
  config->set_exec_time_optimization_effort(proto.exec_time_optimization_effort());
  config->set_memory_fitting_effort(proto.memory_fitting_effort());
  config->set_optimization_level(proto.optimization_level());
  config->set_memory_fitting_level(proto.memory_fitting_level());
  if (proto.has_debug_options()) config->set_debug_options(proto.debug_options());
  return config;
}

HloModuleProtoWithConfig HloModule::ToProtoWithConfig() const {
  HloModuleProtoWithConfig proto;
  *proto.mutable_hlo_module() = ToProto();
  *proto.mutable_config() = config().ToProto();
  return proto;
}

absl::StatusOr<std::unique_ptr<HloModule>> HloModule::CreateFromProtoWithConfig(
    const HloModuleProtoWithConfig& proto) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModuleConfig> config,
                       HloModuleConfig::CreateFromProto(proto.config()));
  return CreateFromProto(proto.hlo_module(), *config);
}

HloModuleProto HloModule::ToProto() const {
  absl::StatusOr<HloModuleProto> proto = ModuleToProto(*this);
  return proto.ok() ? *std::move(proto) : HloModuleProto();
}

}  // namespace xla
