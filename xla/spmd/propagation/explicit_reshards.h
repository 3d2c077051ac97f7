// SPDX-License-Identifier: Apache-2.0
// What operations need to work on shards, once all values have shardings.
#ifndef XLA_SPMD_PROPAGATION_EXPLICIT_RESHARDS_H_
#define XLA_SPMD_PROPAGATION_EXPLICIT_RESHARDS_H_

#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/operation_reshards.h"

namespace xla::propagation {

// For each operation of which operands and results do not fit together, the shardings with which
// they do (common_axes.h): as Shardy's insert-explicit-reshards in full. Values without a sharding
// are replicated. Operations without relations, with relations that a user gave, and over several
// meshes of other axes are as they are. Errors as of PropagateShardings.
absl::StatusOr<ModuleReshards> PlanExplicitReshards(const HloModule& module);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_EXPLICIT_RESHARDS_H_
