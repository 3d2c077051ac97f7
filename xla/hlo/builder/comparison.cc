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

XlaOp XlaBuilder::State::CompareAs(const char* call, CallSite site, XlaOp lhs, XlaOp rhs,
                                   absl::Span<const int64_t> broadcast_dimensions,
                                   ComparisonDirection direction,
                                   std::optional<ComparisonType> type) {
  return Record(call, site, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(lhs));
    XLA_RETURN_IF_ERROR(CheckComparison(*shape, direction, type));
    return MakeBinary(HloOpcode::kCompare, lhs, rhs, broadcast_dimensions,
                      CompareAttributes{.direction = direction, .type = type});
  });
}

XlaOp XlaBuilder::State::CompareTotalOrder(const char* call, CallSite site, XlaOp lhs, XlaOp rhs,
                                           absl::Span<const int64_t> broadcast_dimensions,
                                           ComparisonDirection direction) {
  return Record(call, site, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(lhs));
    // Other types have one order anyway, or none.
    XLA_RETURN_IF_ERROR(CheckComparison(*shape, direction, std::nullopt));
    std::optional<ComparisonType> type;
    if (primitive_util::IsFloatingPointType(shape->element_type())) {
      type = ComparisonType::kFloatTotalOrder;
    }
    return MakeBinary(HloOpcode::kCompare, lhs, rhs, broadcast_dimensions,
                      CompareAttributes{.direction = direction, .type = type});
  });
}

XlaOp XlaBuilder::Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->CompareAs("Eq", site, lhs, rhs, broadcast_dimensions, ComparisonDirection::kEq);
}

XlaOp XlaBuilder::EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                               CallSite site) {
  return state_->CompareTotalOrder("EqTotalOrder", site, lhs, rhs, broadcast_dimensions,
                                   ComparisonDirection::kEq);
}

XlaOp XlaBuilder::Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->CompareAs("Ne", site, lhs, rhs, broadcast_dimensions, ComparisonDirection::kNe);
}

XlaOp XlaBuilder::NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                               CallSite site) {
  return state_->CompareTotalOrder("NeTotalOrder", site, lhs, rhs, broadcast_dimensions,
                                   ComparisonDirection::kNe);
}

XlaOp XlaBuilder::Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->CompareAs("Ge", site, lhs, rhs, broadcast_dimensions, ComparisonDirection::kGe);
}

XlaOp XlaBuilder::GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                               CallSite site) {
  return state_->CompareTotalOrder("GeTotalOrder", site, lhs, rhs, broadcast_dimensions,
                                   ComparisonDirection::kGe);
}

XlaOp XlaBuilder::Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->CompareAs("Gt", site, lhs, rhs, broadcast_dimensions, ComparisonDirection::kGt);
}

XlaOp XlaBuilder::GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                               CallSite site) {
  return state_->CompareTotalOrder("GtTotalOrder", site, lhs, rhs, broadcast_dimensions,
                                   ComparisonDirection::kGt);
}

XlaOp XlaBuilder::Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->CompareAs("Le", site, lhs, rhs, broadcast_dimensions, ComparisonDirection::kLe);
}

XlaOp XlaBuilder::LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                               CallSite site) {
  return state_->CompareTotalOrder("LeTotalOrder", site, lhs, rhs, broadcast_dimensions,
                                   ComparisonDirection::kLe);
}

XlaOp XlaBuilder::Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site) {
  return state_->CompareAs("Lt", site, lhs, rhs, broadcast_dimensions, ComparisonDirection::kLt);
}

XlaOp XlaBuilder::LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                               CallSite site) {
  return state_->CompareTotalOrder("LtTotalOrder", site, lhs, rhs, broadcast_dimensions,
                                   ComparisonDirection::kLt);
}

XlaOp XlaBuilder::Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                          ComparisonDirection direction, Comparison::Type compare_type,
                          CallSite site) {
  return state_->CompareAs("Compare", site, lhs, rhs, broadcast_dimensions, direction,
                           compare_type);
}

XlaOp XlaBuilder::Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                          ComparisonDirection direction, CallSite site) {
  return state_->CompareAs("Compare", site, lhs, rhs, broadcast_dimensions, direction);
}

XlaOp XlaBuilder::Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction, CallSite site) {
  return state_->CompareAs("Compare", site, lhs, rhs, {}, direction);
}

// --- Three operands

absl::StatusOr<XlaOp> XlaBuilder::State::MakeTernary(HloOpcode opcode, XlaOp first, XlaOp second,
                                                     XlaOp third) {
  std::vector<XlaOp> operands = {first, second, third};
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf(operands));
  const Shape* array = nullptr;
  for (const Shape* shape : shapes) {
    if (array == nullptr && shape->IsArray() && !ShapeUtil::IsScalar(*shape)) array = shape;
  }
  if (array == nullptr) return Add(opcode, operands);
  const Shape output = *array;
  for (XlaOp& operand : operands) {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(operand));
    if (!ShapeUtil::IsScalar(*shape)) continue;
    XLA_ASSIGN_OR_RETURN(operand, BroadcastTo(output, operand));
  }
  return Add(opcode, operands);
}

XlaOp XlaBuilder::Clamp(XlaOp min, XlaOp operand, XlaOp max, CallSite site) {
  return Record("Clamp", site,
                [&] { return state_->MakeTernary(HloOpcode::kClamp, min, operand, max); });
}

XlaOp XlaBuilder::Select(XlaOp pred, XlaOp on_true, XlaOp on_false, CallSite site) {
  return Record("Select", site, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* true_shape, state_->ShapeOf(on_true));
    XLA_ASSIGN_OR_RETURN(const Shape* false_shape, state_->ShapeOf(on_false));
    if (!true_shape->IsTuple() || !false_shape->IsTuple()) {
      return state_->MakeTernary(HloOpcode::kSelect, pred, on_true, on_false);
    }
    // There is no select of tuples: a conditional with branches that return their argument.
    const auto identity = [&](const Shape& shape) -> absl::StatusOr<XlaComputation> {
      const std::unique_ptr<XlaBuilder> branch = CreateSubBuilder("select_branch");
      branch->Parameter(0, shape, "value");
      return branch->Build();
    };
    XLA_ASSIGN_OR_RETURN(const XlaComputation true_branch, identity(*true_shape));
    XLA_ASSIGN_OR_RETURN(const XlaComputation false_branch, identity(*false_shape));
    return Conditional(pred, on_true, true_branch, on_false, false_branch);
  });
}

// --- Element types

XlaOp XlaBuilder::Conj(XlaOp operand, CallSite site) {
  return Record("Conj", site, [&]() -> absl::StatusOr<XlaOp> {
    return Complex(Real(operand), Neg(Imag(operand)));
  });
}

XlaOp XlaBuilder::ConvertElementType(XlaOp operand, PrimitiveType new_element_type, CallSite site) {
  return Record("ConvertElementType", site, [&]() -> absl::StatusOr<XlaOp> {
    XlaOp real = operand;
    XLA_ASSIGN_OR_RETURN(const Shape* shape, state_->ShapeOf(real));
    XLA_RETURN_IF_ERROR(state_->CheckArrayAndType(*shape, new_element_type));
    if (primitive_util::IsComplexType(shape->element_type()) &&
        !primitive_util::IsComplexType(new_element_type)) {
      XLA_ASSIGN_OR_RETURN(real, state_->MakeUnary(HloOpcode::kReal, real));
      XLA_ASSIGN_OR_RETURN(shape, state_->ShapeOf(real));
    }
    const Shape declared = ShapeUtil::ChangeElementType(*shape, new_element_type);
    return state_->Add(HloOpcode::kConvert, {real}, NoAttributes{}, &declared);
  });
}

absl::Status XlaBuilder::State::CheckArrayAndType(const Shape& operand, PrimitiveType type) {
  if (!operand.IsArray() || !primitive_util::IsArrayType(type)) {
    return InvalidArgumentStrCat("Cannot convert from ", ShapeUtil::HumanString(operand), " to ",
                                 PrimitiveType_Name(type), ".");
  }
  return absl::OkStatus();
}

XlaOp XlaBuilder::BitcastConvertType(XlaOp operand, PrimitiveType new_element_type, CallSite site) {
  return Record("BitcastConvertType", site, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, state_->ShapeOf(operand));
    XLA_RETURN_IF_ERROR(state_->CheckArrayAndType(*from, new_element_type));
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
      return state_->Add(HloOpcode::kBitcastConvert, {operand}, NoAttributes{}, &declared);
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
    return state_->Add(HloOpcode::kBitcastConvert, {operand}, NoAttributes{}, &declared);
  });
}

XlaOp XlaBuilder::StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type,
                                        CallSite site) {
  return Record("StochasticConvertType", site, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* from, state_->ShapeOf(operand));
    XLA_RETURN_IF_ERROR(state_->CheckArrayAndType(*from, new_element_type));
    const Shape declared = ShapeUtil::ChangeElementType(*from, new_element_type);
    return state_->Add(HloOpcode::kStochasticConvert, {operand, random}, NoAttributes{}, &declared);
  });
}

XlaOp XlaBuilder::ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits,
                                  CallSite site) {
  return Record("ReducePrecision", site, [&] {
    return state_->Add(
        HloOpcode::kReducePrecision, {operand},
        ReducePrecisionAttributes{.exponent_bits = exponent_bits, .mantissa_bits = mantissa_bits});
  });
}

}  // namespace xla
