// SPDX-License-Identifier: Apache-2.0
// Operations that kernels of libraries compute.
#ifndef XLA_CPU_LIBRARY_CALLS_H_
#define XLA_CPU_LIBRARY_CALLS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla/cpu/step.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/kernels/kernel.h"

namespace xla::cpu {

// The prepared kernel of a dot or convolution; null for other instructions.
absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakePreparedKernel(
    const HloInstruction& instruction);

// The function that computes another instruction; null if there is none.
LibraryFunction FindLibraryFunction(const HloInstruction& instruction);

}  // namespace xla::cpu

#endif  // XLA_CPU_LIBRARY_CALLS_H_
