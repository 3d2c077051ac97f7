// SPDX-License-Identifier: Apache-2.0
// Fusion: groups the operations that one kernel computes.
#ifndef XLA_CPU_PLAN_FUSION_H_
#define XLA_CPU_PLAN_FUSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Whether generated code computes the instruction, alone or in a fusion. Other instructions are
// library kernels, control flow, or need no code.
bool IsGenerated(const HloInstruction& instruction);

// Replaces every instruction that generated code computes by a fusion, of kind kLoop, or kInput if
// it reduces. Producers that only such fusions read become part of them; cheap ones are duplicated
// into several. Existing fusions of the module are taken apart first.
absl::StatusOr<bool> FuseForCpu(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_FUSION_H_
