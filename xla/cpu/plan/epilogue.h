// SPDX-License-Identifier: Apache-2.0
// Epilogues: fusions that finish the results of a dot or convolution as soon as they are complete,
// block by block, rather than in a kernel of their own.
#ifndef XLA_CPU_PLAN_EPILOGUE_H_
#define XLA_CPU_PLAN_EPILOGUE_H_

#include <cstdint>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the dot or convolution whose results the fusion finishes and that has no other reader;
// null if there is none.
const HloInstruction* FusedContraction(const HloInstruction& fusion);
// Whether a fusion finishes the results of this dot or convolution.
bool IsFusedContraction(const HloInstruction& contraction);
// Returns the number of the fusion's operand that is the contraction it finishes; -1 if there is
// none.
int64_t ContractionOperand(const HloInstruction& fusion);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_EPILOGUE_H_
