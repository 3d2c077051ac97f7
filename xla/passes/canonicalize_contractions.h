// SPDX-License-Identifier: Apache-2.0
// Removes transposes and conversions around dots and convolutions: kernels take any order of
// dimensions, and matrices of narrow types.
#ifndef XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_
#define XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Folds transposes of operands and results into the dimension numbers of the dot or convolution,
// and a reverse of a convolution's kernel into its window's reversal. A large matrix that is
// widened for a product of few rows is read as it is. All bits are kept.
absl::StatusOr<bool> CanonicalizeContractions(HloModule* module);

// Whether the instruction is a convolution of two arrays of static shapes, neither of them sparse,
// whose batch is not divided into groups.
bool IsOrdinaryConvolution(const HloInstruction& instruction);

// Convolutions of images whose features come first get transposed operands and a transposed result
// where their kernels are faster with features last. Not before CanonicalizeContractions, which
// makes such transposes dimension numbers.
absl::StatusOr<bool> MoveFeaturesLast(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_CANONICALIZE_CONTRACTIONS_H_
