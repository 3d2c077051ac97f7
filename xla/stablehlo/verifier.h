// SPDX-License-Identifier: Apache-2.0
// Checks that programs follow the rules of the StableHLO specification, and those of the dialects
// around it (func, chlo, check, interpreter).
#ifndef XLA_STABLEHLO_VERIFIER_H_
#define XLA_STABLEHLO_VERIFIER_H_

#include "absl/status/status.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

// InvalidArgument names the place, the operation and the violated rule. Dynamic sizes are
// compatible with any size. Operations of other dialects are not checked.
absl::Status VerifyStableHlo(const mlir::Source& source);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_VERIFIER_H_
