// SPDX-License-Identifier: Apache-2.0
// Build options as text and proto.
#include "xla/client/executable_build_options.h"

#include "absl/strings/str_cat.h"

namespace xla {

std::string ExecutableBuildOptions::ToString() const {
  return absl::StrCat(
      "ExecutableBuildOptions{device_ordinal=", device_ordinal_, ", result_layout=",
      result_layout_.has_value() ? result_layout_->ToString(/*print_layout=*/true) : "nullopt",
      ", num_replicas=", num_replicas_, ", num_partitions=", num_partitions_, "}");
}

ExecutionOptions CreateExecutionOptions(const ExecutableBuildOptions& build_options,
                                        const ProgramShape* program_shape) {
  ExecutionOptions options;
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
