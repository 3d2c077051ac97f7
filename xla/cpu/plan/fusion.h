// SPDX-License-Identifier: Apache-2.0
// Fusion: groups of operations that are computed by one kernel.
#ifndef XLA_CPU_PLAN_FUSION_H_
#define XLA_CPU_PLAN_FUSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Whether generated code computes the instruction, alone or in a fusion; others are kernels of
// libraries, control flow, or cost nothing.
bool IsGenerated(const HloInstruction& instruction);

// Replaces every instruction that generated code computes by a fusion: kLoop, or kInput where it
// reduces. Operations whose results would only be read by such fusions become part of them, in all
// of them if they are cheap. Fusions that the module has are taken apart first.
absl::StatusOr<bool> FuseForCpu(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_FUSION_H_
