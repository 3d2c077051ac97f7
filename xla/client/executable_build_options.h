// SPDX-License-Identifier: Apache-2.0
// How LocalClient::Compile makes a program ready.
#ifndef XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
#define XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "xla/base/check.h"
#include "xla/service/computation_placer.h"
#include "xla/shape.h"
#include "xla/stream_executor/device_memory_allocator.h"
#include "xla/xla.pb.h"

namespace xla {

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
  bool has_debug_options() const { return debug_options_.has_value(); }
  const DebugOptions& debug_options() const { return *debug_options_; }
  DebugOptions* mutable_debug_options() {
    if (!debug_options_.has_value()) debug_options_.emplace();
    return &*debug_options_;
  }
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

  // The program is that of one partition, with its collectives written out. To have a program with
  // shardings divided is an error for now.
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

  std::string ToString() const;

 private:
  int device_ordinal_ = -1;
  std::optional<Shape> result_layout_;
  std::optional<DebugOptions> debug_options_;
  se::DeviceMemoryAllocator* device_allocator_ = nullptr;
  int num_replicas_ = 1;
  int num_partitions_ = 1;
  bool use_spmd_partitioning_ = false;
  bool deduplicate_hlo_ = false;
  bool alias_passthrough_params_ = false;
  std::string fdo_profile_;
  int64_t device_memory_size_ = 0;
  bool use_shardy_partitioner_ = false;
  float exec_time_optimization_effort_ = 0;
  float memory_fitting_effort_ = 0;
  ExecutionOptions::EffortLevel optimization_level_ = ExecutionOptions::EFFORT_UNKNOWN;
  ExecutionOptions::EffortLevel memory_fitting_level_ = ExecutionOptions::EFFORT_UNKNOWN;
  std::optional<DeviceAssignment> device_assignment_;
};

// The same as a proto. The result shape of `program_shape` (may be null) is taken where no result
// layout is set.
ExecutionOptions CreateExecutionOptions(const ExecutableBuildOptions& build_options,
                                        const ProgramShape* program_shape);

}  // namespace xla

#endif  // XLA_CLIENT_EXECUTABLE_BUILD_OPTIONS_H_
