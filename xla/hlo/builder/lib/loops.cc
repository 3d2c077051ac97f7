// SPDX-License-Identifier: Apache-2.0
// While loops over several values.
#include "xla/hlo/builder/lib/loops.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

std::vector<XlaOp> Elements(XlaOp tuple, int64_t count) {
  std::vector<XlaOp> elements;
  for (int64_t i = 0; i < count; ++i) elements.push_back(GetTupleElement(tuple, i));
  return elements;
}

}  // namespace

absl::StatusOr<std::vector<XlaOp>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, absl::Span<const XlaOp> initial_values,
    absl::string_view name, XlaBuilder* builder) {
  const int64_t count = static_cast<int64_t>(initial_values.size());
  XLA_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(initial_values));
  const Shape state = ShapeUtil::MakeTupleShape(shapes);

  const std::unique_ptr<XlaBuilder> condition =
      builder->CreateSubBuilder(absl::StrCat(name, "_condition"));
  const XlaOp condition_state = Parameter(condition.get(), 0, state, "parameter");
  XLA_ASSIGN_OR_RETURN(const XlaOp go_on,
                       condition_function(Elements(condition_state, count), condition.get()));
  XLA_ASSIGN_OR_RETURN(const XlaComputation condition_built, condition->Build(go_on));

  const std::unique_ptr<XlaBuilder> body = builder->CreateSubBuilder(absl::StrCat(name, "_body"));
  const XlaOp body_state = Parameter(body.get(), 0, state, "parameter");
  XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> next,
                       body_function(Elements(body_state, count), body.get()));
  if (static_cast<int64_t>(next.size()) != count) {
    return InvalidArgumentStrCat("The body of loop ", name, " returns ", next.size(),
                                 " values for ", count, ".");
  }
  const XlaOp next_state = Tuple(body.get(), next);
  XLA_ASSIGN_OR_RETURN(const XlaComputation body_built, body->Build(next_state));

  const XlaOp result = While(condition_built, body_built, Tuple(builder, initial_values));
  std::vector<XlaOp> values = Elements(result, count);
  XLA_RETURN_IF_ERROR(builder->first_error());
  return values;
}

absl::StatusOr<std::vector<XlaOp>> ForEachIndex(int64_t num_iterations,
                                                PrimitiveType num_iterations_type,
                                                const ForEachIndexBodyFunction& body_function,
                                                absl::Span<const XlaOp> initial_values,
                                                absl::string_view name, XlaBuilder* builder) {
  std::vector<XlaOp> values = {Zero(builder, num_iterations_type)};
  values.insert(values.end(), initial_values.begin(), initial_values.end());
  const auto condition = [&](absl::Span<const XlaOp> state,
                             XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    return Lt(state[0], ConstantR0WithType(b, num_iterations_type, num_iterations));
  };
  const auto body = [&](absl::Span<const XlaOp> state,
                        XlaBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    std::vector<XlaOp> next = {state[0] + ConstantR0WithType(b, num_iterations_type, 1)};
    XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> results,
                         body_function(state[0], state.subspan(1), b));
    next.insert(next.end(), results.begin(), results.end());
    return next;
  };
  XLA_ASSIGN_OR_RETURN(values, WhileLoopHelper(condition, body, values, name, builder));
  values.erase(values.begin());
  return values;
}

}  // namespace xla
