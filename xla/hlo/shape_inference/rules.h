// SPDX-License-Identifier: Apache-2.0
// The shape inference rules. Internal to this folder and the verifier.
//
// A rule may assume the number of operands and of called computations that the operation table
// states, the number of parameters of each called computation, and the opcode's own attribute
// struct. All values are the user's: the rule checks ranks, indices and sizes.
#ifndef XLA_HLO_SHAPE_INFERENCE_RULES_H_
#define XLA_HLO_SHAPE_INFERENCE_RULES_H_

#include "absl/status/statusor.h"
#include "xla/hlo/shape_inference/shape_inference.h"

namespace xla::shape_inference {

using Result = absl::StatusOr<Shape>;
using Rule = Result (*)(const InferenceInput&);

// As InferShape, without the operation and its operands at the end of error messages.
Result ApplyRule(const InferenceInput& input);

// The rule of each operation, InferStem for HLO_OP(Stem, ...), in the file of its family.
#define HLO_OP(stem, ...) Result Infer##stem(const InferenceInput& in);
#include "xla/hlo/ir/opcodes.def"

// Rules that several operations share (shape_inference.cc).
Result InferUnary(const InferenceInput& in);  // elementwise.cc: the shape of the operand
Result InferBinary(const InferenceInput& in);
Result InferTernary(const InferenceInput& in);
Result InferRealOrImag(const InferenceInput& in);
Result InferSameAsOperand(const InferenceInput& in);  // control.cc
Result InferParticipantId(const InferenceInput& in);  // collective.cc

}  // namespace xla::shape_inference

#endif  // XLA_HLO_SHAPE_INFERENCE_RULES_H_
