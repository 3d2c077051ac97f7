// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_PLAN_ASSIGN_LOWERING_H_
#define XLA_CPU_PLAN_ASSIGN_LOWERING_H_

#include "absl/status/statusor.h"
#include "xla/cpu/codegen/target.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Decides how each instruction of a fused module is computed on the machine, and stores it on the
// instruction (lowering.h). Nothing may change the module afterwards. Returns whether any lowering
// changed.
absl::StatusOr<bool> AssignLowering(HloModule* module, const Target& target);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_ASSIGN_LOWERING_H_
