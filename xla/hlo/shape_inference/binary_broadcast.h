// SPDX-License-Identifier: Apache-2.0
// Shapes of elementwise operations of two and three operands with the broadcasting that builders
// offer. Source: the broadcasting document (xla/docs/broadcasting.md).
//
// HLO instructions never broadcast implicitly: InferShape requires operands of equal sizes.
//
//   InferBinaryOpShape(kAdd, f32[2,3], f32[3], {1})   -> f32[2,3]     a row added to each row
//   InferBinaryOpShape(kAdd, f32[2,1], f32[1,3], {})  -> f32[2,3]     sizes of 1 stretch
#ifndef XLA_HLO_SHAPE_INFERENCE_BINARY_BROADCAST_H_
#define XLA_HLO_SHAPE_INFERENCE_BINARY_BROADCAST_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"

namespace xla {

// The result of an elementwise binary operation. A scalar operand fits any array. Operands of
// different ranks need `broadcast_dimensions`: for each dimension of the lower-rank operand the
// dimension of the other that it matches, strictly increasing. Then sizes of 1 stretch to the other
// operand's size. With equal ranks the list is empty or 0..rank-1. Element types agree up to
// floating point precision; the result has the more precise one, PRED for compare, C64 or C128 for
// complex. Errors: INVALID_ARGUMENT with operation, shapes and rule.
absl::StatusOr<Shape> InferBinaryOpShape(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                         absl::Span<const int64_t> broadcast_dimensions = {});

// select(pred, on_true, on_false) and clamp(min, operand, max): a predicate or bounds may be
// scalars.
absl::StatusOr<Shape> InferTernaryOpShape(HloOpcode opcode, const Shape& first, const Shape& second,
                                          const Shape& third);

// The two steps that InferBinaryOpShape takes. The first gives the larger shape with sizes taken
// from the smaller one where a dimension matches: [3] on [4,1] with {1} gives [4,3]. The second
// stretches sizes of 1; equal ranks.
absl::StatusOr<Shape> InferInDimBroadcastShape(const Shape& smaller, const Shape& larger,
                                               absl::Span<const int64_t> broadcast_dimensions);
absl::StatusOr<Shape> InferDegenerateDimensionBroadcastShape(const Shape& lhs, const Shape& rhs);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_BINARY_BROADCAST_H_
