// SPDX-License-Identifier: Apache-2.0
// The result shape of an operation from its operands, attributes and callees; the rules of XLA's
// shape inference.
#ifndef XLA_HLO_SHAPE_INFERENCE_SHAPE_INFERENCE_H_
#define XLA_HLO_SHAPE_INFERENCE_SHAPE_INFERENCE_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"

namespace xla {

// The input of shape inference. Callees are given by their signatures, so that the builder, which
// has no instructions yet, the parser and the verifier use the same functions.
struct InferenceInput {
  HloOpcode opcode;
  absl::Span<const Shape* const> operands;
  const Attributes& attributes;
  absl::Span<const ProgramShape* const> callees;  // in the order of enum Callees
  // The declared result, for operations whose shape is not a function of the above (convert,
  // reshape, iota, constant, custom-call, dot's preferred element type, ...); null if not known.
  const Shape* declared = nullptr;
  // For collectives without explicit groups: the number of participating devices; 0 if unknown.
  int64_t replica_count = 0, num_partitions = 0;
};

// The result shape. Layouts are as in XLA: the operand's where the result is the operand's shape
// (elementwise, reverse,
// ...), permuted by a transpose, else the default layout. Errors: INVALID_ARGUMENT that names
// operation, operand shapes and the rule broken. Operations that need `declared` check it and
// return it; for the others the caller compares.
absl::StatusOr<Shape> InferShape(const InferenceInput& input);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_SHAPE_INFERENCE_H_
