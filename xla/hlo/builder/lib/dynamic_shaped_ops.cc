// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/builder/lib/dynamic_shaped_ops.h"

#include <algorithm>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/util.h"

namespace xla {
namespace {

// The greatest sizes of results that differ in sizes alone.
absl::StatusOr<Shape> GreatestShape(absl::Span<const Shape> shapes) {
  Shape greatest = shapes[0];
  for (const Shape& shape : shapes) {
    if (!ShapeUtil::EqualStructure(greatest, shape)) {
      return InvalidArgument("Results of branches differ in structure: %s and %s",
                             greatest.ToString(), shape.ToString());
    }
    const absl::Status status = ShapeUtil::ForEachMutableSubshapeWithStatus(
        &greatest, [&](Shape* part, const ShapeIndex& index) -> absl::Status {
          const Shape& other = ShapeUtil::GetSubshape(shape, index);
          if (!part->IsArray()) return absl::OkStatus();
          if (!other.IsArray() || part->rank() != other.rank() ||
              part->element_type() != other.element_type()) {
            return InvalidArgument("Results of branches differ in more than sizes: %s and %s",
                                   part->ToString(), other.ToString());
          }
          for (int d = 0; d < part->rank(); ++d) {
            part->set_dimensions(d, std::max(part->dimensions(d), other.dimensions(d)));
          }
          return absl::OkStatus();
        });
    XLA_RETURN_IF_ERROR(status);
  }
  return greatest;
}

// `value` with the sizes of `target`, its own ones being dynamic where they are less.
XlaOp Grow(XlaOp value, const Shape& shape, const Shape& target) {
  XlaBuilder* builder = value.builder();
  if (shape.IsTuple()) {
    std::vector<XlaOp> parts;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      parts.push_back(
          Grow(GetTupleElement(value, i), shape.tuple_shapes(i), target.tuple_shapes(i)));
    }
    return Tuple(builder, parts);
  }
  if (!shape.IsArray()) return value;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t missing = target.dimensions(d) - shape.dimensions(d);
    if (missing == 0) continue;
    const XlaOp size = GetDimensionSize(value, d);
    value = PadInDim(value, Zero(builder, shape.element_type()), d, /*pad_lo=*/0, missing);
    value = SetDimensionSize(value, size, d);
  }
  return value;
}

// All results must come out with equal dynamic dimensions: where one branch is smaller, all are
// dynamic.
XlaOp MarkDynamic(XlaOp value, const Shape& target, absl::Span<const Shape> shapes,
                  const ShapeIndex& index) {
  if (target.IsTuple()) {
    std::vector<XlaOp> parts;
    for (int i = 0; i < target.tuple_shapes_size(); ++i) {
      ShapeIndex part = index;
      part.push_back(i);
      parts.push_back(MarkDynamic(GetTupleElement(value, i), target.tuple_shapes(i), shapes, part));
    }
    return Tuple(value.builder(), parts);
  }
  if (!target.IsArray()) return value;
  for (int d = 0; d < target.rank(); ++d) {
    const bool differs = std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
      return ShapeUtil::GetSubshape(shape, index).dimensions(d) != target.dimensions(d);
    });
    const absl::StatusOr<Shape> now = value.builder()->GetShape(value);
    if (differs && now.ok() && !now->is_dynamic_dimension(d)) {
      value = SetDimensionSize(value, GetDimensionSize(value, d), d);
    }
  }
  return value;
}

}  // namespace

XlaOp DynamicConditional(XlaBuilder* builder, XlaOp predicate, XlaOp true_operand,
                         const XlaComputation& true_computation, XlaOp false_operand,
                         const XlaComputation& false_computation) {
  // Branch 0 is taken where the index is 0: the predicate is false.
  const XlaOp index = ConvertElementType(predicate, S32);
  return DynamicConditional(builder, index, {&false_computation, &true_computation},
                            {false_operand, true_operand});
}

XlaOp DynamicConditional(XlaBuilder* builder, XlaOp branch_index,
                         absl::Span<const XlaComputation* const> branch_computations,
                         absl::Span<const XlaOp> branch_operands) {
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    if (branch_computations.empty() || branch_computations.size() != branch_operands.size()) {
      return InvalidArgument("A conditional of %d branches has %d operands.",
                             branch_computations.size(), branch_operands.size());
    }
    std::vector<Shape> results;
    for (const XlaComputation* branch : branch_computations) {
      XLA_ASSIGN_OR_RETURN(const ProgramShape signature, branch->GetProgramShape());
      results.push_back(signature.result());
    }
    const bool are_compatible =
        std::all_of(results.begin(), results.end(),
                    [&](const Shape& shape) { return ShapeUtil::Compatible(results[0], shape); });
    if (are_compatible) return Conditional(branch_index, branch_computations, branch_operands);

    XLA_ASSIGN_OR_RETURN(const Shape target, GreatestShape(results));
    std::vector<XlaComputation> grown;
    for (size_t i = 0; i < branch_computations.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(const Shape operand, builder->GetShape(branch_operands[i]));
      XlaBuilder branch("dynamic_builder");
      const XlaOp result =
          Call(&branch, *branch_computations[i], {Parameter(&branch, 0, operand, "param")});
      const XlaOp padded = Grow(result, results[i], target);
      XLA_ASSIGN_OR_RETURN(grown.emplace_back(),
                           branch.Build(MarkDynamic(padded, target, results, {})));
    }
    std::vector<const XlaComputation*> branches;
    for (const XlaComputation& branch : grown) branches.push_back(&branch);
    return Conditional(branch_index, branches, branch_operands);
  });
}

absl::StatusOr<XlaOp> SetDimensionSizeWithRebound(ValueInference* value_inference, XlaOp operand,
                                                  XlaOp dimension_size, int64_t dimension) {
  XLA_ASSIGN_OR_RETURN(const OptionalLiteral bound,
                       value_inference->AnalyzeConstant(dimension_size, kUpperBound));
  XLA_ASSIGN_OR_RETURN(const Literal is_dynamic, value_inference->AnalyzeIsDynamic(dimension_size));
  if (const std::optional<int32_t> size = bound.Get<int32_t>({})) {
    XLA_ASSIGN_OR_RETURN(const Shape shape, operand.builder()->GetShape(operand));
    if (shape.dimensions(static_cast<int>(dimension)) > *size) {
      operand = SliceInDim(operand, 0, *size, 1, dimension);
    }
  }
  if (is_dynamic.Get<bool>({})) operand = SetDimensionSize(operand, dimension_size, dimension);
  return operand;
}

absl::StatusOr<XlaOp> SetAllDimensionSizes(ValueInference* value_inference, XlaOp operand,
                                           XlaOp size_vector) {
  XLA_RETURN_IF_ERROR(value_inference->builder()->first_error());
  XLA_ASSIGN_OR_RETURN(const Shape shape, value_inference->builder()->GetShape(operand));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const XlaOp size = ConvertElementType(Reshape(Slice(size_vector, {d}, {d + 1}, {1}), {}), S32);
    XLA_ASSIGN_OR_RETURN(const Literal is_dynamic, value_inference->AnalyzeIsDynamic(size));
    if (is_dynamic.Get<bool>({})) operand = SetDimensionSize(operand, size, d);
  }
  return operand;
}

}  // namespace xla
