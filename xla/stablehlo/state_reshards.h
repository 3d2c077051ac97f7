// SPDX-License-Identifier: Apache-2.0
// The reshards that an HLO module needs, as operations of the StableHLO program that it was
// translated from.
#ifndef XLA_STABLEHLO_STATE_RESHARDS_H_
#define XLA_STABLEHLO_STATE_RESHARDS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/operation_reshards.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/translate.h"

namespace xla::stablehlo {

// Adds sdy.reshard and sdy.all_reduce to a program in which StateShardings has stated shardings:
// around operations as `reshards` says, before loops, conditionals, barriers, manual computations
// and calls and at the end of their regions where a value is not as they have it, and before
// returns. `values` are those of the translation, `results` the shardings of the entry's results.
absl::Status StateReshards(const HloModule& module, const ModuleReshards& reshards,
                           const TranslatedValues& values, absl::Span<const HloSharding> results,
                           mlir::Source* source);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_STATE_RESHARDS_H_
