// SPDX-License-Identifier: Apache-2.0
// Sums with zero, which are what is left of sums of disjoint parts: -0 + 0 is 0.
#ifndef XLA_PASSES_NEGATIVE_ZERO_H_
#define XLA_PASSES_NEGATIVE_ZERO_H_

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/rewriter.h"

namespace xla {

// x + 0; x itself where it is known to have no -0, and where the type has none. Of complex numbers
// x + 0 too.
HloInstruction* PlusZero(HloInstruction* x, Rewriter& rewriter);

}  // namespace xla

#endif  // XLA_PASSES_NEGATIVE_ZERO_H_
