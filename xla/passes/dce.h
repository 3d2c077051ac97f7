// SPDX-License-Identifier: Apache-2.0
// Dead code elimination.
#ifndef XLA_PASSES_DCE_H_
#define XLA_PASSES_DCE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Removes instructions that no root and no effect depends on, unused parameters and results of
// called and fused computations, state that a loop only passes on or computes for itself, and
// computations that are not called. Parameters of the entry, and the schedule's order, stay.
// Returns whether anything changed.
absl::StatusOr<bool> EliminateDeadCode(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_DCE_H_
