// SPDX-License-Identifier: Apache-2.0
// Shape inference of an instruction that stands in a module.
#ifndef XLA_HLO_SHAPE_INFERENCE_INSTRUCTION_SHAPE_H_
#define XLA_HLO_SHAPE_INFERENCE_INSTRUCTION_SHAPE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla {

// The shape that its operands and called computations, as they are, give the instruction, where
// `declared` is asked for. Errors as of InferShape. The instruction must be in a module, which says
// how many devices there are.
absl::StatusOr<Shape> InferInstructionShape(const HloInstruction& instruction,
                                            const Shape& declared);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_INSTRUCTION_SHAPE_H_
