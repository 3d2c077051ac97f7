// SPDX-License-Identifier: Apache-2.0
// Fusion: groups of operations that are computed by one kernel.
#ifndef XLA_CPU_FUSION_H_
#define XLA_CPU_FUSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Whether generated code computes the instruction, alone or in a fusion; others are kernels of
// libraries, control flow, or cost nothing.
bool IsGenerated(const HloInstruction& instruction);

// Whether the instruction is a transpose that is read where it is used: by dots, which take any
// strides.
bool IsTransposedView(const HloInstruction& instruction);

// Whether the instruction multiplies an array of f32 or f64 by a constant number, and is read by
// dots and as the kernel of convolutions alone: these multiply as they read.
bool IsScaledView(const HloInstruction& instruction);
// The array of a scaled view, and the number.
const HloInstruction* ScaledArray(const HloInstruction& view);
double ScaleOf(const HloInstruction& view);
// Whether the instruction is the number of scaled views alone, as an array.
bool IsScaleOfViews(const HloInstruction& instruction);

// Whether the instruction holds the index along the sorted dimension, and is read by sorts of the
// library alone: these know the index.
bool IsSortIndex(const HloInstruction& instruction);

// Whether a result of a sort of the library or of a fusion is not used, and needs no memory.
bool IsUnusedResult(const HloInstruction& instruction, int64_t result);

// Whether the instruction is one of many products of small matrices: generated code.
bool IsSmallProduct(const HloInstruction& dot);

// Whether gathers alone read a concatenation of indices, and each index from one known operand.
bool IsReadByPart(const HloInstruction& concatenate);

// The dot or convolution whose results the fusion finishes as soon as they are complete, part by
// part, rather than in a step of its own: null if there is none. Nothing else reads these results.
const HloInstruction* FusedContraction(const HloInstruction& fusion);
// Whether a fusion finishes this dot or convolution.
bool IsFusedContraction(const HloInstruction& contraction);
// The operand of the fusion that the contraction is.
int64_t ContractionOperand(const HloInstruction& fusion);

// Replaces every instruction that generated code computes by a fusion: kLoop, or kInput where it
// reduces. Operations whose results would only be read by such fusions become part of them, in all
// of them if they are cheap. Fusions that the module has are taken apart first.
absl::StatusOr<bool> FuseForCpu(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_FUSION_H_
