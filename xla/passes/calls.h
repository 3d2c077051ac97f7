// SPDX-License-Identifier: Apache-2.0
// Passes on calls: inlining, flattening so that each computation has one caller, and conditionals
// with a known branch.
#ifndef XLA_PASSES_CALLS_H_
#define XLA_PASSES_CALLS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// InlineAllCalls and FlattenCalls of xla/hlo/ir/call_rewriting.h, with their default bounds.
absl::StatusOr<bool> RunInlineCalls(HloModule* module);
absl::StatusOr<bool> RunFlattenCalls(HloModule* module);

// Replaces conditionals with one branch, or with a constant selector, by the instructions of that
// branch. Other branches are never run.
absl::StatusOr<bool> InlineKnownBranches(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CALLS_H_
