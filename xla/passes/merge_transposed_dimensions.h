// SPDX-License-Identifier: Apache-2.0
// Transposes of fewer and longer dimensions.
#ifndef XLA_PASSES_MERGE_TRANSPOSED_DIMENSIONS_H_
#define XLA_PASSES_MERGE_TRANSPOSED_DIMENSIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Dimensions that a transpose moves together become one, where that makes the minor dimension of
// its operand or its result longer: those are what is copied or exchanged in vectors.
absl::StatusOr<bool> MergeTransposedDimensions(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_MERGE_TRANSPOSED_DIMENSIONS_H_
