// SPDX-License-Identifier: Apache-2.0
// Operations that stand for several simpler ones, written out.
#ifndef XLA_PASSES_EXPAND_H_
#define XLA_PASSES_EXPAND_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Composite calls become plain calls, which inline-calls replaces by what they call.
absl::StatusOr<bool> ExpandComposites(HloModule* module);

// map with a function of elementwise operations and constants becomes these operations on arrays.
absl::StatusOr<bool> ExpandMaps(HloModule* module);

// batch-norm-training, -inference and -grad become elementwise operations and reductions, in f32
// for narrower types. Sums round in the order of those reductions.
absl::StatusOr<bool> ExpandBatchNorms(HloModule* module);

// scaled-dot becomes products of the operands with their repeated scales, and a dot.
absl::StatusOr<bool> ExpandScaledDots(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_EXPAND_H_
