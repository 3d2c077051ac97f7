// SPDX-License-Identifier: Apache-2.0
// Epilogues: fusions that finish the results of a dot or convolution as soon as they are complete,
// block by block, rather than in a step of their own.
#ifndef XLA_CPU_PLAN_EPILOGUE_H_
#define XLA_CPU_PLAN_EPILOGUE_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// The dot or convolution that the fusion finishes: null if there is none. Nothing else reads its
// results.
const HloInstruction* FusedContraction(const HloInstruction& fusion);
// Whether a fusion finishes this dot or convolution.
bool IsFusedContraction(const HloInstruction& contraction);
// The operand of the fusion that the contraction is; -1 if there is none.
int64_t ContractionOperand(const HloInstruction& fusion);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_EPILOGUE_H_
