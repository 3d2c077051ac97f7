// SPDX-License-Identifier: Apache-2.0
// bitcast: reinterprets the memory of the operand, in its layout, in the layout of the result.
#include "xla/kernels/movement/bitcast.h"

#include <utility>

#include "xla/base/status_macros.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"

namespace xla::interpreter {

absl::StatusOr<Value> EvalBitcast(EvalContext& ctx, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  const Shape& from = inst.operand(0)->shape();
  const Shape& to = inst.shape();
  if (!to.IsArray()) return std::move(operands[0]).WithShape(to);
  Value& operand = operands[0];
  const DimensionVector sizes = operand.existing_dimensions();
  const bool keeps_sizes = operand.has_dynamic_sizes() && from.dimensions() == to.dimensions();
  operand.ClearDynamicSizes();
  Value result;
  if (kernels::IsPlainBitcast(from, to)) {
    result = std::move(operand).WithShape(to);
  } else {
    XLA_ASSIGN_OR_RETURN(result, ctx.Allocate(to));
    KernelContext kernel_context(ctx);
    XLA_RETURN_IF_ERROR(kernels::BitcastArray(kernel_context, from, to, operand.untyped_data(),
                                              result.mutable_untyped_data()));
  }
  if (keeps_sizes) SetExistingSizes(sizes, result);
  return result;
}

}  // namespace xla::interpreter
