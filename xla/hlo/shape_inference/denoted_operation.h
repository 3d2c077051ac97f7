// SPDX-License-Identifier: Apache-2.0
// Custom calls of XLA that denote an operation, on other element types or with sizes that are known
// at run time only.
#ifndef XLA_HLO_SHAPE_INFERENCE_DENOTED_OPERATION_H_
#define XLA_HLO_SHAPE_INFERENCE_DENOTED_OPERATION_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Checks that the operation, on operands of these shapes and with the computations of the call, has
// a result of the call's dimensions and of an element type of its kind: both are floating-point,
// both complex or both integral. INVALID_ARGUMENT with the rule only; the caller names the call.
absl::Status CheckDenotedResult(const HloInstruction& call, HloOpcode opcode,
                                const Attributes& attributes,
                                absl::Span<const Shape* const> operands);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_DENOTED_OPERATION_H_
