// SPDX-License-Identifier: Apache-2.0
// fft: FFT, IFFT, RFFT and IRFFT over the last one to three axes, an axis at a time; computed in
// double precision and rounded once at the end.
#include "xla/kernels/fft/fft.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/value.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::interpreter {
absl::StatusOr<Value> EvalFft(EvalContext& ctx, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<FftAttributes>();
  const Value& operand = operands[0];
  const int64_t rank = operand.rank(), axes = static_cast<int64_t>(attributes.fft_length.size());
  // XLA supports no dynamic sizes here; those of batch dimensions need no special treatment.
  for (int64_t d = rank - axes; d < rank; ++d) {
    if (operand.dynamic_size(d) == operand.dimensions()[d]) continue;
    return InstructionError(
        inst, absl::StatusCode::kInvalidArgument,
        absl::StrCat("dimension ", d, " of ", operand.shape().ToString(), " has size ",
                     operand.dynamic_size(d), " at run time, but fft_length={",
                     absl::StrJoin(attributes.fft_length, ","), "} transforms all of it"));
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (operand.has_dynamic_sizes()) {
    DimensionVector sizes = operand.existing_dimensions();
    for (int64_t d = rank - axes; d < rank; ++d) sizes[d] = result.dimensions()[d];
    SetExistingSizes(sizes, result);
  }
  if (result.element_count() == 0) return result;
  // A transform of length zero has no terms.
  for (const int64_t length : attributes.fft_length) {
    if (length == 0) return ctx.AllocateZeros(inst.shape());
  }
  const bool inverse =
      attributes.fft_type == FftType::IFFT || attributes.fft_type == FftType::IRFFT;
  const bool real_result = attributes.fft_type == FftType::IRFFT;
  if (operand.element_count() == 0) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "an empty operand has no transform");
  }

  kernels::FftArray array;
  array.from_type = operand.element_type();
  array.to_type = inst.shape().element_type();
  array.from = operand.untyped_data();
  array.to = result.mutable_untyped_data();
  array.from_dimensions = operand.dimensions();
  array.to_dimensions = result.dimensions();
  array.lengths = attributes.fft_length;
  array.inverse = inverse;
  array.real_result = real_result;
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::TransformAxes(kernel_context, array));
  return result;
}

}  // namespace xla::interpreter
