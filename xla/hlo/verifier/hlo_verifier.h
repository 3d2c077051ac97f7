// SPDX-License-Identifier: Apache-2.0
// Checks that a module is well formed: structure, attributes, every shape re-inferred.
#ifndef XLA_HLO_VERIFIER_HLO_VERIFIER_H_
#define XLA_HLO_VERIFIER_HLO_VERIFIER_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

struct HloVerifierOptions {
  // Also compare layouts where the operation fixes them (bitcast, copy, entry layout).
  bool layout_sensitive = false;
  bool allow_mixed_precision = true;
};

// The first violation, naming operation, instruction, operand shapes and the rule. Linear time, no
// recursion.
absl::Status VerifyModule(const HloModule& module, const HloVerifierOptions& options = {});
absl::Status VerifyInstruction(const HloInstruction& instruction,
                               const HloVerifierOptions& options = {});

}  // namespace xla

#endif  // XLA_HLO_VERIFIER_HLO_VERIFIER_H_
