// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations: the start does all the work, except that messages are awaited at the
// end.
#include "xla/interpreter/async.h"

#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/transfer.h"
#include "xla/passes/communication.h"

namespace xla::interpreter {
absl::StatusOr<Value> StartResult(EvalContext& ctx, const Shape& shape,
                                  std::vector<Value> elements) {
  for (int i = static_cast<int>(elements.size()); i < shape.tuple_shapes_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Value zero, ctx.AllocateZeros(shape.tuple_shapes(i)));
    elements.push_back(std::move(zero));
  }
  return Value::Tuple(shape, std::move(elements));
}

// (destination, source, context)
absl::StatusOr<Value> EvalCopyStart(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  std::vector<Value> elements = {operands[0].WithShape(inst.shape().tuple_shapes(0)),
                                 operands[0].WithShape(inst.shape().tuple_shapes(1))};
  return StartResult(ctx, inst.shape(), std::move(elements));
}

absl::StatusOr<Value> EvalCopyDone(EvalContext&, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  return operands[0].TakeElement(0).WithShape(inst.shape());
}

// ((operands), result, contexts...)
absl::StatusOr<Value> EvalAsyncStart(EvalContext& ctx, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  std::vector<Value> arguments(operands.begin(), operands.end());
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Call(*inst.to_apply(), operands));
  std::vector<Value> elements;
  elements.push_back(Value::Tuple(inst.shape().tuple_shapes(0), std::move(arguments)));
  elements.push_back(std::move(result));
  return StartResult(ctx, inst.shape(), std::move(elements));
}

absl::StatusOr<Value> EvalAsyncUpdate(EvalContext&, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  return std::move(operands[0]).WithShape(inst.shape());
}

absl::StatusOr<Value> EvalAsyncDone(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  Value result = operands[0].TakeElement(1);
  // Messages are awaited here, so that the start does not block the sends that they depend on.
  if (const HloComputation* computation = AsyncComputationThatReceives(inst)) {
    XLA_ASSIGN_OR_RETURN(
        result, CompleteReceives(ctx, *computation->root_instruction(), std::move(result)));
  }
  return std::move(result).WithShape(inst.shape());
}

}  // namespace xla::interpreter
