// SPDX-License-Identifier: Apache-2.0
// Sorts of which only the first elements are read.
#ifndef XLA_PASSES_TOPK_REWRITER_H_
#define XLA_PASSES_TOPK_REWRITER_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// A sort by integers or by the total order of floating-point numbers, alone or with their indices,
// becomes a topk if only slices of its first elements are read, at most a quarter of all.
absl::StatusOr<bool> RewriteSortsToTopK(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_TOPK_REWRITER_H_
