// SPDX-License-Identifier: Apache-2.0
// Shape inference of tuples, calls and control flow.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

// Where either shape has a dynamic dimension, the result has one. Both are compatible.
void MergeDynamic(Shape* into, const Shape& from) {
  if (into->IsTuple()) {
    for (int i = 0; i < into->tuple_shapes_size(); ++i) {
      MergeDynamic(into->mutable_tuple_shapes(i), from.tuple_shapes(i));
    }
    return;
  }
  if (!into->IsArrayExcludingBuffer()) return;
  for (int i = 0; i < into->dimensions_size(); ++i) {
    if (from.is_dynamic_dimension(i)) into->set_dimensions(i, from.dimensions(i), true);
  }
}

// Results that share their buffer with an operand: both places exist and have one shape.
absl::Status CheckAliasing(const InferenceInput& in, absl::Span<const OutputOperandAlias> aliases,
                           const Shape& result, bool ignore_buffer = false) {
  const auto is_same =
      Shape::Equal().IgnoreDynamicDimension().IgnoreLayout().IgnoreBuffer(ignore_buffer);
  for (const OutputOperandAlias& alias : aliases) {
    if (!InRange(alias.operand, OperandCount(in))) {
      return InvalidArgument("Invalid aliasing operand index. There is no operand %d of %d of %s.",
                             alias.operand, OperandCount(in), OpName(in.opcode));
    }
    const Shape& operand = Operand(in, alias.operand);
    if (!ShapeUtil::IndexIsValid(operand, alias.operand_index)) {
      return InvalidArgumentStrCat("Invalid aliasing operand shape index. There is no {",
                                   Joined(alias.operand_index), "} in ", Str(operand), ".");
    }
    if (!ShapeUtil::IndexIsValid(result, alias.output_index)) {
      return InvalidArgumentStrCat("Invalid aliasing output shape index. There is no {",
                                   Joined(alias.output_index), "} in ", Str(result), ".");
    }
    const Shape& from = ShapeUtil::GetSubshape(operand, alias.operand_index);
    const Shape& to = ShapeUtil::GetSubshape(result, alias.output_index);
    if (!is_same(from, to)) {
      return InvalidArgumentStrCat("Different aliasing shapes: ", Str(from), " vs ", Str(to));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Result InferTuple(const InferenceInput& in) {
  return ShapeUtil::MakeTupleShapeWithPtrs(in.operands);
}

Result InferGetTupleElement(const InferenceInput& in) {
  const Shape& tuple = Operand(in, 0);
  const int64_t index = Attrs<TupleIndexAttributes>(in).index;
  if (!tuple.IsTuple()) {
    return InvalidArgumentStrCat(
        "Cannot infer shape: attempting to index into non-tuple: ", Str(tuple), ".");
  }
  if (!InRange(index, tuple.tuple_shapes_size())) {
    return InvalidArgumentStrCat(
        "Cannot infer shape: attempt to index out of tuple bounds: ", index,
        " >= ", tuple.tuple_shapes_size(), " in shape ", Str(tuple), ".");
  }
  return tuple.tuple_shapes(static_cast<int>(index));
}

Result InferCall(const InferenceInput& in) {
  const ProgramShape& callee = *in.callees[0];
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  for (int i = 0; i < callee.parameters_size(); ++i) {
    if (!ShapeUtil::Compatible(Operand(in, i), callee.parameters(i))) {
      return InvalidArgumentStrCat("Call parameter must match argument; got parameter ", i,
                                   " shape: ", Str(callee.parameters(i)),
                                   ", argument shape: ", Str(Operand(in, i)), ".");
    }
  }
  return callee.result();
}

Result InferWhile(const InferenceInput& in) {
  const ProgramShape& body = *in.callees[0];
  const ProgramShape& condition = *in.callees[1];
  const Shape& init = Operand(in, 0);
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 1));
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  XLA_RETURN_IF_ERROR(CheckPredResult(in, 1));
  if (!ShapeUtil::Compatible(body.result(), condition.parameters(0)) ||
      !ShapeUtil::Compatible(body.result(), body.parameters(0)) ||
      !ShapeUtil::Compatible(body.result(), init)) {
    return InvalidArgumentStrCat(
        "The parameter of condition and body, the result of the body, and init must all have the "
        "same shape; got Condition: ",
        Str(condition), "; body: ", Str(body), "; init: ", Str(init), ".");
  }
  return init;
}

Result InferConditional(const InferenceInput& in) {
  const size_t branches = in.callees.size();
  if (in.operands.empty())
    return InvalidArgument("Conditional expects a predicate or branch index.");
  const Shape& selector = Operand(in, 0);
  if (!ShapeUtil::IsScalar(selector)) {
    return InvalidArgumentStrCat("The first operand of conditional must be a scalar. Got ",
                                 Str(selector));
  }
  if (selector.element_type() != PRED && selector.element_type() != S32) {
    return InvalidArgumentStrCat("branch_index must be bool or int32_t; got ", Str(selector), ".");
  }
  if (selector.element_type() == PRED ? branches != 2 : branches < 1) {
    return InvalidArgumentStrCat("Conditional on ", Str(selector), " requires ",
                                 selector.element_type() == PRED ? "2 == branch_computations.size()"
                                                                 : "!branch_computations.empty()",
                                 "; got ", branches, ".");
  }
  if (in.operands.size() != branches + 1) {
    return InvalidArgument("Conditional expects one operand for each of its %u branches; got %d.",
                           branches, OperandCount(in) - 1);
  }
  Shape result = in.callees[0]->result();
  for (size_t i = 0; i < branches; ++i) {
    const ProgramShape& branch = *in.callees[i];
    const Shape& operand = *in.operands[i + 1];
    XLA_RETURN_IF_ERROR(CheckParameterCount(in, i));
    if (!ShapeUtil::Compatible(branch.parameters(0), operand)) {
      return InvalidArgumentStrCat(
          "branch operand ", i,
          " must match the shape of the only parameter of branch computation ", i,
          ": got operand: ", Str(operand), "; computation: ", Str(branch), ".");
    }
    if (!ShapeUtil::Compatible(result, branch.result())) {
      return InvalidArgumentStrCat("the result of branch 0 computation and branch ", i,
                                   " computation must have the same shape: got ", Str(result),
                                   " and ", Str(branch.result()), ".");
    }
    if (i > 0) MergeDynamic(&result, branch.result());
  }
  return result;
}

Result InferFusion(const InferenceInput& in) {
  const ProgramShape& fused = *in.callees[0];
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  for (int i = 0; i < fused.parameters_size(); ++i) {
    if (!ShapeUtil::Compatible(fused.parameters(i), Operand(in, i))) {
      return InvalidArgumentStrCat("Shape mismatch between parameter number ", i,
                                   " of the fusion and its operand: ", Str(fused.parameters(i)),
                                   " and ", Str(Operand(in, i)), ".");
    }
  }
  if (in.declared != nullptr && !ShapeUtil::Compatible(*in.declared, fused.result())) {
    return InvalidArgumentStrCat("Fused computation shape (", Str(fused.result()),
                                 ") is not equal to the fusion shape (", Str(*in.declared), ")");
  }
  const Shape& result = in.declared != nullptr ? *in.declared : fused.result();
  XLA_RETURN_IF_ERROR(
      CheckAliasing(in, Attrs<FusionAttributes>(in).output_to_operand_aliasing, result));
  return result;
}

Result InferCustomCall(const InferenceInput& in) {
  const auto& attributes = Attrs<CustomCallAttributes>(in);
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  const std::string& target = attributes.custom_call_target;
  XLA_RETURN_IF_ERROR(CheckAliasing(in, attributes.output_to_operand_aliasing, *declared,
                                    /*ignore_buffer=*/target == "Pin" || target == "Unpin"));
  if (!attributes.operand_layout_constraints.has_value()) return *declared;
  const std::vector<Shape>& constraints = *attributes.operand_layout_constraints;
  for (const Shape& constraint : constraints) {
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(constraint));
  }
  // XLA lets these say anything.
  if (target == "LayoutConstraint") return *declared;
  if (constraints.size() != in.operands.size()) {
    return InvalidArgument("operand_layout_constraints has %u shapes for %u operands.",
                           constraints.size(), in.operands.size());
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (!ShapeUtil::Compatible(*in.operands[i], constraints[i])) {
      return InvalidArgumentStrCat("operand_layout_constraints ", i, " is ", Str(constraints[i]),
                                   ", but the operand is ", Str(*in.operands[i]), ".");
    }
    if (!LayoutUtil::HasLayout(constraints[i])) {
      return InvalidArgumentStrCat("operand_layout_constraints ", i,
                                   " has no layout: ", Str(constraints[i]), ".");
    }
  }
  return *declared;
}

Result InferSameAsOperand(const InferenceInput& in) { return Operand(in, 0); }

}  // namespace xla::shape_inference
