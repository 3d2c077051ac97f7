// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/calls.h"

#include "xla/hlo/ir/call_rewriting.h"

namespace xla {

absl::StatusOr<bool> RunInlineCalls(HloModule* module) { return InlineAllCalls(module); }
absl::StatusOr<bool> RunFlattenCalls(HloModule* module) { return FlattenCalls(module); }

}  // namespace xla
