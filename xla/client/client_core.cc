// SPDX-License-Identifier: Apache-2.0
// Handles and compilation of a client.
#include "xla/client/client_core.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/job.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/layout_util.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/custom_call_check.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/service/dump.h"
#include "xla/shape_util.h"
#include "xla/spmd/partition.h"

namespace xla {
namespace {

// `layout`'s layouts, row-major where it has none, on `shape`, which is compatible.
absl::Status TakeLayout(const Shape& layout, Shape* shape) {
  Shape from = layout;
  ShapeUtil::ForEachMutableSubshape(&from, [](Shape* part, const ShapeIndex&) {
    if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
  });
  return LayoutUtil::CopyLayoutBetweenShapes(from, shape);
}

// Minor-to-major orders of `from` on the shards, which have the same ranks.
void TakeOrders(const Shape& from, Shape* to) {
  ShapeUtil::ForEachMutableSubshape(to, [&](Shape* part, const ShapeIndex& index) {
    const Shape& full = ShapeUtil::GetSubshape(from, index);
    if (part->IsArray() && full.has_layout()) *part->mutable_layout() = full.layout();
  });
}

// Arguments and results become shards, in the orders of elements that the full ones have.
absl::Status Partition(const ExecutableBuildOptions& options, HloModule* module) {
  const ProgramShape full = module->config().entry_computation_layout();
  spmd::PartitionOptions partition;
  const auto allowed = options.allow_spmd_sharding_propagation_to_output();
  partition.may_choose_output.assign(allowed.begin(), allowed.end());
  const auto to_parameters = options.allow_spmd_sharding_propagation_to_parameters();
  partition.may_choose_parameter.assign(to_parameters.begin(), to_parameters.end());
  XLA_RETURN_IF_ERROR(spmd::PartitionModule(module, partition).status());
  ProgramShape& layout = *module->config().mutable_entry_computation_layout();
  for (int i = 0; i < layout.parameters_size(); ++i) {
    TakeOrders(full.parameters(i), layout.mutable_parameters(i));
  }
  TakeOrders(full.result(), layout.mutable_result());
  return VerifyModule(*module);
}

absl::Status CheckOptions(const ClientCore& core, const ExecutableBuildOptions& options) {
  const int64_t replicas = options.num_replicas(), partitions = options.num_partitions();
  if (replicas < 1 || partitions < 1) {
    return absl::InvalidArgumentError(absl::StrCat("num_replicas=", replicas,
                                                   " and num_partitions=", partitions,
                                                   ": both must be at least 1"));
  }
  if (replicas > core.global_device_count() || partitions > core.global_device_count() ||
      replicas * partitions > core.global_device_count()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_replicas=", replicas, " and num_partitions=", partitions, " need ",
        static_cast<uint64_t>(replicas) * static_cast<uint64_t>(partitions), " devices; the ",
        core.job() == nullptr ? "client" : "job of the client", " has ", core.global_device_count(),
        " (LocalClientOptions::set_device_count)"));
  }
  if (options.device_ordinal() != -1) {
    XLA_RETURN_IF_ERROR(core.backend().CheckDeviceOrdinal(options.device_ordinal()));
  }
  if (options.has_device_assignment()) {
    const DeviceAssignment& assignment = options.device_assignment();
    if (assignment.replica_count() != replicas || assignment.computation_count() != partitions) {
      return absl::InvalidArgumentError(
          absl::StrCat("the device assignment is for ", assignment.replica_count(),
                       " replicas and ", assignment.computation_count(),
                       " partitions; the options say ", replicas, " and ", partitions));
    }
  }
  return absl::OkStatus();
}

void TakeRequests(const ExecutableBuildOptions& options, HloModuleConfig& config) {
  config.set_fdo_profile(std::string(options.fdo_profile()));
  config.set_device_memory_size(options.device_memory_size());
  config.set_use_shardy_partitioner(options.use_shardy_partitioner());
  config.set_exec_time_optimization_effort(options.exec_time_optimization_effort());
  config.set_memory_fitting_effort(options.memory_fitting_effort());
  config.set_optimization_level(options.optimization_level());
  config.set_memory_fitting_level(options.memory_fitting_level());
}

}  // namespace

int64_t ClientCore::global_device_count() const {
  return job_ == nullptr ? backend_->device_count() : job_->topology().num_devices();
}

int64_t ClientCore::first_device() const {
  return job_ == nullptr ? 0 : job_->topology().process(job_->self()).first_device;
}

CustomCallRegistry ClientCore::CustomCalls(const ffi::CallContext& context) const {
  CustomCallRegistry merged = custom_calls_;
  ffi::AddRegisteredHandlers(context, merged);
  for (const auto& [name, address] :
       CustomCallTargetRegistry::Global()->registered_symbols(backend_->platform()->Name())) {
    if (!merged.Contains(name)) (void)merged.RegisterUntyped(name, address);
  }
  return merged;
}

absl::StatusOr<std::unique_ptr<Executable>> ClientCore::Compile(
    const XlaComputation& computation, absl::Span<const Shape* const> argument_layouts,
    bool may_omit_layouts, const ExecutableBuildOptions& options) const {
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<const HloModule> program, computation.module());
  if (program->entry_computation() == nullptr ||
      program->entry_computation()->root_instruction() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", program->name(), " has no entry computation"));
  }
  XLA_RETURN_IF_ERROR(CheckOptions(*this, options));
  // First, so that the shapes below can be relied on.
  XLA_RETURN_IF_ERROR(VerifyModule(*program));

  const DebugOptions debug_options =
      options.has_debug_options() ? options.debug_options() : DebugOptionsFromEnv();
  HloDumper dumper(debug_options, *program);
  dumper.Dump(*program, "before_optimizations");
  std::unique_ptr<HloModule> module = program->Clone();
  module->SetDefaultEntryLayout();
  HloModuleConfig& config = module->config();
  config.set_replica_count(options.num_replicas());
  config.set_num_partitions(options.num_partitions());
  if (options.alias_passthrough_params()) config.set_alias_passthrough_params(true);
  TakeRequests(options, config);
  config.mutable_debug_options().MergeFrom(CompilerOptionsOf(debug_options));
  ProgramShape& layout = *config.mutable_entry_computation_layout();
  if (!(may_omit_layouts && argument_layouts.empty())) {
    if (static_cast<int>(argument_layouts.size()) != layout.parameters_size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Invalid number of arguments for program ", module->name(), ": it takes ",
          layout.parameters_size(), ", and ", argument_layouts.size(), " layouts were given"));
    }
    for (int i = 0; i < layout.parameters_size(); ++i) {
      const Shape* argument = argument_layouts[static_cast<size_t>(i)];
      if (argument == nullptr || !ShapeUtil::Compatible(*argument, layout.parameters(i))) {
        return absl::InvalidArgumentError(
            absl::StrCat("Argument does not match shape of computation parameter ", i,
                         ": Invalid argument shape for argument ", i, " of program ",
                         module->name(), ", expected ", layout.parameters(i).ToString(), ", got ",
                         argument == nullptr ? "null" : argument->ToString()));
      }
      XLA_RETURN_IF_ERROR(TakeLayout(*argument, layout.mutable_parameters(i)));
    }
  }
  if (const Shape* result = options.result_layout()) {
    if (!ShapeUtil::Compatible(*result, layout.result())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape used to set computation result layout, ", result->ToString(/*print_layout=*/true),
          ", is not compatible with result shape ", layout.result().ToString(), " of program ",
          module->name()));
    }
    XLA_RETURN_IF_ERROR(TakeLayout(*result, layout.mutable_result()));
  } else {
    LayoutUtil::SetToDefaultLayout(layout.mutable_result());
  }
  if (options.use_spmd_partitioning() && options.num_partitions() > 1 &&
      spmd::HasShardings(*module)) {
    XLA_RETURN_IF_ERROR(Partition(options, module.get()));
  }
  const CustomCallRegistry custom_calls = CustomCalls({});
  XLA_ASSIGN_OR_RETURN(
      std::unique_ptr<Executable> executable,
      backend_->Compile(std::move(module), {.custom_calls = &custom_calls,
                                            .between_passes = dumper.between_passes(),
                                            .flush_subnormals = options.flush_subnormals()}));
  dumper.Dump(executable->optimized_module(), "cpu_after_optimizations");
  XLA_RETURN_IF_ERROR(CheckCustomCalls(executable->optimized_module(), custom_calls));
  return executable;
}

int64_t ClientCore::NextHandle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_handle_++;
}

int64_t ClientCore::AddValue(Value value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_.emplace(next_handle_, std::move(value));
  return next_handle_++;
}

absl::Status ClientCore::NoSuchValue(int64_t handle) const {
  if (handle > 0 && handle < next_handle_) {
    return absl::InvalidArgumentError(
        absl::StrCat("global data handle ", handle, " was previously deallocated"));
  }
  return absl::NotFoundError(absl::StrCat("the client has no data with handle ", handle));
}

absl::StatusOr<ClientCore::Value> ClientCore::FindValue(int64_t handle) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = values_.find(handle);
  if (found == values_.end()) {
    return NoSuchValue(handle);
  }
  return found->second;
}

absl::Status ClientCore::RemoveValue(int64_t handle) {
  Value removed;  // freed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = values_.find(handle);
  if (found == values_.end()) {
    return NoSuchValue(handle);
  }
  removed = std::move(found->second);
  values_.erase(found);
  return absl::OkStatus();
}

}  // namespace xla
