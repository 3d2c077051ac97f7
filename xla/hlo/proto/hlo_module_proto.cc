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
  read.set_shared_debug_options(config.shared_debug_options());
  return module;
}

absl::StatusOr<HloModuleConfig> HloModule::CreateModuleConfigFromProto(
    const HloModuleProto& proto, const DebugOptions& debug_options,
    const ExecutionOptions* execution_options) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, CreateModuleFromProto(proto));
  HloModuleConfig config = module->config();
  config.set_debug_options(debug_options);
  if (execution_options != nullptr) {
    if (execution_options->num_replicas() > 0) {
      config.set_replica_count(execution_options->num_replicas());
    }
    if (execution_options->num_partitions() > 0) {
      config.set_num_partitions(execution_options->num_partitions());
    }
    config.set_seed(execution_options->seed());
  }
  return config;
}

HloModuleProto HloModule::ToProto() const {
  absl::StatusOr<HloModuleProto> proto = ModuleToProto(*this);
  return proto.ok() ? *std::move(proto) : HloModuleProto();
}

}  // namespace xla
