// SPDX-License-Identifier: Apache-2.0
// Expands scan to a loop.
#ifndef XLA_PASSES_EXPAND_SCAN_H_
#define XLA_PASSES_EXPAND_SCAN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/passes/graph_builder.h"

namespace xla {

// Emits a scan of these operands, which have static shapes, and returns its results (outputs, then
// carries). `steps` is an s32 scalar: the number of slices to scan; null: all. INVALID_ARGUMENT if
// operands, results and computation do not match.
absl::StatusOr<std::vector<HloInstruction*>> EmitScan(GraphBuilder& b, const HloInstruction& scan,
                                                      absl::Span<HloInstruction* const> operands,
                                                      HloInstruction* steps);

}  // namespace xla

#endif  // XLA_PASSES_EXPAND_SCAN_H_
