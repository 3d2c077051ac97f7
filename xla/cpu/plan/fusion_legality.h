// SPDX-License-Identifier: Apache-2.0
// Decides which producers may be fused into their users at all, whatever that costs.
#ifndef XLA_CPU_PLAN_FUSION_LEGALITY_H_
#define XLA_CPU_PLAN_FUSION_LEGALITY_H_

#include <cstdint>
#include <vector>

#include "xla/cpu/plan/fusion_decisions.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether generated code can compute the instruction where its users need it. All users must be
// decided.
bool CanBeFused(const HloInstruction& instruction, const FusionDecisions& decisions);

// Whether the kernels, which would compute the instruction, can do so with what they compute
// already. `is_row`: IsRowOfResult.
bool FitsKernels(const HloInstruction& instruction, bool is_row,
                 const std::vector<const HloInstruction*>& kernels,
                 const FusionDecisions& decisions);

// Whether the instruction reduces the minor dimension by vectors and is read, through operations
// that keep rows, by a single elementwise kernel with the dimensions of its operand: the kernel
// reduces each row before it computes the row's elements.
bool IsRowOfResult(const HloInstruction& reduce, const FusionDecisions& decisions);

// Whether each element of the result is computed from many elements of an operand.
bool CombinesElements(const HloInstruction& instruction);

// The number of leading operands that the operation updates in place.
int64_t UpdatedCount(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_FUSION_LEGALITY_H_
