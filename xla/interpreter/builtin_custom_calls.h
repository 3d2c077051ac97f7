// SPDX-License-Identifier: Apache-2.0
// Custom calls that XLA defines: those that its client library creates, and one of the compiler.
//
//   DynamicConvolutionForward, DynamicConvolutionInputGrad, DynamicConvolutionKernelGrad,
//   DynamicReduceWindowSamePadding, DynamicSelectAndScatterSamePadding
//                           operations whose padding depends on dynamic sizes
//   Sharding, SPMDFullToShardShape, SPMDShardToFullShape
//                           annotations: return the operand, as nothing is partitioned
//   CreateBuffer, Pin, Unpin  buffers: arrays that custom calls update in place
//   control_dep             an order of computation
//   lapack_spotrf_ffi, ..   LAPACK's routines
//   TopK                    (values, indices) of the greatest of the last dimension
//   xylem.check_size        a size that a program sets, where passes made sizes values
#ifndef XLA_INTERPRETER_BUILTIN_CUSTOM_CALLS_H_
#define XLA_INTERPRETER_BUILTIN_CUSTOM_CALLS_H_

#include <string_view>

#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {

// Returns null for other targets. Handlers registered for the run take precedence.
EvalFunction FindBuiltinCustomCall(std::string_view target);

// dynamic_window.cc. The verifier does not check custom calls: these functions check everything
// that the operations rely on, and return INVALID_ARGUMENT if it does not hold.
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

// linear_algebra.cc
absl::StatusOr<Value> EvalEighCall(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands);
absl::StatusOr<Value> EvalHouseholderProductCall(EvalContext& ctx, const HloInstruction& inst,
                                                 absl::Span<Value> operands);
absl::StatusOr<Value> EvalQrCall(EvalContext& ctx, const HloInstruction& inst,
                                 absl::Span<Value> operands);

// lapack_calls.cc: those that JAX lowers linear algebra to on a CPU (xla/lapack).
absl::StatusOr<Value> EvalLapackCall(EvalContext& ctx, const HloInstruction& inst,
                                     absl::Span<Value> operands);

// sort.cc
absl::StatusOr<Value> EvalApproxTopKCall(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands);
absl::StatusOr<Value> EvalTopKCall(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_BUILTIN_CUSTOM_CALLS_H_
