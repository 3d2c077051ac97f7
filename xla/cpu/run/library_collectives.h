// SPDX-License-Identifier: Apache-2.0
// Collectives between the devices of a run.
#ifndef XLA_CPU_RUN_LIBRARY_COLLECTIVES_H_
#define XLA_CPU_RUN_LIBRARY_COLLECTIVES_H_

#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the function that computes a collective; null for other instructions.
LibraryFunction FindCollective(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LIBRARY_COLLECTIVES_H_
