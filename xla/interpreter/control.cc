// SPDX-License-Identifier: Apache-2.0
// Tuples, calls, while, conditional, custom calls.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla {

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
    // The body is given the only reference, so that it can update in place.
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
  // The other branches' arguments are not wanted any more.
  Value argument = std::move(operands[static_cast<size_t>(branch + 1)]);
  for (Value& operand : operands) operand = Value();
  return ctx.Call(*inst.branch_computation(branch), absl::MakeSpan(&argument, 1));
}

namespace {

// A row-major literal for a host function to read: on the value's memory where that is possible.
absl::StatusOr<std::unique_ptr<LiteralBase>> LiteralForHost(EvalContext& ctx, const Value& value) {
  Shape shape = value.shape();
  if (shape.IsArray()) {
    shape.clear_layout();
    if (!value.has_dynamic_sizes()) {
      return std::make_unique<BorrowingLiteral>(static_cast<const char*>(value.untyped_data()),
                                                shape);
    }
  }
  XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromValue(ctx, shape, value));
  return std::make_unique<Literal>(std::move(literal));
}

// A copy: the literal does not live on.
absl::StatusOr<Value> OwnedValue(EvalContext& ctx, const Value& value) {
  if (value.IsTuple()) {
    std::vector<Value> elements;
    for (const Value& element : value.elements()) {
      XLA_ASSIGN_OR_RETURN(Value owned, OwnedValue(ctx, element));
      elements.push_back(std::move(owned));
    }
    return Value::Tuple(value.shape(), std::move(elements));
  }
  if (!value.IsArray()) return value;
  return ctx.MakeMutable(value.shape(), Value(value));
}

}  // namespace

absl::StatusOr<Value> EvalCustomCall(EvalContext& ctx, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  const std::string& target = inst.attributes<CustomCallAttributes>().custom_call_target;
  const CustomCallHandler* handler = ctx.state().FindCustomCall(target);
  if (handler == nullptr) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : ctx.state().options().custom_calls) known.push_back(name);
    return absl::UnimplementedError(absl::StrCat(
        "there is no custom call \"", target,
        "\"; known are: ", known.empty() ? std::string("none") : absl::StrJoin(known, ", ")));
  }
  std::vector<std::unique_ptr<LiteralBase>> literals;
  std::vector<LiteralSlice> slices;
  for (const Value& operand : operands) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<LiteralBase> literal, LiteralForHost(ctx, operand));
    literals.push_back(std::move(literal));
    slices.emplace_back(*literals.back());
  }
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(inst.shape()));
  XLA_RETURN_IF_ERROR((*handler)(inst, slices, &result));
  XLA_ASSIGN_OR_RETURN(const Value borrowed, ValueFromLiteral(ctx, inst.shape(), result));
  return OwnedValue(ctx, borrowed);
}

}  // namespace xla
