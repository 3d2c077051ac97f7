// SPDX-License-Identifier: Apache-2.0
// Checks that a module is well formed: structure, attributes, every shape re-inferred.
#ifndef XLA_HLO_VERIFIER_HLO_VERIFIER_H_
#define XLA_HLO_VERIFIER_HLO_VERIFIER_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

struct HloVerifierOptions {
  // Also compare layouts where the operation fixes them (bitcast, copy, entry layout).
  bool layout_sensitive = false;
  bool allow_mixed_precision = true;

  // Stricter rules, for stages of a compiler that establish them.
  bool verify_broadcast_dimensions_order = false;  // of broadcast: ascending
  bool verify_reshape_is_bitcast = false;
  bool verify_call_nested_computation_thread_name = false;
  bool verify_no_host_memory_space = false;
  bool verify_instruction_name_unchanged = false;
  bool verify_no_collective_deadlocks = false;

  bool verify_sharding_device_numbers = true;
  bool check_replica_groups = true;
  bool allow_bitcast_to_have_different_size = false;
  bool allow_unbounded_dynamism = true;
  // Those for which it returns false must keep the layout of their operands.
  std::function<bool(const HloInstruction*)> instruction_can_change_layout;
  // Bytes of an array, for bitcasts. ShapeUtil::ByteSizeOf if not set.
  std::function<int64_t(const Shape&)> shape_size;
};

// The first violation, naming operation, instruction, operand shapes and the rule. Linear time, no
// recursion.
absl::Status VerifyModule(const HloModule& module, const HloVerifierOptions& options = {});
absl::Status VerifyInstruction(const HloInstruction& instruction,
                               const HloVerifierOptions& options = {});

}  // namespace xla

#endif  // XLA_HLO_VERIFIER_HLO_VERIFIER_H_
