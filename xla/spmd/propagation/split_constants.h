// SPDX-License-Identifier: Apache-2.0
// Constants are copied for each reader before shardings are propagated: what one reader wants of a
// constant must not decide what another one gets.
#ifndef XLA_SPMD_PROPAGATION_SPLIT_CONSTANTS_H_
#define XLA_SPMD_PROPAGATION_SPLIT_CONSTANTS_H_

#include <utility>
#include <vector>

#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::propagation {

// Gives each reader that is no constant itself its own copy of constants, iotas, what is computed
// of them element by element, by broadcasts, reshapes and slices, and of broadcasts of scalars.
// Scalars stay shared. Returns the copies, each with its original, operands before users.
absl::StatusOr<std::vector<std::pair<HloInstruction*, HloInstruction*>>> SplitConstants(
    HloModule* module);

// Undoes it for copies that have the sharding and the operands of their original.
absl::Status MergeConstants(const std::vector<std::pair<HloInstruction*, HloInstruction*>>& copies);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_SPLIT_CONSTANTS_H_
