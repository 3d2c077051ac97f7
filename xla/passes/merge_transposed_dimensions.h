// SPDX-License-Identifier: Apache-2.0
// Merges dimensions of transposes.
#ifndef XLA_PASSES_MERGE_TRANSPOSED_DIMENSIONS_H_
#define XLA_PASSES_MERGE_TRANSPOSED_DIMENSIONS_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Merges dimensions that a transpose moves together, if that makes the minor dimension of its
// operand or its result longer: vectors are copied or transposed along those.
absl::StatusOr<bool> MergeTransposedDimensions(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_MERGE_TRANSPOSED_DIMENSIONS_H_
