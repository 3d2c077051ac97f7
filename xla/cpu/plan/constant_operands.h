// SPDX-License-Identifier: Apache-2.0
// Lets fusions that differ in constants alone, as the steps of an unrolled loop do, share a kernel.
#ifndef XLA_CPU_PLAN_CONSTANT_OPERANDS_H_
#define XLA_CPU_PLAN_CONSTANT_OPERANDS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Turns the scalar floating-point constants in which several otherwise equal fusions differ into
// operands, so that one kernel is compiled for all of them. Constants with users other than
// elementwise operations stay: they decide how code is generated.
absl::StatusOr<bool> MakeConstantsOperands(HloModule* module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_CONSTANT_OPERANDS_H_
