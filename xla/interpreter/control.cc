// SPDX-License-Identifier: Apache-2.0
// Tuples, calls, while, conditional.
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {

absl::StatusOr<Value> EvalForward(EvalContext&, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  return std::move(operands[0]).WithShape(inst.shape());
}

absl::StatusOr<Value> EvalTuple(EvalContext&, const HloInstruction& inst,
                                absl::Span<Value> operands) {
  std::vector<Value> elements;
  elements.reserve(operands.size());
  for (Value& operand : operands) elements.push_back(std::move(operand));
  return Value::Tuple(inst.shape(), std::move(elements));
}

absl::StatusOr<Value> EvalGetTupleElement(EvalContext&, const HloInstruction& inst,
                                          absl::Span<Value> operands) {
  return operands[0].TakeElement(inst.tuple_index());
}

absl::StatusOr<Value> EvalCall(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  return ctx.Call(*inst.to_apply(), operands);
}

absl::StatusOr<Value> EvalWhile(EvalContext& ctx, const HloInstruction& inst,
                                absl::Span<Value> operands) {
  Value carry = std::move(operands[0]);
  while (true) {
    XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
    Value tested = carry;
    XLA_ASSIGN_OR_RETURN(const Value go_on,
                         ctx.Call(*inst.while_condition(), absl::MakeSpan(&tested, 1)));
    if (!go_on.scalar<bool>()) return carry;
    // The body gets the only reference, so that it can update in place.
    XLA_ASSIGN_OR_RETURN(carry, ctx.Call(*inst.while_body(), absl::MakeSpan(&carry, 1)));
  }
}

absl::StatusOr<Value> EvalConditional(EvalContext& ctx, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  const auto branches = static_cast<int64_t>(inst.called_computations().size());
  int64_t branch;
  if (operands[0].element_type() == PRED) {
    branch = operands[0].scalar<bool>() ? 0 : 1;
  } else {
    branch = operands[0].scalar<int32_t>();
    if (branch < 0 || branch >= branches) branch = branches - 1;
  }
  // Release the arguments of the other branches.
  Value argument = std::move(operands[static_cast<size_t>(branch + 1)]);
  for (Value& operand : operands) operand = Value();
  return ctx.Call(*inst.branch_computation(branch), absl::MakeSpan(&argument, 1));
}

}  // namespace xla::interpreter
