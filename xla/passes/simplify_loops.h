// SPDX-License-Identifier: Apache-2.0
// Simplification of while loops.
#ifndef XLA_PASSES_SIMPLIFY_LOOPS_H_
#define XLA_PASSES_SIMPLIFY_LOOPS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Elements of the state that never change are used from outside the loop after it, and constants
// among them inside it. Loops of no trips are removed. Bodies and conditions that other loops share
// are copied first where that is needed. Dead state is removed by dce.
absl::StatusOr<bool> SimplifyLoops(HloModule* module);

// Loops of one trip, and of few trips with a small body of elementwise operations and data
// movement, are replaced by copies of their bodies.
absl::StatusOr<bool> UnrollLoops(HloModule* module);

// Moves what a body computes from values that never change in front of the loop: arrays of at least
// 64 elements, if that takes no more memory than what they are computed from. Bodies and conditions
// must have one caller each (flatten-calls); others are left alone.
absl::StatusOr<bool> HoistLoopInvariants(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SIMPLIFY_LOOPS_H_
