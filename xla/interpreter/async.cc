// SPDX-License-Identifier: Apache-2.0
// Asynchronous forms: everything is done at the start; the rest hands it on.
#include <cstring>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/evaluator.h"

namespace xla {
namespace {

// A context element of a start's result: zeros, which nobody reads.
absl::StatusOr<Value> ZeroContext(EvalContext& ctx, const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Value zero, ZeroContext(ctx, element));
      elements.push_back(std::move(zero));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token(shape);
  XLA_ASSIGN_OR_RETURN(Value zero, ctx.Allocate(shape));
  std::memset(zero.mutable_untyped_data(), 0, static_cast<size_t>(zero.byte_size()));
  return zero;
}

absl::Status AddContexts(EvalContext& ctx, const Shape& shape, std::vector<Value>& elements) {
  for (int i = static_cast<int>(elements.size()); i < shape.tuple_shapes_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Value zero, ZeroContext(ctx, shape.tuple_shapes(i)));
    elements.push_back(std::move(zero));
  }
  return absl::OkStatus();
}

}  // namespace

// (destination, source, context)
absl::StatusOr<Value> EvalCopyStart(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  std::vector<Value> elements = {operands[0].WithShape(inst.shape().tuple_shapes(0)),
                                 operands[0].WithShape(inst.shape().tuple_shapes(1))};
  XLA_RETURN_IF_ERROR(AddContexts(ctx, inst.shape(), elements));
  return Value::Tuple(inst.shape(), std::move(elements));
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
  XLA_RETURN_IF_ERROR(AddContexts(ctx, inst.shape(), elements));
  return Value::Tuple(inst.shape(), std::move(elements));
}

absl::StatusOr<Value> EvalAsyncUpdate(EvalContext&, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  return std::move(operands[0]).WithShape(inst.shape());
}

absl::StatusOr<Value> EvalAsyncDone(EvalContext&, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  return operands[0].TakeElement(1).WithShape(inst.shape());
}

}  // namespace xla
