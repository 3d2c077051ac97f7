// SPDX-License-Identifier: Apache-2.0
// HloVerifier under XLA's include path and with its options. xla/hlo/verifier/hlo_verifier.h
// declares the verifier itself.
#ifndef XLA_SERVICE_HLO_VERIFIER_H_
#define XLA_SERVICE_HLO_VERIFIER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/dfs_hlo_visitor_with_default.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/verifier/hlo_verifier.h"  // IWYU pragma: export
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

using ShapeSizeFn = std::function<int64_t(const Shape&)>;

// Setters move, so that they chain: HloVerifierOpts().MakeLayoutSensitive().AllowMixedPrecision().
struct HloVerifierOpts : HloVerifierOptions {
  HloVerifierOpts() {
    allow_mixed_precision = false;
    allow_unbounded_dynamism = false;
  }
  HloVerifierOpts&& MakeLayoutSensitive() { return With(&HloVerifierOpts::layout_sensitive, true); }
  HloVerifierOpts&& WithLayoutSensitive(bool value) {
    return With(&HloVerifierOpts::layout_sensitive, value);
  }
  HloVerifierOpts&& AllowMixedPrecision() {
    return With(&HloVerifierOpts::allow_mixed_precision, true);
  }
  HloVerifierOpts&& WithAllowMixedPrecision(bool value) {
    return With(&HloVerifierOpts::allow_mixed_precision, value);
  }
  HloVerifierOpts&& VerifyBroadcastDimensionsOrder() {
    return With(&HloVerifierOpts::verify_broadcast_dimensions_order, true);
  }
  HloVerifierOpts&& VerifyReshapeIsBitcast() {
    return With(&HloVerifierOpts::verify_reshape_is_bitcast, true);
  }
  HloVerifierOpts&& VerifyCallNestedComputationThreadName() {
    return With(&HloVerifierOpts::verify_call_nested_computation_thread_name, true);
  }
  HloVerifierOpts&& WithAllowBitcastToHaveDifferentSize(bool value) {
    return With(&HloVerifierOpts::allow_bitcast_to_have_different_size, value);
  }
  HloVerifierOpts&& WithVerifyShardingDeviceNumbers(bool value) {
    return With(&HloVerifierOpts::verify_sharding_device_numbers, value);
  }
  HloVerifierOpts&& WithAllowUnboundedDynamism(bool value) {
    return With(&HloVerifierOpts::allow_unbounded_dynamism, value);
  }
  HloVerifierOpts&& VerifyInstructionNameUnchanged() {
    return With(&HloVerifierOpts::verify_instruction_name_unchanged, true);
  }
  HloVerifierOpts&& VerifyNoHostMemorySpace() {
    return With(&HloVerifierOpts::verify_no_host_memory_space, true);
  }
  HloVerifierOpts&& WithVerifyNoCollectiveDeadlocks(bool value) {
    return With(&HloVerifierOpts::verify_no_collective_deadlocks, value);
  }
  HloVerifierOpts&& WithCheckReplicaGroups(bool value) {
    return With(&HloVerifierOpts::check_replica_groups, value);
  }
  HloVerifierOpts&& WithInstructionCanChangeLayout(const HloPredicate& predicate) {
    instruction_can_change_layout = predicate;
    return std::move(*this);
  }
  HloVerifierOpts&& WithCustomShapeSize(const ShapeSizeFn& function) {
    shape_size = function;
    return std::move(*this);
  }

 private:
  template <typename Flag>
  HloVerifierOpts&& With(Flag flag, bool value) {
    this->*flag = value;
    return std::move(*this);
  }
};

// Counts how many instructions state where they come from, and logs the shares when it is
// destroyed.
class MetadataTracker : public DfsHloVisitorWithDefault {
 public:
  explicit MetadataTracker(absl::string_view prefix) : prefix_(prefix) {}
  ~MetadataTracker() override;
  absl::Status DefaultAction(HloInstruction* instruction) override;

 private:
  const std::string prefix_;
  int64_t instructions_ = 0, op_types_ = 0, op_names_ = 0, source_files_ = 0, source_lines_ = 0;
};

// A pass that changes nothing.
class HloVerifier {
 public:
  explicit HloVerifier(HloVerifierOpts&& options) : options_(std::move(options)) {}
  explicit HloVerifier(bool layout_sensitive, bool allow_mixed_precision,
                       HloPredicate instruction_can_change_layout = {}, ShapeSizeFn shape_size = {},
                       bool verify_no_collective_deadlocks = false)
      : HloVerifier(HloVerifierOpts()
                        .WithLayoutSensitive(layout_sensitive)
                        .WithAllowMixedPrecision(allow_mixed_precision)
                        .WithInstructionCanChangeLayout(instruction_can_change_layout)
                        .WithCustomShapeSize(shape_size)
                        .WithVerifyNoCollectiveDeadlocks(verify_no_collective_deadlocks)) {}

  absl::string_view name() const { return "hlo-verifier"; }
  // False, or the first violation. Modules on which only some execution threads are to be verified
  // are verified whole.
  absl::StatusOr<bool> Run(
      HloModule* module,
      const absl::flat_hash_set<absl::string_view>& execution_threads = {}) const;

 private:
  HloVerifierOpts options_;
};

}  // namespace xla

#endif  // XLA_SERVICE_HLO_VERIFIER_H_
