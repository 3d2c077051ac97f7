// SPDX-License-Identifier: Apache-2.0
// fft: FFT, IFFT, RFFT and IRFFT over the last one to three axes, an axis at a time; computed in
// double precision and rounded once at the end.
#include "xla/kernels/fft.h"

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

  // The real axis is the last; it is first in a transform from real numbers and last in one to
  // them.
  DimensionVector order;
  for (int64_t i = 0; i < axes; ++i) order.push_back(real_result ? i : axes - 1 - i);

  DimensionVector sizes(operand.dimensions().begin(), operand.dimensions().end());
  KernelContext kernel_context(ctx);
  PrimitiveType type = operand.element_type();
  const void* data = operand.untyped_data();
  Value scratch[2];  // between axes, in double precision
  for (int64_t i = 0; i < axes; ++i) {
    const int64_t dimension = rank - axes + order[i];
    const bool is_last = i + 1 == axes;
    kernels::FftAxis axis;
    axis.from_type = type;
    axis.from = data;
    axis.length = attributes.fft_length[order[i]];
    axis.inverse = inverse;
    axis.symmetric = real_result && is_last;
    axis.outer = axis.inner = 1;
    for (int64_t d = 0; d < dimension; ++d) axis.outer *= sizes[d];
    for (int64_t d = dimension + 1; d < rank; ++d) axis.inner *= sizes[d];
    axis.from_length = sizes[dimension];
    axis.to_length = sizes[dimension] = result.dimensions()[dimension];
    axis.to_type = is_last ? inst.shape().element_type() : C128;
    if (is_last) {
      axis.to = result.mutable_untyped_data();
    } else {
      XLA_ASSIGN_OR_RETURN(scratch[i % 2], ctx.AllocateScratch(axis.outer * axis.to_length *
                                                               axis.inner * sizeof(complex128)));
      axis.to = scratch[i % 2].mutable_untyped_data();
    }
    XLA_RETURN_IF_ERROR(kernels::TransformAxis(kernel_context, axis));
    data = axis.to;
    type = axis.to_type;
  }
  return result;
}

}  // namespace xla::interpreter
