// SPDX-License-Identifier: Apache-2.0
// Facts about values, and the operations on them that value_inference.cc is made of. Internal to
// xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_VALUE_FACTS_H_
#define XLA_HLO_BUILDER_VALUE_FACTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/value_inference.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla::value_inference {

using Mode = ValueInferenceMode;

// Elements and which of them are unknown. Both are static; a token's mask is a scalar.
struct Facts {
  Literal value, mask;
};

Mode Opposite(Mode mode);
// The shape with all dimensions at their bounds, and that of its mask.
Shape StaticShape(const Shape& shape);
Shape MaskShape(const Shape& shape);
void Fill(Literal* mask, bool value);
bool AllFalse(const Literal& mask);

absl::StatusOr<Facts> Unknown(const Shape& shape);
absl::StatusOr<Facts> Known(Literal value);
Facts Copy(const Facts& facts);

// The result of the instruction on other operands, with another result shape.
absl::StatusOr<Literal> EvaluateOn(const HloInstruction& instruction, const Shape& shape,
                                   absl::Span<const Literal* const> operands);

// Instructions whose results are elements of their operands, at the same places whatever those are.
bool MovesElements(HloOpcode opcode);
// The number of leading operands that hold elements, of instructions with indices behind these; 0
// for others.
int64_t IndexedOperands(HloOpcode opcode);
// How a result changes with operand i: +1 it grows, -1 it falls, 0 neither.
int Monotonicity(const HloInstruction& instruction, int64_t i);
bool IsMonotone(const HloInstruction& instruction);
// Whether a reduction is monotone in all operands.
bool ReducesMonotonously(const HloInstruction& reduce);

// What holds if either holds: elements that differ are unknown, or the farther bound counts.
absl::Status Join(const Facts& other, Mode mode, Facts* facts);
// Bounds (lower, upper) of divisors. Division by 0 is undefined and does not count, so that a lower
// bound of 0 becomes 1. Unknown where the bounds have different signs, or are not integers and
// include 0.
absl::Status AvoidZero(std::vector<Literal>* bounds, Literal* mask);
// Whether any element along the dimensions is unknown; `shape` is without these dimensions.
absl::StatusOr<Literal> AnyAlong(const Literal& mask, absl::Span<const int64_t> dimensions,
                                 const Shape& shape);
// Each element becomes the greatest (or least) along the dimension.
absl::StatusOr<Facts> FarthestAlong(const Facts& facts, int64_t dimension, Mode mode);

}  // namespace xla::value_inference

#endif  // XLA_HLO_BUILDER_VALUE_FACTS_H_
