// SPDX-License-Identifier: Apache-2.0
// Custom calls that XLA itself gives a meaning: those that its client library makes.
//
//   DynamicConvolutionForward, DynamicConvolutionInputGrad, DynamicConvolutionKernelGrad,
//   DynamicReduceWindowSamePadding, DynamicSelectAndScatterSamePadding
//                           operations whose padding is that of sizes at run time
//   Sharding, SPMDFullToShardShape, SPMDShardToFullShape
//                           annotations: the operand, where nothing is partitioned
#ifndef XLA_INTERPRETER_BUILTIN_CUSTOM_CALLS_H_
#define XLA_INTERPRETER_BUILTIN_CUSTOM_CALLS_H_

#include <string_view>

#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {

// Null: none of them. Handlers that a run registers come before.
EvalFunction FindBuiltinCustomCall(std::string_view target);

// dynamic_window.cc. Custom calls are not verified: all that the operations rely on is checked, and
// INVALID_ARGUMENT if it does not hold.
absl::StatusOr<Value> EvalDynamicConvolutionForward(EvalContext& ctx, const HloInstruction& inst,
                                                    absl::Span<Value> operands);
absl::StatusOr<Value> EvalDynamicConvolutionInputGrad(EvalContext& ctx, const HloInstruction& inst,
                                                      absl::Span<Value> operands);
absl::StatusOr<Value> EvalDynamicConvolutionKernelGrad(EvalContext& ctx, const HloInstruction& inst,
                                                       absl::Span<Value> operands);
absl::StatusOr<Value> EvalDynamicReduceWindow(EvalContext& ctx, const HloInstruction& inst,
                                              absl::Span<Value> operands);
absl::StatusOr<Value> EvalDynamicSelectAndScatter(EvalContext& ctx, const HloInstruction& inst,
                                                  absl::Span<Value> operands);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_BUILTIN_CUSTOM_CALLS_H_
