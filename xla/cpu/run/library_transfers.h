// SPDX-License-Identifier: Apache-2.0
// Transfers between the devices of a run, and with the host: infeed, outfeed, send and recv.
#ifndef XLA_CPU_RUN_LIBRARY_TRANSFERS_H_
#define XLA_CPU_RUN_LIBRARY_TRANSFERS_H_

#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the function that computes a transfer; null for other instructions.
LibraryFunction FindTransfer(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LIBRARY_TRANSFERS_H_
