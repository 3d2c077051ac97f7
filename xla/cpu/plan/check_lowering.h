// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_CPU_PLAN_CHECK_LOWERING_H_
#define XLA_CPU_PLAN_CHECK_LOWERING_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Returns INTERNAL, naming the instructions, if lowerings are inconsistent. Folded instructions
// must be read only by library kernels, each of which reads them as they are folded; contractions
// that a fusion finishes must be read only by it, elementwise; operands that a kernel updates or
// may overwrite must be as large as the result.
absl::Status CheckLowering(const HloModule& module);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_CHECK_LOWERING_H_
