// SPDX-License-Identifier: Apache-2.0
// The shardings of an HLO module, stated in the StableHLO program that it was translated from.
#ifndef XLA_STABLEHLO_STATE_SHARDINGS_H_
#define XLA_STABLEHLO_STATE_SHARDINGS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/mlir/source.h"
#include "xla/stablehlo/translate.h"

namespace xla::stablehlo {

// Gives operations, arguments and results of the function `entry` and of those that it calls the
// shardings by axes that the instructions have which they became, as attributes of Shardy.
// `values` are those of the translation, `results` the shardings of the result. Meshes are named as
// in the program; those that no operation of it states are inlined.
absl::Status StateShardings(const HloModule& module, const TranslatedValues& values,
                            absl::Span<const HloSharding> results, mlir::Source* source,
                            bool is_final = true);

// Gives axes of the program's meshes other sizes.
absl::Status ResizeMeshes(const std::map<std::string, int64_t>& axes, mlir::Source* source);

// As Shardy leaves a program that it has propagated the shardings of: constraints are reshards, its
// constants are ordinary ones, sharding groups are gone.
void FinishPropagation(mlir::Source* source);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_STATE_SHARDINGS_H_
