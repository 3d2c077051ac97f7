// SPDX-License-Identifier: Apache-2.0
// Common subexpression elimination.
#ifndef XLA_PASSES_CSE_H_
#define XLA_PASSES_CSE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Within each computation, replaces instructions that compute the same from the same operands by
// the first of them: also loops and conditionals without effects. Instructions with effects,
// control dependencies or calls (other than functions applied to elements) stay, as do constants of
// more than 64 kB. Returns whether anything changed.
absl::StatusOr<bool> EliminateCommonSubexpressions(HloModule* module);

// The reverse, for arrays filled with one number that scatters and dynamic-update-slices update:
// each update gets an array of its own, which is filled where it is updated, so that other readers
// need not load it from memory and no copy is needed.
absl::StatusOr<bool> SeparateFills(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CSE_H_
