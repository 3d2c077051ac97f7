// SPDX-License-Identifier: Apache-2.0
// dot and convolution without transposes around them: kernels take any order of dimensions.
#ifndef XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_
#define XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Transposes of operands and results become dimension numbers of the dot or convolution, and a
// reverse of a convolution's kernel becomes its window's reversal. Bits stay the same.
absl::StatusOr<bool> CanonicalizeContractions(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_
