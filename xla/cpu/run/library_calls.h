// SPDX-License-Identifier: Apache-2.0
// Operations that functions of the runtime compute.
#ifndef XLA_CPU_RUN_LIBRARY_CALLS_H_
#define XLA_CPU_RUN_LIBRARY_CALLS_H_

#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the function that computes an instruction without a prepared kernel; null if there is
// none.
LibraryFunction FindLibraryFunction(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LIBRARY_CALLS_H_
