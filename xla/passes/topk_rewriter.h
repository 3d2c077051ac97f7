// SPDX-License-Identifier: Apache-2.0
// Rewrites sorts of which only the first elements are read.
#ifndef XLA_PASSES_TOPK_REWRITER_H_
#define XLA_PASSES_TOPK_REWRITER_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// Turns a sort by integers or by the total order of floating-point numbers, alone or with their
// indices, into a topk if only slices of its first elements, at most a quarter of all, are read.
absl::StatusOr<bool> RewriteSortsToTopK(HloModule* module);

}  // namespace xla

#endif  // XLA_PASSES_TOPK_REWRITER_H_
