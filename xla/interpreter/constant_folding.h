// SPDX-License-Identifier: Apache-2.0
// The pass of constant folding, with the interpreter as evaluator.
#ifndef XLA_INTERPRETER_CONSTANT_FOLDING_H_
#define XLA_INTERPRETER_CONSTANT_FOLDING_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pass.h"

namespace xla {

// FoldConstants of xla/passes/constant_folding.h with its default bounds.
absl::StatusOr<bool> FoldConstantsByInterpreting(HloModule* module);

// The same as a pass of a pipeline.
inline constexpr Pass kConstantFolding = {
    "constant-folding", "computes what depends on constants alone", &FoldConstantsByInterpreting};

}  // namespace xla

#endif  // XLA_INTERPRETER_CONSTANT_FOLDING_H_
