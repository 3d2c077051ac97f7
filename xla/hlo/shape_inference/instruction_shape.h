// SPDX-License-Identifier: Apache-2.0
// Shape inference of an instruction of a module.
#ifndef XLA_HLO_SHAPE_INFERENCE_INSTRUCTION_SHAPE_H_
#define XLA_HLO_SHAPE_INFERENCE_INSTRUCTION_SHAPE_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla {

// Infers the shape of the instruction from its operands and called computations; `declared` is the
// declared shape for operations that need one. Errors are those of InferShape. The instruction must
// be in a module, which determines the number of devices.
absl::StatusOr<Shape> InferInstructionShape(const HloInstruction& instruction,
                                            const Shape& declared);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_INSTRUCTION_SHAPE_H_
