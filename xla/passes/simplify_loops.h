// SPDX-License-Identifier: Apache-2.0
// Simplification of while loops.
#ifndef XLA_PASSES_SIMPLIFY_LOOPS_H_
#define XLA_PASSES_SIMPLIFY_LOOPS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Replaces uses of state that never changes, after the loop by its initial value, and within the
// loop by constants. Removes loops without iterations. Bodies and conditions that other loops share
// are copied first if need be. DCE removes dead state.
absl::StatusOr<bool> SimplifyLoops(HloModule* module);

// Replaces loops of one iteration, and of few iterations with a small body of elementwise
// operations and data movement, by copies of their bodies.
absl::StatusOr<bool> UnrollLoops(HloModule* module);

// Hoists instructions on values that never change out of the loop: arrays of at least 64 elements,
// if they need no more memory than their sources. Bodies and conditions must have one caller each
// (flatten-calls); others are left alone.
absl::StatusOr<bool> HoistLoopInvariants(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SIMPLIFY_LOOPS_H_
