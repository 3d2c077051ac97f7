// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_PLAN_SMALL_DOT_H_
#define XLA_CPU_PLAN_SMALL_DOT_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Whether the instruction is a dot of matrices that are too small for a library kernel, or many of
// them: generated code computes it.
bool IsSmallProduct(const HloInstruction& dot);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SMALL_DOT_H_
