// SPDX-License-Identifier: Apache-2.0
// Long reductions in two steps.
#ifndef XLA_PASSES_SPLIT_REDUCTIONS_H_
#define XLA_PASSES_SPLIT_REDUCTIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// A reduction of many elements to few results becomes one of parts and one of their results, so
// that several threads can share it, columns are read in blocks that caches hold, and rounding
// errors of sums grow with the logarithm of their length. Reducers that are one associative
// operation with an identity; floating-point sums and products round in the order of the parts,
// which depends on shapes only.
absl::StatusOr<bool> SplitReductions(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_SPLIT_REDUCTIONS_H_
