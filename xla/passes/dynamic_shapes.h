// SPDX-License-Identifier: Apache-2.0
// Shapes with dynamic dimensions as static ones: a dynamic array becomes a tuple of the array at
// its bounds and an s32 scalar for the size of each dynamic dimension, in order.
#ifndef XLA_PASSES_DYNAMIC_SHAPES_H_
#define XLA_PASSES_DYNAMIC_SHAPES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"

namespace xla {

// Whether some array of the shape has a dynamic dimension.
bool HasDynamicArray(const Shape& shape);
// The static form; other shapes are returned without layouts of arrays.
Shape StaticForm(const Shape& shape);

// Where values are passed on (calls, loops, tuples..), makes dimensions dynamic that are declared
// static but may get values of dynamic sizes, which these values keep. Returns the shapes that the
// callers of each computation take from it; for the entry computation the declared one.
using RootShapes = absl::flat_hash_map<const HloComputation*, Shape>;
RootShapes WidenDynamicShapes(HloModule* module);

// Rewrites a module with dynamic shapes so that all are static, with the sizes as values of their
// own. Parameters and result of the entry computation have the static forms of their shapes. Sizes
// that a program sets beyond a bound make a custom call to kCheckSizeTarget fail. Operations that
// communicate with the outside keep their original shapes as frontend attributes.
absl::StatusOr<bool> ResolveDynamicSizes(HloModule* module);

// A custom call (size, s32) -> s32 of the size itself, which must be in [0, bound]: `bound` is the
// backend_config, in decimal digits.
inline constexpr char kCheckSizeTarget[] = "xylem.check_size";

// The shapes of the instruction in the program as it was written: of its result and of its
// operands.
Shape OriginalShape(const HloInstruction& instruction);
Shape OriginalOperandShape(const HloInstruction& instruction, int64_t operand);
// Removes what these functions read; for programs from outside, where it means nothing.
absl::StatusOr<bool> ForgetOriginalShapes(HloModule* module);
// Sets what these functions read, for an instruction that takes the place of `original`.
void KeepOriginalShapes(const HloInstruction& original, HloInstruction* instruction);

}  // namespace xla

#endif  // XLA_PASSES_DYNAMIC_SHAPES_H_
