// SPDX-License-Identifier: Apache-2.0
// Calls as passes: inlined, or flattened so that each computation is called from one place only;
// branches that are known.
#ifndef XLA_PASSES_CALLS_H_
#define XLA_PASSES_CALLS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// InlineAllCalls and FlattenCalls of xla/hlo/ir/call_rewriting.h, with their default bounds.
absl::StatusOr<bool> RunInlineCalls(HloModule* module);
absl::StatusOr<bool> RunFlattenCalls(HloModule* module);

// Conditionals with one branch, or whose branch is a constant, are replaced by what that branch
// computes. Other branches are never run.
absl::StatusOr<bool> InlineKnownBranches(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CALLS_H_
