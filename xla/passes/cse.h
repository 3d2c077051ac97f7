// SPDX-License-Identifier: Apache-2.0
// Common subexpression elimination.
#ifndef XLA_PASSES_CSE_H_
#define XLA_PASSES_CSE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Within each computation, replaces instructions that compute the same from the same operands by
// the first of them. Instructions with effects, control dependencies or calls (other than functions
// applied to elements) stay, as do constants of more than 64 kB. Returns whether anything changed.
absl::StatusOr<bool> EliminateCommonSubexpressions(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CSE_H_
