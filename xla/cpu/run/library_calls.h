// SPDX-License-Identifier: Apache-2.0
// Operations that functions of the runtime compute, by the file that defines them.
#ifndef XLA_CPU_RUN_LIBRARY_CALLS_H_
#define XLA_CPU_RUN_LIBRARY_CALLS_H_

#include <memory>

#include "absl/status/status.h"
#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

// Returns the function that computes an instruction without a prepared kernel; null if there is
// none.
LibraryFunction FindLibraryFunction(const HloInstruction& instruction);

// The functions of operations that communicate, by file.
LibraryFunction FindCollective(const HloInstruction& instruction);  // library_collectives.cc
LibraryFunction FindTransfer(const HloInstruction& instruction);    // library_transfers.cc
// library_custom_calls.cc
absl::Status CallCustom(const LibraryCall& call);
bool HasCustomCallHandler(const RunState& state, const HloInstruction& call);
// Returns null if the instruction is no custom call, or one whose arrays are copied for each call.
std::unique_ptr<const runtime::RegistryCallSite> MakeCallSite(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LIBRARY_CALLS_H_
