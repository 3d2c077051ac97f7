// SPDX-License-Identifier: Apache-2.0
// Build options as text and proto.
#include "xla/client/executable_build_options.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/debug_options_flags.h"
#include "xla/execution_options_util.h"

namespace xla {

DebugOptions* ExecutableBuildOptions::mutable_debug_options() {
  if (!debug_options_.has_value()) debug_options_ = GetDebugOptionsFromFlags();
  return &*debug_options_;
}

std::string ExecutableBuildOptions::ToString() const {
  return absl::StrCat(
      "ExecutableBuildOptions{device_ordinal=", device_ordinal_, ", result_layout=",
      result_layout_.has_value() ? result_layout_->ToString(/*print_layout=*/true) : "nullopt",
      ", num_replicas=", num_replicas_, ", num_partitions=", num_partitions_, "}");
}

absl::StatusOr<ExecutableBuildOptionsProto> ExecutableBuildOptions::ToProto() const {
  if (layout_canonicalization_callback_ != nullptr) {
    return absl::InvalidArgumentError(
        "Cannot serialize ExecutableBuildOptions::layout_canonicalization_callback");
  }
  if (compile_thread_pool_ != nullptr) {
    return absl::InvalidArgumentError(
        "Cannot serialize ExecutableBuildOptions::compile_thread_pool");
  }
  ExecutableBuildOptionsProto proto;
  proto.set_device_ordinal(device_ordinal_);
  if (result_layout_.has_value()) result_layout_->SetProto(*proto.mutable_result_layout());
  if (comp_envs_.has_value()) *proto.mutable_comp_envs() = comp_envs_->ToProto();
  if (debug_options_.has_value()) *proto.mutable_debug_options() = *debug_options_;
  proto.set_num_replicas(num_replicas_);
  proto.set_num_partitions(num_partitions_);
  proto.set_use_spmd_partitioning(use_spmd_partitioning_);
  proto.set_use_auto_spmd_partitioning(use_auto_spmd_partitioning_);
  proto.mutable_auto_spmd_partitioning_mesh_shape()->Add(auto_spmd_partitioning_mesh_shape_.begin(),
                                                         auto_spmd_partitioning_mesh_shape_.end());
  proto.mutable_auto_spmd_partitioning_mesh_ids()->Add(auto_spmd_partitioning_mesh_ids_.begin(),
                                                       auto_spmd_partitioning_mesh_ids_.end());
  proto.mutable_allow_spmd_sharding_propagation_to_parameters()->Add(
      allow_spmd_sharding_propagation_to_parameters_.begin(),
      allow_spmd_sharding_propagation_to_parameters_.end());
  proto.mutable_allow_spmd_sharding_propagation_to_output()->Add(
      allow_spmd_sharding_propagation_to_output_.begin(),
      allow_spmd_sharding_propagation_to_output_.end());
  proto.set_deduplicate_hlo(deduplicate_hlo_);
  if (device_assignment_.has_value()) {
    XLA_RETURN_IF_ERROR(device_assignment_->Serialize(proto.mutable_device_assignment()));
  }
  proto.set_alias_passthrough_params(alias_passthrough_params_);
  proto.set_run_backend_only(run_backend_only_);
  proto.set_fdo_profile(fdo_profile_);
  proto.set_device_memory_size(device_memory_size_);
  proto.set_use_shardy_partitioner(use_shardy_partitioner_);
  proto.set_exec_time_optimization_effort(exec_time_optimization_effort_);
  proto.set_memory_fitting_effort(memory_fitting_effort_);
  proto.set_optimization_level(optimization_level_);
  proto.set_memory_fitting_level(memory_fitting_level_);
  proto.set_process_index(process_index_);
  proto.set_process_count(process_count_);
  proto.set_slice_size(slice_size_);
  return proto;
}

// `value` as the int that the option is; InvalidArgument for more than 32 bits.
static absl::StatusOr<int> ToInt(int64_t value, absl::string_view option) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("ExecutableBuildOptionsProto: ", option, " is ", value));
  }
  return static_cast<int>(value);
}

absl::StatusOr<ExecutableBuildOptions> ExecutableBuildOptionsFromProto(
    const ExecutableBuildOptionsProto& proto) {
  ExecutableBuildOptions options;
  XLA_ASSIGN_OR_RETURN(const int device_ordinal, ToInt(proto.device_ordinal(), "device_ordinal"));
  XLA_ASSIGN_OR_RETURN(const int num_replicas, ToInt(proto.num_replicas(), "num_replicas"));
  XLA_ASSIGN_OR_RETURN(const int num_partitions, ToInt(proto.num_partitions(), "num_partitions"));
  XLA_ASSIGN_OR_RETURN(const int process_index, ToInt(proto.process_index(), "process_index"));
  XLA_ASSIGN_OR_RETURN(const int process_count, ToInt(proto.process_count(), "process_count"));
  options.set_device_ordinal(device_ordinal)
      .set_num_replicas(num_replicas)
      .set_num_partitions(num_partitions);
  options.set_process_index(process_index);
  options.set_process_count(process_count);
  if (proto.has_result_layout()) {
    XLA_ASSIGN_OR_RETURN(const Shape layout, Shape::FromProto(proto.result_layout()));
    options.set_result_layout(layout);
  }
  if (proto.has_comp_envs()) {
    XLA_ASSIGN_OR_RETURN(const std::unique_ptr<CompilationEnvironments> environments,
                         CompilationEnvironments::CreateFromProto(proto.comp_envs()));
    *options.mutable_comp_envs() = std::move(*environments);
  }
  if (proto.has_debug_options()) options.debug_options_ = proto.debug_options();
  if (proto.has_device_assignment()) {
    XLA_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceAssignment> assignment,
                         DeviceAssignment::Deserialize(proto.device_assignment()));
    options.set_device_assignment(*assignment);
  }
  const auto& mesh_shape = proto.auto_spmd_partitioning_mesh_shape();
  const auto& mesh_ids = proto.auto_spmd_partitioning_mesh_ids();
  options.set_use_spmd_partitioning(proto.use_spmd_partitioning())
      .set_use_auto_spmd_partitioning(proto.use_auto_spmd_partitioning())
      .set_auto_spmd_partitioning_mesh_shape({mesh_shape.begin(), mesh_shape.end()})
      .set_auto_spmd_partitioning_mesh_ids({mesh_ids.begin(), mesh_ids.end()})
      .set_allow_spmd_sharding_propagation_to_parameters(
          proto.allow_spmd_sharding_propagation_to_parameters())
      .set_allow_spmd_sharding_propagation_to_output(
          proto.allow_spmd_sharding_propagation_to_output())
      .set_deduplicate_hlo(proto.deduplicate_hlo())
      .set_run_backend_only(proto.run_backend_only())
      .set_device_memory_size(proto.device_memory_size())
      .set_use_shardy_partitioner(proto.use_shardy_partitioner())
      .set_exec_time_optimization_effort(proto.exec_time_optimization_effort())
      .set_memory_fitting_effort(proto.memory_fitting_effort())
      .set_optimization_level(proto.optimization_level())
      .set_memory_fitting_level(proto.memory_fitting_level());
  options.set_alias_passthrough_params(proto.alias_passthrough_params());
  options.set_fdo_profile(proto.fdo_profile());
  options.set_slice_size(proto.slice_size());
  return options;
}

ExecutionOptions CreateExecutionOptions(const ExecutableBuildOptions& build_options,
                                        const ProgramShape* program_shape) {
  ExecutionOptions options = CreateDefaultExecutionOptions();
  if (build_options.has_debug_options()) {
    *options.mutable_debug_options() = build_options.debug_options();
  }
  if (build_options.result_layout() != nullptr) {
    build_options.result_layout()->SetProto(*options.mutable_shape_with_output_layout());
  } else if (program_shape != nullptr) {
    program_shape->result().SetProto(*options.mutable_shape_with_output_layout());
  }
  options.set_num_replicas(build_options.num_replicas());
  options.set_num_partitions(build_options.num_partitions());
  options.set_use_spmd_partitioning(build_options.use_spmd_partitioning());
  options.set_use_auto_spmd_partitioning(build_options.use_auto_spmd_partitioning());
  for (const int64_t size : build_options.auto_spmd_partitioning_mesh_shape()) {
    options.add_auto_spmd_partitioning_mesh_shape(size);
  }
  for (const int64_t id : build_options.auto_spmd_partitioning_mesh_ids()) {
    options.add_auto_spmd_partitioning_mesh_ids(id);
  }
  for (const bool allow : build_options.allow_spmd_sharding_propagation_to_parameters()) {
    options.add_allow_spmd_sharding_propagation_to_parameters(allow);
  }
  for (const bool allow : build_options.allow_spmd_sharding_propagation_to_output()) {
    options.add_allow_spmd_sharding_propagation_to_output(allow);
  }
  options.set_deduplicate_hlo(build_options.deduplicate_hlo());
  options.set_alias_passthrough_params(build_options.alias_passthrough_params());
  options.set_fdo_profile(std::string(build_options.fdo_profile()));
  options.set_device_memory_size(build_options.device_memory_size());
  options.set_use_shardy_partitioner(build_options.use_shardy_partitioner());
  options.set_exec_time_optimization_effort(build_options.exec_time_optimization_effort());
  options.set_memory_fitting_effort(build_options.memory_fitting_effort());
  options.set_optimization_level(build_options.optimization_level());
  options.set_memory_fitting_level(build_options.memory_fitting_level());
  if (build_options.has_device_assignment()) {
    (void)build_options.device_assignment().Serialize(options.mutable_device_assignment());
  }
  return options;
}

}  // namespace xla
