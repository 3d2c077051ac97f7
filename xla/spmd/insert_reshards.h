// SPDX-License-Identifier: Apache-2.0
// Reshards that operations need, stated in the module.
#ifndef XLA_SPMD_INSERT_RESHARDS_H_
#define XLA_SPMD_INSERT_RESHARDS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pass.h"

namespace xla::spmd {

// Of a module in which values have shardings by axes: operands and results get annotations
// ("Sharding") where an operation needs others than the value has, as
// propagation/explicit_reshards.h plans them. Partial results are summed where the module is
// partitioned.
absl::StatusOr<bool> InsertExplicitReshards(HloModule* module);
inline constexpr Pass kInsertExplicitReshards = {
    "insert-explicit-reshards",
    "annotates operands and results with the shardings that operations need of them",
    &InsertExplicitReshards};

}  // namespace xla::spmd

#endif  // XLA_SPMD_INSERT_RESHARDS_H_
