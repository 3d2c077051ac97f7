// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_PLAN_SMALL_DOT_H_
#define XLA_CPU_PLAN_SMALL_DOT_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether generated code computes the instruction: a dot of matrices, or of a batch of them, that
// are too small for a library kernel.
bool IsSmallProduct(const HloInstruction& dot);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SMALL_DOT_H_
