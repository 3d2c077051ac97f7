// SPDX-License-Identifier: Apache-2.0
// Operands that library kernels compute as they read them: transposes, products with a constant,
// indices; and results that they do not write.
#ifndef XLA_CPU_PLAN_OPERAND_FOLDING_H_
#define XLA_CPU_PLAN_OPERAND_FOLDING_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether the instruction is a transpose that only dots read, which take any strides.
bool IsFoldedTranspose(const HloInstruction& instruction);

// Whether the instruction multiplies an array of f32 or f64 by a constant and is only read by dots,
// and by convolutions as their kernel: these multiply as they read.
bool IsFoldedScaling(const HloInstruction& instruction);
// Return the array of a folded scaling, and the factor.
const HloInstruction* ScaledArray(const HloInstruction& scaling);
double ScaleOf(const HloInstruction& scaling);
// Whether the instruction is the broadcast factor of folded scalings and has no other readers.
bool IsScaleOfFoldedOperands(const HloInstruction& instruction);

// Whether the instruction is the index along the sorted dimension and is only read by sorts of the
// library, which know the index.
bool IsSortIndex(const HloInstruction& instruction);

// Whether a result of a library sort or of a fusion is unused and needs no memory.
bool IsUnusedResult(const HloInstruction& instruction, int64_t result);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_OPERAND_FOLDING_H_
