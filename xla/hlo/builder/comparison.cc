// SPDX-License-Identifier: Apache-2.0
// Comparisons, and elementwise operations of three operands, conversions.
#include "xla/hlo/builder/builder_state.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::Status CheckComparison(const Shape& shape, ComparisonDirection direction,
                             std::optional<ComparisonType> type) {
  if (!shape.IsArray()) return absl::OkStatus();  // shape inference says what is wrong
  const PrimitiveType element_type = shape.element_type();
  if (primitive_util::IsComplexType(element_type) && direction != ComparisonDirection::kEq &&
      direction != ComparisonDirection::kNe) {
    return InvalidArgumentStrCat("Complex numbers have no order: direction ",
                                 ComparisonDirectionToString(direction), " is not supported for ",
                                 ShapeUtil::HumanString(shape), ".");
  }
  const bool total_order =
      type == ComparisonType::kFloatTotalOrder && primitive_util::IsFloatingPointType(element_type);
  if (type.has_value() && !total_order &&
      *type != Comparison::DefaultComparisonType(element_type)) {
    return InvalidArgumentStrCat("Comparison type ", ComparisonTypeToString(*type),
                                 " does not fit operands of type ",
                                 PrimitiveType_Name(element_type), ".");
  }
  return absl::OkStatus();
}

}  // namespace

XlaOp XlaBuilder::State::CompareAs(const char* call, XlaOp lhs, XlaOp rhs,
                                   absl::Span<const int64_t> broadcast_dimensions,
                                   ComparisonDirection direction,
                                   std::optional<ComparisonType> type) {
  return Record(call, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(lhs));
    XLA_RETURN_IF_ERROR(CheckComparison(*shape, direction, type));
    return MakeBinary(HloOpcode::kCompare, lhs, rhs, broadcast_dimensions,
                      CompareAttributes{.direction = direction, .type = type});
  });
}

XlaOp XlaBuilder::State::CompareTotalOrder(const char* call, XlaOp lhs, XlaOp rhs,
                                           absl::Span<const int64_t> broadcast_dimensions,
                                           ComparisonDirection direction) {
  return Record(call, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(lhs));
    // Other types have one order or none.
    XLA_RETURN_IF_ERROR(CheckComparison(*shape, direction, std::nullopt));
    std::optional<ComparisonType> type;
    if (primitive_util::IsFloatingPointType(shape->element_type())) {
      type = ComparisonType::kFloatTotalOrder;
    }
    return MakeBinary(HloOpcode::kCompare, lhs, rhs, broadcast_dimensions,
                      CompareAttributes{.direction = direction, .type = type});
  });
}

XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Eq", lhs, rhs, broadcast_dimensions, ComparisonDirection::kEq);
}

XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareTotalOrder("EqTotalOrder", lhs, rhs, broadcast_dimensions,
                                            ComparisonDirection::kEq);
}

XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Ne", lhs, rhs, broadcast_dimensions, ComparisonDirection::kNe);
}

XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareTotalOrder("NeTotalOrder", lhs, rhs, broadcast_dimensions,
                                            ComparisonDirection::kNe);
}

XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Ge", lhs, rhs, broadcast_dimensions, ComparisonDirection::kGe);
}

XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareTotalOrder("GeTotalOrder", lhs, rhs, broadcast_dimensions,
                                            ComparisonDirection::kGe);
}

XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Gt", lhs, rhs, broadcast_dimensions, ComparisonDirection::kGt);
}

XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareTotalOrder("GtTotalOrder", lhs, rhs, broadcast_dimensions,
                                            ComparisonDirection::kGt);
}

XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Le", lhs, rhs, broadcast_dimensions, ComparisonDirection::kLe);
}

XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareTotalOrder("LeTotalOrder", lhs, rhs, broadcast_dimensions,
                                            ComparisonDirection::kLe);
}

XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Lt", lhs, rhs, broadcast_dimensions, ComparisonDirection::kLt);
}

XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareTotalOrder("LtTotalOrder", lhs, rhs, broadcast_dimensions,
                                            ComparisonDirection::kLt);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, Comparison::Type compare_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Compare", lhs, rhs, broadcast_dimensions, direction,
                                    compare_type);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Compare", lhs, rhs, broadcast_dimensions, direction);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->state().CompareAs("Compare", lhs, rhs, {}, direction);
}

// --- Three operands

absl::StatusOr<XlaOp> XlaBuilder::State::MakeTernary(HloOpcode opcode, XlaOp first, XlaOp second,
                                                     XlaOp third) {
  std::vector<XlaOp> operands = {first, second, third};
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf(operands));
  const Shape* array = nullptr;
  XlaOp array_op;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!shapes[i]->IsArray() || ShapeUtil::IsScalar(*shapes[i])) continue;
    if (array == nullptr) {
      array = shapes[i];
      array_op = operands[i];
    } else if (array->is_unbounded_dynamic() != shapes[i]->is_unbounded_dynamic() &&
               array->rank() != shapes[i]->rank()) {
      return InvalidArgumentStrCat(
          "Unimplemented implicit broadcast. Operands: ", ShapeUtil::HumanString(*array), ", ",
          ShapeUtil::HumanString(*shapes[i]));
    }
  }
  if (array == nullptr) return Add(opcode, operands);
  const Shape output = *array;
  XlaOp sizes;  // of the output, where they have no bounds
  for (XlaOp& operand : operands) {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(operand));
    if (!ShapeUtil::IsScalar(*shape)) continue;
    if (!output.is_unbounded_dynamic()) {
      XLA_ASSIGN_OR_RETURN(operand, BroadcastTo(output, operand));
      continue;
    }
    if (sizes.IsUninitialized()) {
      std::vector<XlaOp> each;
      for (int64_t i = 0; i < output.rank(); ++i) {
        each.push_back(Reshape(GetDimensionSize(array_op, i), {1}));
      }
      sizes = ConcatInDim(self, each, 0);
    }
    operand = MhloDynamicBroadcastInDim(
        operand, sizes, {}, ShapeUtil::ChangeElementType(output, shape->element_type()));
    XLA_RETURN_IF_ERROR(first_error);
  }
  return Add(opcode, operands);
}

XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max) {
  XlaBuilder* builder = XlaBuilder::Of({min, operand, max});
  if (builder == nullptr) return XlaOp();
  return builder->Record(
      "Clamp", [&] { return builder->state().MakeTernary(HloOpcode::kClamp, min, operand, max); });
}

XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  XlaBuilder* builder = XlaBuilder::Of({pred, on_true, on_false});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Select", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* true_shape, builder->state().ShapeOf(on_true));
    XLA_ASSIGN_OR_RETURN(const Shape* false_shape, builder->state().ShapeOf(on_false));
    if (!true_shape->IsTuple() || !false_shape->IsTuple()) {
      return builder->state().MakeTernary(HloOpcode::kSelect, pred, on_true, on_false);
    }
    // There is no select of tuples: a conditional with branches that return their argument.
    const auto identity = [&](const Shape& shape) -> absl::StatusOr<XlaComputation> {
      const std::unique_ptr<XlaBuilder> branch = builder->CreateSubBuilder("select_branch");
      Parameter(branch.get(), 0, shape, "value");
      return branch->Build();
    };
    XLA_ASSIGN_OR_RETURN(const XlaComputation true_branch, identity(*true_shape));
    XLA_ASSIGN_OR_RETURN(const XlaComputation false_branch, identity(*false_shape));
    return Conditional(pred, on_true, true_branch, on_false, false_branch);
  });
}

// --- Element types

XlaOp Conj(XlaOp operand) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Conj", [&]() -> absl::StatusOr<XlaOp> {
    return Complex(Real(operand), Neg(Imag(operand)));
  });
}

XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ConvertElementType", [&]() -> absl::StatusOr<XlaOp> {
    XlaOp real = operand;
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(real));
    XLA_RETURN_IF_ERROR(builder->state().CheckArrayAndType(*shape, new_element_type));
    if (primitive_util::IsComplexType(shape->element_type()) &&
        !primitive_util::IsComplexType(new_element_type)) {
      XLA_ASSIGN_OR_RETURN(real, builder->state().MakeUnary(HloOpcode::kReal, real));
      XLA_ASSIGN_OR_RETURN(shape, builder->state().ShapeOf(real));
    }
    const Shape declared = ShapeUtil::ChangeElementType(*shape, new_element_type);
    return builder->state().Add(HloOpcode::kConvert, {real}, NoAttributes{}, &declared);
  });
}

absl::Status XlaBuilder::State::CheckArrayAndType(const Shape& operand, PrimitiveType type) {
  if (!operand.IsArray() || !primitive_util::IsArrayType(type)) {
    return InvalidArgumentStrCat("Cannot convert from ", ShapeUtil::HumanString(operand), " to ",
                                 PrimitiveType_Name(type), ".");
  }
  return absl::OkStatus();
}

XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("BitcastConvertType", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    XLA_RETURN_IF_ERROR(builder->state().CheckArrayAndType(*from, new_element_type));
    const int old_width = primitive_util::BitWidth(from->element_type());
    const int new_width = primitive_util::BitWidth(new_element_type);
    Int64s sizes;
    std::vector<bool> dynamic;
    for (int i = 0; i < from->rank(); ++i) {
      sizes.push_back(from->dimensions(i));
      dynamic.push_back(from->is_dynamic_dimension(i));
    }
    if (old_width == new_width) {
      const Shape declared = ShapeUtil::ChangeElementType(*from, new_element_type);
      return builder->state().Add(HloOpcode::kBitcastConvert, {operand}, NoAttributes{}, &declared);
    }
    if (old_width > new_width) {
      if (old_width % new_width != 0) {
        return InvalidArgumentStrCat(
            "Cannot bitcast types with undivisible bit-widths: ", ShapeUtil::HumanString(*from),
            " => ", PrimitiveType_Name(new_element_type), ".");
      }
      sizes.push_back(old_width / new_width);
      dynamic.push_back(false);
    } else {
      const int ratio = new_width / old_width;
      if (new_width % old_width != 0 || sizes.empty() || sizes.back() != ratio || dynamic.back()) {
        return InvalidArgumentStrCat(
            "Last dimension of input shape=", sizes.empty() ? int64_t{0} : sizes.back(),
            " is not equal to ratio of bit-widths=", ratio, " for bitcast-convert from ",
            ShapeUtil::HumanString(*from), " to ", PrimitiveType_Name(new_element_type), ".");
      }
      sizes.pop_back();
      dynamic.pop_back();
    }
    XLA_ASSIGN_OR_RETURN(const Shape declared,
                         ShapeUtil::MakeValidatedShape(new_element_type, sizes, dynamic));
    return builder->state().Add(HloOpcode::kBitcastConvert, {operand}, NoAttributes{}, &declared);
  });
}

XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({operand, random});
  if (builder == nullptr) return XlaOp();
  return builder->Record("StochasticConvertType", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, builder->state().ShapeOf(operand));
    XLA_RETURN_IF_ERROR(builder->state().CheckArrayAndType(*from, new_element_type));
    const Shape declared = ShapeUtil::ChangeElementType(*from, new_element_type);
    return builder->state().Add(HloOpcode::kStochasticConvert, {operand, random}, NoAttributes{},
                                &declared);
  });
}

XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReducePrecision", [&] {
    return builder->state().Add(
        HloOpcode::kReducePrecision, {operand},
        ReducePrecisionAttributes{.exponent_bits = exponent_bits, .mantissa_bits = mantissa_bits});
  });
}

}  // namespace xla
