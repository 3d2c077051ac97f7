// SPDX-License-Identifier: Apache-2.0
// Algebraic simplification: replaces expressions by cheaper ones that have the same bits for every
// input.
#ifndef XLA_PASSES_ALGEBRAIC_SIMPLIFIER_H_
#define XLA_PASSES_ALGEBRAIC_SIMPLIFIER_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/rewriter.h"

namespace xla {

// Applies the rules of all families to a fixed point. No rule changes the rounding of numbers: all
// bits are kept, including signed zeros; NaN stays NaN. Returns whether anything changed.
absl::StatusOr<bool> SimplifyAlgebra(HloModule* module);

// The rules of one family of operations, each in the file of that family.
absl::Span<const RewriteRule> ElementwiseSimplifications();  // algebraic_simplifier_elementwise.cc
absl::Span<const RewriteRule> ReshapeSimplifications();      // algebraic_simplifier_reshape.cc
absl::Span<const RewriteRule> BroadcastSimplifications();    // algebraic_simplifier_broadcast.cc
absl::Span<const RewriteRule> SliceSimplifications();        // algebraic_simplifier_slice.cc
absl::Span<const RewriteRule> ReductionSimplifications();    // algebraic_simplifier_reduce.cc
absl::Span<const RewriteRule> ScatterSimplifications();      // algebraic_simplifier_scatter.cc
absl::Span<const RewriteRule> PadSimplifications();          // algebraic_simplifier_pad.cc
absl::Span<const RewriteRule> ControlSimplifications();      // algebraic_simplifier_control.cc

}  // namespace xla

#endif  // XLA_PASSES_ALGEBRAIC_SIMPLIFIER_H_
