// SPDX-License-Identifier: Apache-2.0
// ragged-dot: a dot whose left operand is cut into groups of given sizes along one dimension.
#include <cstdint>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/value.h"
#include "xla/kernels/dot/ragged_dot.h"

namespace xla::interpreter {

absl::StatusOr<Value> EvalRaggedDot(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<RaggedDotAttributes>();
  const auto sizes_of = [](const Shape& shape) {
    return std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end());
  };
  kernels::RaggedDotSpec spec;
  spec.lhs_type = operands[0].element_type();
  spec.rhs_type = operands[1].element_type();
  spec.result_type = inst.shape().element_type();
  spec.lhs_dimensions = sizes_of(operands[0].shape());
  spec.rhs_dimensions = sizes_of(operands[1].shape());
  spec.group_dimensions = sizes_of(operands[2].shape());
  spec.result_dimensions = sizes_of(inst.shape());
  spec.lhs_batch_dims = attributes.lhs_batch_dims;
  spec.lhs_contracting_dims = attributes.lhs_contracting_dims;
  spec.rhs_batch_dims = attributes.rhs_batch_dims;
  spec.rhs_contracting_dims = attributes.rhs_contracting_dims;
  spec.lhs_ragged_dimension = attributes.lhs_ragged_dims[0];
  if (!attributes.rhs_group_dims.empty()) spec.rhs_group_dimension = attributes.rhs_group_dims[0];
  if (const absl::Status status = kernels::CheckRaggedDot(spec); !status.ok())
    return InstructionError(inst, status.code(), status.message());
  std::vector<int64_t> group_sizes;
  for (int64_t i = 0; i < operands[2].element_count(); ++i)
    group_sizes.push_back(operands[2].IntegerAt(i));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::RaggedDot(kernel_context, spec, operands[0].untyped_data(),
                                         operands[1].untyped_data(), group_sizes,
                                         result.mutable_untyped_data()));
  return result;
}

}  // namespace xla::interpreter
