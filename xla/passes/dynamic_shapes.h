// SPDX-License-Identifier: Apache-2.0
// Represents shapes with dynamic dimensions by static ones: a dynamic array becomes a tuple of the
// array at its bounds and an s32 scalar for the size of each dynamic dimension, in order.
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
// Returns the static form; other shapes are returned without layouts of arrays.
Shape StaticForm(const Shape& shape);

// Makes dimensions dynamic that are declared static but may receive values of dynamic sizes through
// calls, loops, tuples and the like. Returns the shapes of the roots as the callers of each
// computation see them; for the entry computation the declared one.
using RootShapes = absl::flat_hash_map<const HloComputation*, Shape>;
RootShapes WidenDynamicShapes(HloModule* module);

// Rewrites a module with dynamic shapes so that all are static, with the sizes as values of their
// own. Parameters and result of the entry computation have the static forms of their shapes. Sizes
// that a program sets beyond a bound make a custom call to kCheckSizeTarget fail. Operations that
// communicate with the outside keep their original shapes as frontend attributes.
absl::StatusOr<bool> ResolveDynamicSizes(HloModule* module);

// A custom call (size, s32) -> s32 that returns the size, which must be in [0, bound]; `bound` is
// the backend_config, in decimal digits.
inline constexpr char kCheckSizeTarget[] = "xylem.check_size";

// Return the shapes of the instruction's result and operands in the program as it was written.
Shape OriginalShape(const HloInstruction& instruction);
Shape OriginalOperandShape(const HloInstruction& instruction, int64_t operand);
// Removes the attributes that these functions read, from programs in which they mean nothing.
absl::StatusOr<bool> ForgetOriginalShapes(HloModule* module);
// Sets the attributes that these functions read, for an instruction that replaces `original`.
void KeepOriginalShapes(const HloInstruction& original, HloInstruction* instruction);

}  // namespace xla

#endif  // XLA_PASSES_DYNAMIC_SHAPES_H_
