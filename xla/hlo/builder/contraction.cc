// SPDX-License-Identifier: Apache-2.0
// Matrix products of every kind.
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::StatusOr<DotAttributes> ToDotAttributes(const DotDimensionNumbers& numbers,
                                              const PrecisionConfig* precision_config,
                                              int64_t operand_count) {
  XLA_ASSIGN_OR_RETURN(Precisions precision, PrecisionsOf(precision_config, operand_count));
  return DotAttributes{.lhs_batch_dims = ToInt64s(numbers.lhs_batch_dimensions()),
                       .lhs_contracting_dims = ToInt64s(numbers.lhs_contracting_dimensions()),
                       .rhs_batch_dims = ToInt64s(numbers.rhs_batch_dimensions()),
                       .rhs_contracting_dims = ToInt64s(numbers.rhs_contracting_dimensions()),
                       .precision = std::move(precision),
                       .algorithm = AlgorithmOf(precision_config)};
}

}  // namespace

absl::StatusOr<XlaOp> XlaBuilder::State::AddContraction(
    HloOpcode opcode, absl::Span<const XlaOp> operands, Attributes attributes,
    std::optional<PrimitiveType> preferred_element_type) {
  if (!preferred_element_type.has_value()) return Add(opcode, operands, std::move(attributes));
  // The usual result in the preferred type.
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf(operands));
  XLA_ASSIGN_OR_RETURN(
      const Shape usual,
      InferShape({.opcode = opcode, .operands = shapes, .attributes = attributes, .callees = {}}));
  XLA_RETURN_IF_ERROR(CheckArrayAndType(usual, *preferred_element_type));
  const Shape declared = ShapeUtil::ChangeElementType(usual, *preferred_element_type);
  return Add(opcode, operands, std::move(attributes), &declared);
}

XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Dot", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* lhs_shape, builder->state().ShapeOf(lhs));
    DotDimensionNumbers numbers;
    numbers.add_lhs_contracting_dimensions(lhs_shape->IsArray() && lhs_shape->rank() == 1 ? 0 : 1);
    numbers.add_rhs_contracting_dimensions(0);
    return DotGeneral(lhs, rhs, numbers, precision_config, preferred_element_type);
  });
}

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DotGeneral", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(DotAttributes attributes,
                         ToDotAttributes(dimension_numbers, precision_config, 2));
    return builder->state().AddContraction(HloOpcode::kDot, {lhs, rhs}, std::move(attributes),
                                           preferred_element_type);
  });
}

XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs, lhs_scale, rhs_scale});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ScaledDot", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(DotAttributes attributes,
                         ToDotAttributes(dimension_numbers, precision_config, 4));
    return builder->state().AddContraction(HloOpcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale},
                                           std::move(attributes), preferred_element_type);
  });
}

XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs, group_sizes});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RaggedDot", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(Precisions precision, PrecisionsOf(precision_config, 3));
    const DotDimensionNumbers& numbers = dimension_numbers.dot_dimension_numbers();
    RaggedDotAttributes attributes{
        .lhs_batch_dims = ToInt64s(numbers.lhs_batch_dimensions()),
        .lhs_contracting_dims = ToInt64s(numbers.lhs_contracting_dimensions()),
        .rhs_batch_dims = ToInt64s(numbers.rhs_batch_dimensions()),
        .rhs_contracting_dims = ToInt64s(numbers.rhs_contracting_dimensions()),
        .lhs_ragged_dims = ToInt64s(dimension_numbers.lhs_ragged_dimensions()),
        .rhs_group_dims = ToInt64s(dimension_numbers.rhs_group_dimensions()),
        .precision = std::move(precision),
        .algorithm = AlgorithmOf(precision_config)};
    return builder->state().AddContraction(HloOpcode::kRaggedDot, {lhs, rhs, group_sizes},
                                           std::move(attributes), preferred_element_type);
  });
}

}  // namespace xla
