// SPDX-License-Identifier: Apache-2.0
// What functions that make several operations share.
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla::lib_internal {

absl::StatusOr<Shape> ArrayShape(XlaBuilder* builder, XlaOp operand) {
  XLA_ASSIGN_OR_RETURN(Shape shape, builder->GetShape(operand));
  if (!shape.IsArray()) {
    return InvalidArgumentStrCat("The operand must be an array, but got ",
                                 ShapeUtil::HumanString(shape), ".");
  }
  return shape;
}

absl::StatusOr<Shape> RealShape(XlaBuilder* builder, XlaOp operand) {
  XLA_ASSIGN_OR_RETURN(Shape shape, ArrayShape(builder, operand));
  if (!primitive_util::IsFloatingPointType(shape.element_type())) {
    return InvalidArgumentStrCat("Operands must be real-valued floating-point, but got ",
                                 ShapeUtil::HumanString(shape), ".");
  }
  return shape;
}

absl::StatusOr<Shape> ShapeOfRank(XlaBuilder* builder, XlaOp operand, int64_t least_rank) {
  XLA_ASSIGN_OR_RETURN(Shape shape, ArrayShape(builder, operand));
  if (shape.rank() < least_rank) {
    return InvalidArgumentStrCat("The operand must have at least ", least_rank,
                                 " dimensions, but got ", ShapeUtil::HumanString(shape), ".");
  }
  return shape;
}

XlaOp InF32IfNarrow(XlaOp x, const Shape& shape, absl::FunctionRef<XlaOp(XlaOp)> make) {
  const PrimitiveType type = shape.element_type();
  if (!primitive_util::IsFloatingPointType(type) || primitive_util::BitWidth(type) > 16) {
    return make(x);
  }
  return ConvertElementType(make(ConvertElementType(x, F32)), type);
}

absl::StatusOr<XlaOp> MarkGradients(XlaBuilder* builder, XlaOp product, bool grad_x, bool grad_y) {
  XLA_RETURN_IF_ERROR(builder->first_error());
  if (grad_x) {
    XLA_RETURN_IF_ERROR(builder->SetInstructionFrontendAttribute(product, "grad_x", "true"));
  }
  if (grad_y) {
    XLA_RETURN_IF_ERROR(builder->SetInstructionFrontendAttribute(product, "grad_y", "true"));
  }
  return product;
}

}  // namespace xla::lib_internal
