// SPDX-License-Identifier: Apache-2.0
// Shardy's operations and attributes as StableHLO alone can hold them, and back: the form in which
// XLA sends programs through HLO and portable artifacts. Meshes are a frontend attribute of the
// module (xla.sdy.meshes), shardings and sharding rules those of operations and arguments;
// operations become custom calls (Sharding, xla.sdy.PropagationBarrier, xla.sdy.ShardingGroup,
// xla.sdy.FuncResultSharding), a manual computation a call of a function between
// xla.sdy.GlobalToLocalShape and xla.sdy.LocalToGlobalShape.
//
// What XLA has no form for is kept in one of the same kind: a named computation is a call with the
// attribute xla.sdy.named_computation, and other operations are custom calls of their name, whose
// frontend attributes hold what theirs were.
#ifndef XLA_STABLEHLO_SDY_ROUND_TRIP_H_
#define XLA_STABLEHLO_SDY_ROUND_TRIP_H_

#include "absl/status/status.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

// Changes the program in place. InvalidArgument where it is not well formed (verifier.h).
absl::Status ExportShardy(mlir::Source* source);

// The reverse. Texts that do not read stay as they are.
absl::Status ImportShardy(mlir::Source* source);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_SDY_ROUND_TRIP_H_
