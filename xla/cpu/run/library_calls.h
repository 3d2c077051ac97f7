// SPDX-License-Identifier: Apache-2.0
// Operations that kernels of libraries compute.
#ifndef XLA_CPU_RUN_LIBRARY_CALLS_H_
#define XLA_CPU_RUN_LIBRARY_CALLS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/kernels/kernel.h"

namespace xla::cpu {

using SortComparator = bool (*)(void* const* buffers, const void* const* elements);

// Whether the prepared kernel of the instruction is chosen from several forms (kernels/forms.h),
// and these with their costs, the chosen one first.
bool HasForms(const HloInstruction& instruction);
std::string FormsText(const HloInstruction& instruction, const kernels::KernelEpilogue& epilogue);

// The prepared kernel of the instruction: buffers are its operands, then its results. Null if there
// is none. `comparator` is that of sorts whose lowering needs one, the epilogue by dots and
// convolutions.
absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakePreparedKernel(
    const HloInstruction& instruction, SortComparator comparator,
    const kernels::KernelEpilogue& epilogue = {});

// Whether the instruction is a custom call of LAPACK's: its kernel runs unless the run has a
// handler of the same name.
bool IsLapackCall(const HloInstruction& instruction);

// The function that computes another instruction; null if there is none.
LibraryFunction FindLibraryFunction(const HloInstruction& instruction);

// Those of operations that communicate, by file.
LibraryFunction FindCollective(const HloInstruction& instruction);  // library_collectives.cc
LibraryFunction FindTransfer(const HloInstruction& instruction);    // library_transfers.cc
// library_custom_calls.cc
absl::Status CallCustom(const LibraryCall& call);
bool HasCustomCallHandler(const RunState& state, const HloInstruction& call);
// Null if the instruction is no custom call, or one whose arrays are copied for each call.
std::unique_ptr<const runtime::RegistryCallSite> MakeCallSite(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LIBRARY_CALLS_H_
