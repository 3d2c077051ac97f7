// SPDX-License-Identifier: Apache-2.0
// How LocalClient::Compile makes a program ready.
#ifndef XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
#define XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/compilation_environments.h"
#include "xla/service/computation_placer.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_memory_allocator.h"
#include "xla/xla.pb.h"

namespace tsl::thread {
class ThreadPool;
}  // namespace tsl::thread

namespace xla {

class HloModule;
class KeyValueStoreInterface;

// Setters give *this, so that they chain.
class ExecutableBuildOptions {
 public:
  // The device to build for; -1: any. All are alike.
  ExecutableBuildOptions& set_device_ordinal(int device_ordinal) {
    device_ordinal_ = device_ordinal;
    return *this;
  }
  int device_ordinal() const { return device_ordinal_; }

  // The layout of the result: a shape compatible with it. Row-major if not set (null).
  ExecutableBuildOptions& set_result_layout(const Shape& shape_with_layout) {
    result_layout_ = shape_with_layout;
    return *this;
  }
  const Shape* result_layout() const {
    return result_layout_.has_value() ? &*result_layout_ : nullptr;
  }

  // Kept, but without a meaning here.
  bool has_comp_envs() const { return comp_envs_.has_value(); }
  const CompilationEnvironments& comp_envs() const { return *comp_envs_; }
  CompilationEnvironments* mutable_comp_envs() {
    if (!comp_envs_.has_value()) comp_envs_.emplace();
    return &*comp_envs_;
  }
  bool has_debug_options() const { return debug_options_.has_value(); }
  const DebugOptions& debug_options() const { return *debug_options_; }
  DebugOptions* mutable_debug_options();  // those of the process at first
  ExecutableBuildOptions& set_device_allocator(se::DeviceMemoryAllocator* allocator) {
    device_allocator_ = allocator;
    return *this;
  }
  se::DeviceMemoryAllocator* device_allocator() const { return device_allocator_; }

  // Replicas and partitions that run the program together; each at least 1.
  ExecutableBuildOptions& set_num_replicas(int num_replicas) {
    num_replicas_ = num_replicas;
    return *this;
  }
  int num_replicas() const { return num_replicas_; }
  ExecutableBuildOptions& set_num_partitions(int num_partitions) {
    num_partitions_ = num_partitions;
    return *this;
  }
  int num_partitions() const { return num_partitions_; }

  // A program whose values are annotated with shardings is partitioned: arguments and results are
  // shards. Otherwise, and without annotations, it is the program of one partition, with its
  // collectives written out.
  ExecutableBuildOptions& set_use_spmd_partitioning(bool use_spmd_partitioning) {
    use_spmd_partitioning_ = use_spmd_partitioning;
    return *this;
  }
  bool use_spmd_partitioning() const { return use_spmd_partitioning_; }

  ExecutableBuildOptions& set_deduplicate_hlo(bool deduplicate_hlo) {
    deduplicate_hlo_ = deduplicate_hlo;
    return *this;
  }
  bool deduplicate_hlo() const { return deduplicate_hlo_; }

  // Kept for compilers that choose shardings, and for sharding propagation.
  bool use_auto_spmd_partitioning() const { return use_auto_spmd_partitioning_; }
  ExecutableBuildOptions& set_use_auto_spmd_partitioning(bool value) {
    use_auto_spmd_partitioning_ = value;
    return *this;
  }
  std::vector<int64_t> auto_spmd_partitioning_mesh_shape() const {
    return auto_spmd_partitioning_mesh_shape_;
  }
  ExecutableBuildOptions& set_auto_spmd_partitioning_mesh_shape(std::vector<int64_t> shape) {
    auto_spmd_partitioning_mesh_shape_ = std::move(shape);
    return *this;
  }
  std::vector<int64_t> auto_spmd_partitioning_mesh_ids() const {
    return auto_spmd_partitioning_mesh_ids_;
  }
  ExecutableBuildOptions& set_auto_spmd_partitioning_mesh_ids(std::vector<int64_t> ids) {
    auto_spmd_partitioning_mesh_ids_ = std::move(ids);
    return *this;
  }
  // One value for each parameter, or element of the result; or one for all.
  absl::Span<const bool> allow_spmd_sharding_propagation_to_parameters() const {
    return allow_spmd_sharding_propagation_to_parameters_;
  }
  ExecutableBuildOptions& set_allow_spmd_sharding_propagation_to_parameters(
      absl::Span<const bool> allow) {
    allow_spmd_sharding_propagation_to_parameters_.assign(allow.begin(), allow.end());
    return *this;
  }
  bool any_allow_spmd_sharding_propagation_to_parameters() const {
    return Any(allow_spmd_sharding_propagation_to_parameters_);
  }
  absl::Span<const bool> allow_spmd_sharding_propagation_to_output() const {
    return allow_spmd_sharding_propagation_to_output_;
  }
  ExecutableBuildOptions& set_allow_spmd_sharding_propagation_to_output(
      absl::Span<const bool> allow) {
    allow_spmd_sharding_propagation_to_output_.assign(allow.begin(), allow.end());
    return *this;
  }
  bool any_allow_spmd_sharding_propagation_to_output() const {
    return Any(allow_spmd_sharding_propagation_to_output_);
  }

  bool has_device_assignment() const { return device_assignment_.has_value(); }
  ExecutableBuildOptions& set_device_assignment(const DeviceAssignment& device_assignment) {
    device_assignment_ = device_assignment;
    return *this;
  }
  // Precondition: has_device_assignment().
  const DeviceAssignment& device_assignment() const {
    XLA_CHECK(device_assignment_.has_value());
    return *device_assignment_;
  }

  void clear_device_assignment() { device_assignment_.reset(); }

  // Whether runs take subnormal numbers as zeros (CpuCompileOptions::flush_subnormals). If unset,
  // xla_cpu_ftz of XLA_FLAGS decides; that of debug_options(), which XLA's default sets, does not.
  // Xylem's own, and so not in the proto.
  std::optional<bool> flush_subnormals() const { return flush_subnormals_; }
  void set_flush_subnormals(std::optional<bool> value) { flush_subnormals_ = value; }

  bool alias_passthrough_params() const { return alias_passthrough_params_; }
  void set_alias_passthrough_params(bool value) { alias_passthrough_params_ = value; }

  // What the program asks of its compiler: becomes part of the config of the compiled module, which
  // the compilers here do not obey.
  absl::string_view fdo_profile() const { return fdo_profile_; }
  void set_fdo_profile(std::string profile) { fdo_profile_ = std::move(profile); }
  std::string* mutable_fdo_profile() { return &fdo_profile_; }
  int64_t device_memory_size() const { return device_memory_size_; }
  ExecutableBuildOptions& set_device_memory_size(int64_t bytes) {
    device_memory_size_ = bytes;
    return *this;
  }
  bool use_shardy_partitioner() const { return use_shardy_partitioner_; }
  ExecutableBuildOptions& set_use_shardy_partitioner(bool value) {
    use_shardy_partitioner_ = value;
    return *this;
  }
  float exec_time_optimization_effort() const { return exec_time_optimization_effort_; }
  ExecutableBuildOptions& set_exec_time_optimization_effort(float effort) {
    exec_time_optimization_effort_ = effort;
    return *this;
  }
  float memory_fitting_effort() const { return memory_fitting_effort_; }
  ExecutableBuildOptions& set_memory_fitting_effort(float effort) {
    memory_fitting_effort_ = effort;
    return *this;
  }
  ExecutionOptions::EffortLevel optimization_level() const { return optimization_level_; }
  ExecutableBuildOptions& set_optimization_level(ExecutionOptions::EffortLevel level) {
    optimization_level_ = level;
    return *this;
  }
  ExecutionOptions::EffortLevel memory_fitting_level() const { return memory_fitting_level_; }
  ExecutableBuildOptions& set_memory_fitting_level(ExecutionOptions::EffortLevel level) {
    memory_fitting_level_ = level;
    return *this;
  }

  // Where a program stands among processes, and how it is compiled. Kept; a client here is one
  // process, has threads of its own, and keeps the layouts that a program states.
  bool run_backend_only() const { return run_backend_only_; }
  ExecutableBuildOptions& set_run_backend_only(bool value) {
    run_backend_only_ = value;
    return *this;
  }
  int process_index() const { return process_index_; }
  void set_process_index(int index) { process_index_ = index; }
  int process_count() const { return process_count_; }
  void set_process_count(int count) { process_count_ = count; }
  int64_t slice_size() const { return slice_size_; }
  void set_slice_size(int64_t size) { slice_size_ = size; }
  std::shared_ptr<KeyValueStoreInterface> key_value_store() const { return key_value_store_; }
  void set_key_value_store(std::shared_ptr<KeyValueStoreInterface> store) {
    key_value_store_ = std::move(store);
  }
  tsl::thread::ThreadPool* compile_thread_pool() const { return compile_thread_pool_; }
  ExecutableBuildOptions& set_compile_thread_pool(tsl::thread::ThreadPool* pool) {
    compile_thread_pool_ = pool;
    return *this;
  }
  using LayoutCanonicalizationCallback =
      std::function<absl::StatusOr<std::pair<std::vector<Shape>, Shape>>(const HloModule& module)>;
  LayoutCanonicalizationCallback layout_canonicalization_callback() const {
    return layout_canonicalization_callback_;
  }
  void set_layout_canonicalization_callback(LayoutCanonicalizationCallback callback) {
    layout_canonicalization_callback_ = std::move(callback);
  }

  std::string ToString() const;

  // InvalidArgument for what a proto cannot hold: a thread pool, a callback. The allocator and the
  // store are left out.
  absl::StatusOr<ExecutableBuildOptionsProto> ToProto() const;

 private:
  friend absl::StatusOr<ExecutableBuildOptions> ExecutableBuildOptionsFromProto(
      const ExecutableBuildOptionsProto& proto);

  static bool Any(const absl::InlinedVector<bool, 1>& values) {
    return std::find(values.begin(), values.end(), true) != values.end();
  }

  int device_ordinal_ = -1;
  std::optional<Shape> result_layout_;
  std::optional<DebugOptions> debug_options_;
  se::DeviceMemoryAllocator* device_allocator_ = nullptr;
  int num_replicas_ = 1;
  int num_partitions_ = 1;
  bool use_spmd_partitioning_ = false;
  bool deduplicate_hlo_ = false;
  bool alias_passthrough_params_ = false;
  std::optional<bool> flush_subnormals_;
  std::string fdo_profile_;
  int64_t device_memory_size_ = 0;
  bool use_shardy_partitioner_ = false;
  float exec_time_optimization_effort_ = 0;
  float memory_fitting_effort_ = 0;
  ExecutionOptions::EffortLevel optimization_level_ = ExecutionOptions::EFFORT_UNKNOWN;
  ExecutionOptions::EffortLevel memory_fitting_level_ = ExecutionOptions::EFFORT_UNKNOWN;
  std::optional<DeviceAssignment> device_assignment_;
  std::optional<CompilationEnvironments> comp_envs_;
  bool use_auto_spmd_partitioning_ = false;
  std::vector<int64_t> auto_spmd_partitioning_mesh_shape_;
  std::vector<int64_t> auto_spmd_partitioning_mesh_ids_;
  absl::InlinedVector<bool, 1> allow_spmd_sharding_propagation_to_parameters_ = {false};
  absl::InlinedVector<bool, 1> allow_spmd_sharding_propagation_to_output_ = {false};
  bool run_backend_only_ = false;
  int process_index_ = 0;
  int process_count_ = 1;
  int64_t slice_size_ = 0;
  std::shared_ptr<KeyValueStoreInterface> key_value_store_;
  tsl::thread::ThreadPool* compile_thread_pool_ = nullptr;
  LayoutCanonicalizationCallback layout_canonicalization_callback_;
};

// The options that ToProto wrote. Errors as those of Shape::FromProto,
// CompilationEnvironments::CreateFromProto and DeviceAssignment::Deserialize.
absl::StatusOr<ExecutableBuildOptions> ExecutableBuildOptionsFromProto(
    const ExecutableBuildOptionsProto& proto);

// The same as a proto. The result shape of `program_shape` (may be null) is taken where no result
// layout is set.
ExecutionOptions CreateExecutionOptions(const ExecutableBuildOptions& build_options,
                                        const ProgramShape* program_shape);

}  // namespace xla

#endif  // XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
