// SPDX-License-Identifier: Apache-2.0
// Shapes of elementwise binary and ternary operations, with broadcasting.
#include "xla/hlo/shape_inference/binary_broadcast.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using shape_inference::Dim;
using shape_inference::DimOf;
using shape_inference::Dims;
using shape_inference::ExpectArray;
using shape_inference::Joined;
using shape_inference::OpName;
using shape_inference::Str;
using shape_inference::TypeName;
using shape_inference::WithElementType;

absl::Status CheckComplexParts(PrimitiveType real, PrimitiveType imaginary) {
  if (!primitive_util::IsFloatingPointType(real)) {
    return InvalidArgumentStrCat(
        "Expected element type in shape to be floating for complex compose operation; got ",
        TypeName(real), ".");
  }
  if (imaginary == real && (real == F32 || real == F64)) return absl::OkStatus();
  return InvalidArgumentStrCat("Complex component type is not implemented: ", TypeName(real),
                               " and ", TypeName(imaginary), "; expected F32 or F64.");
}

// Whether the operation is defined on the operands' element types. The sentences are XLA's.
absl::Status CheckElementTypes(HloOpcode opcode, const Shape& lhs, const Shape& rhs) {
  const OpInfo& info = GetOpInfo(opcode);
  if (info.family != OpFamily::kElementwise || info.arity != 2) {
    return InvalidArgumentStrCat(OpName(opcode), " is not an elementwise binary operation.");
  }
  const PrimitiveType type = lhs.element_type();
  if (opcode == HloOpcode::kComplex) return CheckComplexParts(type, rhs.element_type());
  const bool accepts_pred = shape_inference::AcceptsType(info.traits, PRED);
  if (!accepts_pred && (type == PRED || rhs.element_type() == PRED)) {
    return InvalidArgumentStrCat(
        "Expected element type in shape to be arithmetic type for operation ", OpName(opcode),
        "; got PRED.");
  }
  if (shape_inference::AcceptsType(info.traits, type)) return absl::OkStatus();
  if (accepts_pred) {
    return InvalidArgumentStrCat(
        "Expected pred or integral type in argument to and/or operation; got ", TypeName(type),
        ".");
  }
  return InvalidArgumentStrCat("Expected input element type to be ",
                               shape_inference::AcceptedTypes(info.traits), " for ", OpName(opcode),
                               " operation; got ", TypeName(type), ".");
}

// Shape of the operands' combination, before the operation changes the element type.
absl::StatusOr<Shape> Combine(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                              absl::Span<const int64_t> broadcast_dimensions) {
  if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(lhs, rhs)) {
    return InvalidArgumentStrCat("Binary op ", OpName(opcode),
                                 " with different element types: ", Str(lhs), " and ", Str(rhs),
                                 ".");
  }
  if (lhs.rank() == rhs.rank()) {
    const bool identity = static_cast<int64_t>(broadcast_dimensions.size()) == lhs.rank() &&
                          IsIdentityPermutation(broadcast_dimensions);
    if (!broadcast_dimensions.empty() && !identity) {
      return InvalidArgumentStrCat(
          "Broadcast dimensions field must either be not set or be the identity on binary "
          "operations with "
          "operands of the same rank; got {",
          Joined(broadcast_dimensions), "} for ", Str(lhs), " and ", Str(rhs), ".");
    }
    const bool unbounded = lhs.is_unbounded_dynamic() || rhs.is_unbounded_dynamic();
    if (!unbounded && lhs.dimensions() == rhs.dimensions()) {
      XLA_ASSIGN_OR_RETURN(Shape result,
                           WithElementType(lhs, ShapeUtil::HigherPrecisionElementType(lhs, rhs)));
      for (int i = 0; i < rhs.dimensions_size(); ++i) {
        if (rhs.is_dynamic_dimension(i)) result.set_dynamic_dimension(i, true);
      }
      return result;
    }
    return InferDegenerateDimensionBroadcastShape(lhs, rhs);
  }
  const Shape& larger = lhs.rank() > rhs.rank() ? lhs : rhs;
  const Shape& smaller = lhs.rank() > rhs.rank() ? rhs : lhs;
  XLA_ASSIGN_OR_RETURN(const Shape stretched,
                       InferInDimBroadcastShape(smaller, larger, broadcast_dimensions));
  return InferDegenerateDimensionBroadcastShape(stretched, larger);
}

absl::StatusOr<Shape> InferSelectShape(const Shape& pred, const Shape& on_true,
                                       const Shape& on_false) {
  XLA_RETURN_IF_ERROR(ExpectArray(pred, "select pred"));
  XLA_RETURN_IF_ERROR(ExpectArray(on_true, "select on-true"));
  XLA_RETURN_IF_ERROR(ExpectArray(on_false, "select on-false"));
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(on_true, on_false)) {
    return InvalidArgumentStrCat("Operands to select must be the same shape; got ", Str(on_true),
                                 " and ", Str(on_false), ".");
  }
  if (pred.element_type() != PRED) {
    return InvalidArgumentStrCat("Select's pred operand must have PRED element type; got ",
                                 Str(pred), ".");
  }
  const bool scalar_pred = ShapeUtil::IsScalar(pred);
  if (!scalar_pred && (!ShapeUtil::CompatibleIgnoringElementType(pred, on_true) ||
                       !ShapeUtil::CompatibleIgnoringElementType(pred, on_false))) {
    return InvalidArgumentStrCat("Operands to select and predicate must be the same shape; got ",
                                 Str(on_true), " and ", Str(on_false), " and ", Str(pred), ".");
  }
  XLA_ASSIGN_OR_RETURN(Shape result,
                       WithElementType(scalar_pred ? on_true : pred,
                                       ShapeUtil::HigherPrecisionElementType(on_true, on_false)));
  for (int i = 0; i < result.dimensions_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Dim dim,
                         shape_inference::MergeDims(i, DimOf(on_true, i), DimOf(on_false, i)));
    if (!scalar_pred) {
      XLA_ASSIGN_OR_RETURN(dim, shape_inference::MergeDims(i, dim, DimOf(pred, i)));
    }
    result.set_dimensions(i, dim.size, dim.dynamic);
  }
  // The predicate's layout orders the result, but its element size is the values'.
  if (result.has_layout() && on_true.has_layout()) {
    result.mutable_layout()->set_element_size_in_bits(on_true.layout().element_size_in_bits());
  }
  return result;
}

absl::StatusOr<Shape> InferClampShape(const Shape& min, const Shape& operand, const Shape& max) {
  XLA_RETURN_IF_ERROR(ExpectArray(min, "clamp min"));
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "clamp operand"));
  XLA_RETURN_IF_ERROR(ExpectArray(max, "clamp max"));
  if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(min, operand) ||
      !ShapeUtil::SameElementTypeIgnoringFpPrecision(max, operand)) {
    return InvalidArgumentStrCat("Clamp with incompatible element types: ", Str(min), ", ",
                                 Str(operand), ", ", Str(max), ".");
  }
  const auto fits = [&](const Shape& bound) {
    return ShapeUtil::IsScalar(bound) || ShapeUtil::CompatibleIgnoringFpPrecision(bound, operand);
  };
  const bool bounds_fit = ShapeUtil::IsScalar(min) || ShapeUtil::IsScalar(max) ||
                          ShapeUtil::CompatibleIgnoringFpPrecision(min, max);
  if (!fits(min) || !fits(max) || !bounds_fit) {
    return InvalidArgumentStrCat("Clamp with incompatible shapes: ", Str(min), ", ", Str(operand),
                                 ", ", Str(max), ".");
  }
  return operand;
}

}  // namespace

absl::StatusOr<Shape> InferInDimBroadcastShape(const Shape& smaller, const Shape& larger,
                                               absl::Span<const int64_t> broadcast_dimensions) {
  XLA_RETURN_IF_ERROR(ExpectArray(smaller, "lower-rank operand of broadcast"));
  XLA_RETURN_IF_ERROR(ExpectArray(larger, "higher-rank operand of broadcast"));
  if (broadcast_dimensions.empty() && !ShapeUtil::IsScalar(smaller)) {
    return InvalidArgumentStrCat("Shapes must be equal rank, but are ", Str(smaller), " and ",
                                 Str(larger));
  }
  if (static_cast<int64_t>(broadcast_dimensions.size()) != smaller.rank()) {
    return InvalidArgument(
        "Size of broadcast_dimensions has to match lower-rank operand's rank; lower-rank operand's "
        "rank is "
        "%d, size of broadcast_dimensions is %u.",
        smaller.rank(), broadcast_dimensions.size());
  }
  Dims dims(larger);
  for (int i = 0; i < smaller.dimensions_size(); ++i) {
    const int64_t match = broadcast_dimensions[i];
    if (match < 0) {
      return InvalidArgument("Broadcast dimension number (%d) cannot be negative.", match);
    }
    if (match >= larger.rank()) {
      return InvalidArgument(
          "Broadcast dimension number (%d) too large; higher-rank operand has rank %d.", match,
          larger.rank());
    }
    if (i > 0 && broadcast_dimensions[i - 1] >= match) {
      return InvalidArgument("Broadcast dimensions order is wrong: %d comes after %d.", match,
                             broadcast_dimensions[i - 1]);
    }
    const Dim small = DimOf(smaller, i);
    const Dim large = DimOf(larger, match);
    if (small.size != large.size && small.size != 1 && large.size != 1) {
      return InvalidArgumentStrCat("Broadcast dimension ", i, " mismatch: ", small.size,
                                   " != ", large.size, "; ", Str(smaller), " and ", Str(larger),
                                   ".");
    }
    const bool static_one =
        (small.size == 1 && !small.dynamic) || (large.size == 1 && !large.dynamic);
    if (small.dynamic != large.dynamic && small.size != large.size && !static_one) {
      return InvalidArgumentStrCat("Broadcast dimension ", i, " dynamism mismatch: ", Str(smaller),
                                   " and ", Str(larger), ".");
    }
    dims.Set(match, small);
  }
  return dims.Make(ShapeUtil::HigherPrecisionElementType(larger, smaller));
}

absl::StatusOr<Shape> InferDegenerateDimensionBroadcastShape(const Shape& lhs, const Shape& rhs) {
  if (!lhs.IsArray() || !rhs.IsArray() || lhs.rank() != rhs.rank()) {
    return InvalidArgumentStrCat("Shapes must be equal rank, but are ", Str(lhs), " and ",
                                 Str(rhs));
  }
  Dims dims;
  for (int64_t i = 0; i < lhs.rank(); ++i) {
    const Dim a = DimOf(lhs, i);
    const Dim b = DimOf(rhs, i);
    if (a.size == b.size) {
      dims.Add({a.size, a.dynamic || b.dynamic});
    } else if (a.size == 1) {
      dims.Add(b);
    } else if (b.size == 1) {
      dims.Add(a);
    } else if (a.IsUnbounded() || b.IsUnbounded()) {
      dims.Add(a.IsUnbounded() ? b : a);
    } else {
      return InvalidArgumentStrCat("Binary op with incompatible shapes: ", Str(lhs), " and ",
                                   Str(rhs), ".");
    }
  }
  return dims.Make(ShapeUtil::HigherPrecisionElementType(lhs, rhs));
}

absl::StatusOr<Shape> InferBinaryOpShape(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                         absl::Span<const int64_t> broadcast_dimensions) {
  if (!lhs.IsArrayExcludingBuffer() || !rhs.IsArrayExcludingBuffer()) {
    const std::string operation = absl::StrCat("hs of binary operation ", OpName(opcode));
    XLA_RETURN_IF_ERROR(ExpectArray(lhs, "l" + operation));
    XLA_RETURN_IF_ERROR(ExpectArray(rhs, "r" + operation));
  }
  XLA_RETURN_IF_ERROR(CheckElementTypes(opcode, lhs, rhs));
  XLA_ASSIGN_OR_RETURN(Shape result, Combine(opcode, lhs, rhs, broadcast_dimensions));
  if (opcode == HloOpcode::kCompare) return WithElementType(result, PRED);
  if (opcode == HloOpcode::kComplex) {
    return WithElementType(result, primitive_util::ComplexType(result.element_type()));
  }
  return result;
}

absl::StatusOr<Shape> InferTernaryOpShape(HloOpcode opcode, const Shape& first, const Shape& second,
                                          const Shape& third) {
  if (opcode == HloOpcode::kSelect) return InferSelectShape(first, second, third);
  if (opcode == HloOpcode::kClamp) return InferClampShape(first, second, third);
  return InvalidArgumentStrCat(OpName(opcode), " is not an elementwise ternary operation.");
}

}  // namespace xla
