// SPDX-License-Identifier: Apache-2.0
// Constant folding.
#ifndef XLA_PASSES_CONSTANT_FOLDING_H_
#define XLA_PASSES_CONSTANT_FOLDING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// A function that runs a module whose entry has no parameters. Passes do not depend on an
// interpreter: xla/interpreter/constant_folding.h has one.
using ConstantEvaluator = absl::StatusOr<Literal> (*)(const HloModule& module);

struct ConstantFoldingOptions {
  // Results with more elements are not folded, unless they have no more than their operands
  // together.
  int64_t max_elements = 4096;
  // The most elements that are computed in all, at a few nanoseconds each.
  int64_t budget = int64_t{1} << 22;
};

// Replaces instructions that depend only on constants by constants. All such instructions of a
// computation are evaluated in one run; broadcasts and iota are kept if other instructions use
// them, and so are instructions that the evaluator cannot run. Returns whether anything changed.
absl::StatusOr<bool> FoldConstants(HloModule* module, ConstantEvaluator evaluate,
                                   const ConstantFoldingOptions& options = {});

}  // namespace xla

#endif  // XLA_PASSES_CONSTANT_FOLDING_H_
