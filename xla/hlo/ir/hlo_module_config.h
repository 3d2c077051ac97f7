// SPDX-License-Identifier: Apache-2.0
// What the header of a module states (HLO text section 2): layouts of its parameters and results,
// numbers of devices, aliases. The accessors have XLA's names.
#ifndef XLA_HLO_IR_HLO_MODULE_CONFIG_H_
#define XLA_HLO_IR_HLO_MODULE_CONFIG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xla/base/status_fwd.h"
#include "xla/device_assignment.h"
#include "xla/hlo/ir/computation_layout.h"
#include "xla/hlo/ir/instruction_extras.h"
#include "xla/shape.h"

namespace xla {

class DebugOptions;
class ExecutionOptions;
class HloModuleConfigProto;
enum ExecutionOptions_EffortLevel : int;  // xla/xla.pb.h

// input_output_alias={ {OUT}: (P, {IDX}, may-alias), .. }
struct InputOutputAlias {
  enum class Kind : uint8_t { kMay, kMust };
  std::vector<int64_t> output_index;
  int64_t parameter_number = 0;
  std::vector<int64_t> parameter_index;
  Kind kind = Kind::kMay;
  bool operator==(const InputOutputAlias&) const = default;
};

// buffer_donor={ (P, {IDX}), .. }
struct BufferDonor {
  int64_t parameter_number = 0;
  std::vector<int64_t> parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

// origin_recovery_table={ {"old" {idx}} : {"replacement"}, "HLO module text" .. }
struct OriginRecoveryEntry {
  OriginalValueNode old_value, replacement;
  std::string recovery_module;  // HLO text, may be empty
  bool operator==(const OriginRecoveryEntry&) const = default;
};

class HloModuleConfig {
 public:
  HloModuleConfig() = default;
  explicit HloModuleConfig(const ProgramShape& program_shape, bool ignore_layouts = true)
      : entry_computation_layout_(ComputationLayout(program_shape, ignore_layouts)) {}

  // Always set once a module is parsed or built. Precondition of the others: it is.
  bool has_entry_computation_layout() const { return entry_computation_layout_.has_value(); }
  const ComputationLayout& entry_computation_layout() const { return *entry_computation_layout_; }
  ComputationLayout* mutable_entry_computation_layout() { return &*entry_computation_layout_; }
  void set_entry_computation_layout(ComputationLayout layout) {
    entry_computation_layout_ = std::move(layout);
  }
  void clear_entry_computation_layout() { entry_computation_layout_.reset(); }
  // The same with default layouts.
  void SetDefaultComputationLayout(const ProgramShape& program_shape) {
    entry_computation_layout_ = ComputationLayout(program_shape, /*ignore_layouts=*/true);
  }
  void SetComputationLayoutIfExists(const ProgramShape& program_shape) {
    entry_computation_layout_ = ComputationLayout(program_shape);
  }

  int64_t replica_count() const { return replica_count_; }
  void set_replica_count(int64_t count) { replica_count_ = count; }
  int64_t num_partitions() const { return num_partitions_; }
  void set_num_partitions(int64_t count) { num_partitions_ = count; }
  // num_partitions= in text sets it.
  bool use_spmd_partitioning() const { return use_spmd_partitioning_; }
  void set_use_spmd_partitioning(bool value) { use_spmd_partitioning_ = value; }
  bool alias_passthrough_params() const { return alias_passthrough_params_; }
  void set_alias_passthrough_params(bool value) { alias_passthrough_params_ = value; }
  const std::vector<bool>& allow_spmd_sharding_propagation_to_parameters() const {
    return allow_spmd_sharding_propagation_to_parameters_;
  }
  void set_allow_spmd_sharding_propagation_to_parameters(std::vector<bool> values) {
    allow_spmd_sharding_propagation_to_parameters_ = std::move(values);
  }
  const std::vector<bool>& allow_spmd_sharding_propagation_to_output() const {
    return allow_spmd_sharding_propagation_to_output_;
  }
  void set_allow_spmd_sharding_propagation_to_output(std::vector<bool> values) {
    allow_spmd_sharding_propagation_to_output_ = std::move(values);
  }
  uint64_t seed() const { return seed_; }
  void set_seed(uint64_t value) { seed_ = value; }
  // What a program asks of its compiler. Kept and passed on; the compilers here do not obey it.
  const std::string& fdo_profile() const { return requests_.fdo_profile; }
  void set_fdo_profile(std::string profile) { requests_.fdo_profile = std::move(profile); }
  int64_t device_memory_size() const { return requests_.device_memory_size; }
  void set_device_memory_size(int64_t bytes) { requests_.device_memory_size = bytes; }
  bool use_shardy_partitioner() const { return requests_.use_shardy_partitioner; }
  void set_use_shardy_partitioner(bool value) { requests_.use_shardy_partitioner = value; }
  float exec_time_optimization_effort() const { return requests_.exec_time_effort; }
  void set_exec_time_optimization_effort(float effort) { requests_.exec_time_effort = effort; }
  float memory_fitting_effort() const { return requests_.memory_fitting_effort; }
  void set_memory_fitting_effort(float effort) { requests_.memory_fitting_effort = effort; }
  ExecutionOptions_EffortLevel optimization_level() const { return requests_.optimization_level; }
  void set_optimization_level(ExecutionOptions_EffortLevel level) {
    requests_.optimization_level = level;
  }
  ExecutionOptions_EffortLevel memory_fitting_level() const {
    return requests_.memory_fitting_level;
  }
  void set_memory_fitting_level(ExecutionOptions_EffortLevel level) {
    requests_.memory_fitting_level = level;
  }

  // The devices that the program is meant for, if they are known.
  bool has_static_device_assignment() const { return static_device_assignment_.has_value(); }
  // Precondition: there is one.
  const DeviceAssignment& static_device_assignment() const { return *static_device_assignment_; }
  void set_static_device_assignment(const DeviceAssignment& assignment) {
    static_device_assignment_ = assignment;
  }
  void reset_static_device_assignment() { static_device_assignment_.reset(); }

  // The fields above as a proto, which does not hold what XLA keeps in HloModule. Defined in
  // xla/hlo/proto.
  HloModuleConfigProto ToProto() const;
  static absl::StatusOr<std::unique_ptr<HloModuleConfig>> CreateFromProto(
      const HloModuleConfigProto& proto);

  // What ExecutionOptions say; counts of 0 change nothing. Defined in xla/hlo/proto.
  void TakeExecutionOptions(const ExecutionOptions& options);

  // Kept and not used by anything in this folder. The defaults of all options if none are set.
  void set_debug_options(const DebugOptions& options);
  const DebugOptions& debug_options() const;
  DebugOptions& mutable_debug_options();
  // Copies what another config asks of compilers, debug options included.
  void TakeRequests(const HloModuleConfig& other) { requests_ = other.requests_; }

  // What XLA keeps in HloModule, in classes of its own.
  bool is_scheduled = false;  // text order of each computation is its schedule
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  std::map<std::string, std::string> frontend_attributes;
  std::vector<OriginRecoveryEntry> origin_recovery_table;

 private:
  std::optional<ComputationLayout> entry_computation_layout_;
  int64_t replica_count_ = 1;
  int64_t num_partitions_ = 1;
  bool use_spmd_partitioning_ = false;
  bool alias_passthrough_params_ = false;
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters_;
  std::vector<bool> allow_spmd_sharding_propagation_to_output_;
  uint64_t seed_ = 0;
  std::optional<DeviceAssignment> static_device_assignment_;
  struct Requests {
    std::string fdo_profile;
    int64_t device_memory_size = 0;
    bool use_shardy_partitioner = false;
    float exec_time_effort = 0;
    float memory_fitting_effort = 0;
    ExecutionOptions_EffortLevel optimization_level = {}, memory_fitting_level = {};
    std::shared_ptr<DebugOptions> debug_options;  // shared by copies until one changes them
  };
  Requests requests_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_MODULE_CONFIG_H_
