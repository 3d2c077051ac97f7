// SPDX-License-Identifier: Apache-2.0
// Tokens, infeed, outfeed. Tokens express an order that the evaluator keeps anyway.
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/literal.h"
#include "xla/runtime/feeds.h"

namespace xla::interpreter {
namespace {

absl::StatusOr<runtime::Feeds*> FeedsOf(EvalContext& ctx) {
  runtime::Feeds* const feeds = ctx.state().options().feeds;
  if (feeds != nullptr) return feeds;
  return absl::FailedPreconditionError("the run has no infeed and outfeed queues");
}

}  // namespace

absl::StatusOr<Value> EvalAfterAll(EvalContext&, const HloInstruction& inst, absl::Span<Value>) {
  return Value::Token(inst.shape());
}

absl::StatusOr<Value> EvalAddDependency(EvalContext&, const HloInstruction& inst,
                                        absl::Span<Value> operands) {
  return std::move(operands[0]).WithShape(inst.shape());
}

// (data, token). An empty tuple needs no data.
absl::StatusOr<Value> EvalInfeed(EvalContext& ctx, const HloInstruction& inst, absl::Span<Value>) {
  const Shape& shape = inst.shape().tuple_shapes(0);
  std::vector<Value> elements;
  if (shape.IsTuple() && shape.tuple_shapes_size() == 0) {
    elements.push_back(Value::Tuple(shape, {}));
  } else {
    XLA_ASSIGN_OR_RETURN(runtime::Feeds* const feeds, FeedsOf(ctx));
    XLA_ASSIGN_OR_RETURN(const Literal literal,
                         feeds->ReadInfeed(shape, ctx.device().device, ctx.state().Limits(ctx)));
    XLA_ASSIGN_OR_RETURN(Value data, OwnedValueFromLiteral(ctx, shape, literal));
    elements.push_back(std::move(data));
  }
  elements.push_back(Value::Token(inst.shape().tuple_shapes(1)));
  return Value::Tuple(inst.shape(), std::move(elements));
}

absl::StatusOr<Value> EvalOutfeed(EvalContext& ctx, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(runtime::Feeds* const feeds, FeedsOf(ctx));
  const auto& declared = inst.attributes<OutfeedAttributes>().outfeed_shape;
  const Shape& shape = declared.has_value() ? *declared : inst.operand(0)->shape();
  XLA_RETURN_IF_ERROR(ctx.state().KeepOutput(operands[0]));
  XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromValue(ctx, shape, operands[0]));
  XLA_RETURN_IF_ERROR(
      feeds->WriteOutfeed(std::move(literal), ctx.device().device, ctx.state().Limits(ctx)));
  return Value::Token(inst.shape());
}

}  // namespace xla::interpreter
