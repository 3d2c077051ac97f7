// SPDX-License-Identifier: Apache-2.0
// The passes that the CPU compiler runs before it forms kernels, in order.
#ifndef XLA_PASSES_CPU_PIPELINE_H_
#define XLA_PASSES_CPU_PIPELINE_H_

#include <optional>

#include "xla/passes/pass.h"
#include "xla/passes/pipeline.h"

namespace xla {

// Expansion and inlining; loops, expressions and constants to a fixed point; contractions; loop
// invariants. Results keep their bits, but for batch norms and long sums. `constant_folding` is a
// pass like kConstantFolding of xla/interpreter/constant_folding.h; unset: constants are not
// folded.
Pipeline CpuPipeline(const std::optional<Pass>& constant_folding);

}  // namespace xla

#endif  // XLA_PASSES_CPU_PIPELINE_H_
