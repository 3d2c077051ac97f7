// SPDX-License-Identifier: Apache-2.0
// Removes transposes around dots and convolutions: kernels take any order of dimensions.
#ifndef XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_
#define XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Folds transposes of operands and results into the dimension numbers of the dot or convolution,
// and a reverse of a convolution's kernel into its window's reversal. All bits are kept.
absl::StatusOr<bool> CanonicalizeContractions(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_
