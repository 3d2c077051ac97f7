// SPDX-License-Identifier: Apache-2.0
// Operands that library kernels read through rather than from memory: transposes, products with a
// constant, indices; and results that they do not write.
#ifndef XLA_CPU_PLAN_OPERAND_FOLDING_H_
#define XLA_CPU_PLAN_OPERAND_FOLDING_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether the instruction is a transpose that only dots read, which take any strides.
bool IsFoldedTranspose(const HloInstruction& instruction);

// Whether the instruction multiplies an array of f32 or f64 by a constant number, and only dots,
// and convolutions as their kernel, read it: these multiply as they read.
bool IsFoldedScaling(const HloInstruction& instruction);
// The array of a folded scaling, and the number.
const HloInstruction* ScaledArray(const HloInstruction& scaling);
double ScaleOf(const HloInstruction& scaling);
// Whether the instruction is the number of folded scalings, as an array, and nothing else reads it.
bool IsScaleOfFoldedOperands(const HloInstruction& instruction);

// Whether the instruction holds the index along the sorted dimension, and is read by sorts of the
// library alone: these know the index.
bool IsSortIndex(const HloInstruction& instruction);

// Whether a result of a sort of the library or of a fusion is not used, and needs no memory.
bool IsUnusedResult(const HloInstruction& instruction, int64_t result);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_OPERAND_FOLDING_H_
