// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_PLAN_CHECK_LOWERING_H_
#define XLA_CPU_PLAN_CHECK_LOWERING_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// INTERNAL, naming the instructions, if lowerings do not fit together: what is folded is read by
// library kernels alone, each of which reads it as it is folded; what a fusion finishes is read by
// it alone, elementwise; operands that a kernel updates or may overwrite are as large as the
// result.
absl::Status CheckLowering(const HloModule& module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_CHECK_LOWERING_H_
