// SPDX-License-Identifier: Apache-2.0
// Custom calls of compiled programs.
#ifndef XLA_CPU_RUN_LIBRARY_CUSTOM_CALLS_H_
#define XLA_CPU_RUN_LIBRARY_CUSTOM_CALLS_H_

#include <memory>

#include "absl/status/status.h"
#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

absl::Status CallCustom(const LibraryCall& call);

// Whether the run has a handler for the custom call.
bool HasCustomCallHandler(const RunState& state, const HloInstruction& call);

// Returns null if the instruction is no custom call, or one whose arrays are copied for each call.
std::unique_ptr<const runtime::RegistryCallSite> MakeCallSite(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LIBRARY_CUSTOM_CALLS_H_
