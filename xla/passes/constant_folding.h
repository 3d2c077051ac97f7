// SPDX-License-Identifier: Apache-2.0
// Constant folding.
#ifndef XLA_PASSES_CONSTANT_FOLDING_H_
#define XLA_PASSES_CONSTANT_FOLDING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// Runs a module whose entry has no parameters. Passes do not depend on an interpreter:
// xla/interpreter/constant_folding.h has one.
using ConstantEvaluator = absl::StatusOr<Literal> (*)(const HloModule& module);

struct ConstantFoldingOptions {
  // Results of more elements stay, unless they have no more than their operands together.
  int64_t max_elements = 4096;
  // Elements that are computed in all, a few nanoseconds each.
  int64_t budget = int64_t{1} << 22;
};

// Replaces what is computed from constants by constants. All such instructions of a computation are
// evaluated in one run; broadcasts and iota stay where they are used by others. What the evaluator
// cannot run stays. Returns whether anything changed.
absl::StatusOr<bool> FoldConstants(HloModule* module, ConstantEvaluator evaluate,
                                   const ConstantFoldingOptions& options = {});

}  // namespace xla

#endif  // XLA_PASSES_CONSTANT_FOLDING_H_
