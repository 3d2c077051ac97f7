// SPDX-License-Identifier: Apache-2.0
// Fusions that are equal but for numbers, as the steps of an unrolled loop are.
#ifndef XLA_CPU_PLAN_CONSTANT_OPERANDS_H_
#define XLA_CPU_PLAN_CONSTANT_OPERANDS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Where several fusions differ in scalar floating-point constants alone, those become operands, so
// that one kernel is compiled for all. Constants that decide how code is generated stay: those that
// something other than elementwise operations uses.
absl::StatusOr<bool> MakeConstantsOperands(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_CONSTANT_OPERANDS_H_
