// SPDX-License-Identifier: Apache-2.0
// The order in which propagation sees instructions.
#ifndef XLA_SPMD_PROPAGATION_PROGRAM_ORDER_H_
#define XLA_SPMD_PROPAGATION_PROGRAM_ORDER_H_

#include <vector>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::propagation {

// The instructions as the computation lists them, but for those whose operands come later: passes
// may have added these.
std::vector<HloInstruction*> InstructionsInOrder(const HloComputation& computation);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_PROGRAM_ORDER_H_
