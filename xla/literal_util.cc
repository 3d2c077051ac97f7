// SPDX-License-Identifier: Apache-2.0
// Construction of literals: special values, tuples, conversions of whole literals.
#include "xla/literal_util.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/element_convert.h"
#include "xla/index_util.h"
#include "xla/literal_access.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

template <typename T>
T SpecialOf(SpecialValue value) {
  using Limits = std::numeric_limits<T>;
  switch (value) {
    case SpecialValue::kZero:
      return T();
    case SpecialValue::kOne:
      return static_cast<T>(1);
    case SpecialValue::kLeast:
      return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
    case SpecialValue::kGreatest:
      return Limits::has_infinity ? Limits::infinity() : (Limits::max)();
    case SpecialValue::kNaN:
      return Limits::has_quiet_NaN ? Limits::quiet_NaN() : T();
  }
  return T();
}

Literal MakeScalar(PrimitiveType type, SpecialValue value) {
  XLA_CHECK(primitive_util::IsArrayType(type))
      << "no scalar of type " << primitive_util::LowercasePrimitiveTypeName(type);
  Literal literal(LiteralAccess::ScalarShape(type));
  const ElementBytes element = MakeSpecial(type, value);
  std::memcpy(literal.untyped_data(), element.bytes, primitive_util::ByteWidth(type));
  return literal;
}

}  // namespace

ElementBytes MakeSpecial(PrimitiveType type, SpecialValue value) {
  ElementBytes element;
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto each) {
        using T = primitive_util::NativeTypeOf<each>;
        if constexpr (is_complex_v<T>) {
          using Part = typename T::value_type;
          // A complex NaN has two.
          const T special(SpecialOf<Part>(value),
                          value == SpecialValue::kNaN ? SpecialOf<Part>(value) : Part());
          std::memcpy(element.bytes, &special, sizeof(special));
        } else {
          const T special = SpecialOf<T>(value);
          std::memcpy(element.bytes, &special, sizeof(special));
        }
      },
      type);
  return element;
}

Literal LiteralUtil::CreateZeroed(PrimitiveType type, absl::Span<const int64_t> dimensions,
                                  const Layout* layout) {
  if (dimensions.empty() && layout == nullptr) return Literal(LiteralAccess::ScalarShape(type));
  Shape shape = ShapeUtil::MakeShape(type, dimensions);
  if (layout != nullptr) {
    *shape.mutable_layout() = *layout;
    XLA_CHECK_OK(LayoutUtil::ValidateLayoutForShape(*layout, shape));
  }
  return Literal(shape);
}

Literal LiteralUtil::CreateR1U8(absl::string_view value) {
  Literal literal = CreateZeroed(U8, {static_cast<int64_t>(value.size())}, nullptr);
  if (!value.empty()) std::memcpy(literal.untyped_data(), value.data(), value.size());
  return literal;
}

Literal LiteralUtil::CreateR2F32Linspace(float from, float to, int64_t rows, int64_t cols) {
  return CreateR2FromArray2D<float>(*MakeLinspaceArray2D<float>(from, to, rows, cols));
}

Literal LiteralUtil::CreateFromDimensions(PrimitiveType primitive_type,
                                          absl::Span<const int64_t> dimensions) {
  return CreateZeroed(primitive_type, dimensions, nullptr);
}

Literal LiteralUtil::Zero(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, SpecialValue::kZero);
}
Literal LiteralUtil::One(PrimitiveType primitive_type) {
  return MakeScalar(primitive_type, SpecialValue::kOne);
}

Literal LiteralUtil::MinValue(PrimitiveType primitive_type) {
  XLA_CHECK(!primitive_util::IsComplexType(primitive_type))
      << "complex numbers have no minimum or maximum";
  return MakeScalar(primitive_type, SpecialValue::kLeast);
}
Literal LiteralUtil::MaxValue(PrimitiveType primitive_type) {
  XLA_CHECK(!primitive_util::IsComplexType(primitive_type))
      << "complex numbers have no minimum or maximum";
  return MakeScalar(primitive_type, SpecialValue::kGreatest);
}

absl::StatusOr<Literal> LiteralUtil::NanValue(PrimitiveType primitive_type) {
  if (!primitive_util::HasNaN(primitive_util::ComplexComponentType(primitive_type))) {
    return InvalidArgument("Invalid type for NanValue: %s",
                           primitive_util::LowercasePrimitiveTypeName(primitive_type));
  }
  return MakeScalar(primitive_type, SpecialValue::kNaN);
}

Literal LiteralUtil::CreateToken() { return Literal(ShapeUtil::MakeTokenShape()); }

absl::StatusOr<Literal> LiteralUtil::CreateScalar(PrimitiveType primitive_type, double value) {
  if (!primitive_util::IsArrayType(primitive_type)) {
    return InvalidArgument("There are no scalars of type %s.",
                           primitive_util::LowercasePrimitiveTypeName(primitive_type));
  }
  Literal literal(LiteralAccess::ScalarShape(primitive_type));
  ConvertElements(F64, &value, primitive_type, literal.untyped_data(), 1);
  return literal;
}

Literal LiteralUtil::MakeTuple(absl::Span<const Literal* const> elements) {
  std::vector<Literal> copies;
  copies.reserve(elements.size());
  for (const Literal* element : elements) copies.push_back(element->Clone());
  return MakeTupleOwned(std::move(copies));
}

Literal LiteralUtil::MakeTupleFromSlices(absl::Span<const LiteralSlice> elements) {
  std::vector<Literal> copies;
  copies.reserve(elements.size());
  for (const LiteralSlice& element : elements) copies.push_back(element.Clone());
  return MakeTupleOwned(std::move(copies));
}

Literal LiteralUtil::MakeTupleOwned(std::vector<Literal> elements) {
  return MutableLiteralBase::MoveIntoTuple(absl::MakeSpan(elements));
}

Literal LiteralUtil::ConvertType(const LiteralSlice& literal, PrimitiveType from,
                                 PrimitiveType to) {
  if (literal.shape().IsTuple()) {
    // The depth of tuples is bounded by Shape::kMaxTupleDepth.
    std::vector<Literal> elements;
    for (int i = 0; i < literal.shape().tuple_shapes_size(); ++i) {
      elements.push_back(ConvertType(LiteralSlice(literal, {i}), from, to));
    }
    return MakeTupleOwned(std::move(elements));
  }
  if (!literal.shape().IsArray() || literal.shape().element_type() != from) return literal.Clone();
  absl::StatusOr<Literal> converted = literal.Convert(to);
  XLA_CHECK_OK(converted.status());
  return *std::move(converted);
}

Literal LiteralUtil::ConvertBF16ToF32(const LiteralSlice& literal) {
  return ConvertType(literal, BF16, F32);
}
Literal LiteralUtil::ConvertBF16ToF64(const LiteralSlice& literal) {
  return ConvertType(literal, BF16, F64);
}
Literal LiteralUtil::ConvertF32ToBF16(const LiteralSlice& literal) {
  return ConvertType(literal, F32, BF16);
}
Literal LiteralUtil::ConvertF32ToF64(const LiteralSlice& literal) {
  return ConvertType(literal, F32, F64);
}
Literal LiteralUtil::ConvertF64ToBF16(const LiteralSlice& literal) {
  return ConvertType(literal, F64, BF16);
}
Literal LiteralUtil::ConvertF64ToF32(const LiteralSlice& literal) {
  return ConvertType(literal, F64, F32);
}
Literal LiteralUtil::ConvertS32ToF32(const LiteralSlice& literal) {
  return ConvertType(literal, S32, F32);
}

Literal LiteralUtil::GetFirstScalarLiteral(const LiteralSlice& literal) {
  return GetScalarLiteral(literal, DimensionVector(literal.shape().rank(), 0));
}

Literal LiteralUtil::GetScalarLiteral(const LiteralBase& literal,
                                      absl::Span<const int64_t> multi_index) {
  Literal scalar(LiteralAccess::ScalarShape(literal.shape().element_type()));
  XLA_CHECK_OK(scalar.CopyElementFrom(LiteralSlice(literal), multi_index, {}));
  return scalar;
}

void LiteralUtil::SetScalarLiteral(MutableLiteralBase& literal,
                                   absl::Span<const int64_t> multi_index,
                                   const LiteralBase& scalar) {
  XLA_CHECK_OK(literal.CopyElementFrom(LiteralSlice(scalar), {}, multi_index));
}

Literal LiteralUtil::MaxElement(const LiteralSlice& literal) {
  const Shape& shape = literal.shape();
  XLA_CHECK(shape.IsArray() && !primitive_util::IsComplexType(shape.element_type()) &&
            ShapeUtil::ElementsIn(shape) > 0)
      << "no greatest element in shape " << shape.ToString();
  Literal scalar(ShapeUtil::MakeShape(shape.element_type(), {}));
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto each) {
        using T = primitive_util::NativeTypeOf<each>;
        if constexpr (!is_complex_v<T>) {
          T greatest = literal.GetFirstElement<T>();
          literal.EachCell<T>([&](absl::Span<const int64_t>, T value) {
            // A NaN is the result, whatever follows.
            if (greatest == greatest && !(value <= greatest)) greatest = value;
          });
          scalar.Set<T>({}, greatest);
        }
      },
      shape.element_type());
  return scalar;
}

Literal LiteralUtil::ReshapeSlice(absl::Span<const int64_t> new_dimensions,
                                  absl::Span<const int64_t> minor_to_major,
                                  const LiteralSlice& literal) {
  XLA_CHECK(
      literal.shape().IsArray() && IsPermutation(minor_to_major) &&
      minor_to_major.size() == new_dimensions.size() &&
      ShapeUtil::ElementsIn(ShapeUtil::MakeShape(literal.shape().element_type(), new_dimensions)) ==
          ShapeUtil::ElementsIn(literal.shape()))
      << "shape " << literal.shape().ToString() << " as dimensions "
      << DimensionsToString(new_dimensions);
  // The literal's buffer without padding equals that of an array with the new dimensions in the
  // given order.
  Literal reordered(ShapeUtil::MakeShapeWithDenseLayout(literal.shape().element_type(),
                                                        new_dimensions, minor_to_major));
  const int64_t bytes = primitive_util::ByteWidth(literal.shape().element_type());
  char* to = static_cast<char*>(reordered.untyped_data());
  const char* from = static_cast<const char*>(literal.untyped_data());
  LiteralAccess::ForEachRun(literal.shape(), [&](int64_t begin, int64_t count) {
    std::memcpy(to, from + begin * bytes, count * bytes);
    to += count * bytes;
  });
  return reordered.Relayout(LayoutUtil::GetDefaultLayoutForShape(reordered.shape()));
}

std::string LiteralUtil::MultiIndexAsString(absl::Span<const int64_t> multi_index) {
  return absl::StrCat("{", absl::StrJoin(multi_index, ","), "}");
}

absl::Status MutableLiteralBase::SetIntegralAsS64(absl::Span<const int64_t> multi_index,
                                                  int64_t value) {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsIntegralType(type) && type != PRED) {
    return FailedPrecondition("Array element type is not integral: %s",
                              primitive_util::LowercasePrimitiveTypeName(type));
  }
  ConvertElements(S64, &value, type, static_cast<char*>(untyped_data()) + byte_offset(multi_index),
                  1);
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::SetFromDouble(absl::Span<const int64_t> multi_index,
                                               double value) {
  const PrimitiveType type = shape().element_type();
  if (!primitive_util::IsFloatingPointType(type)) {
    return FailedPrecondition("Array element type is not a floating-point type: %s",
                              primitive_util::LowercasePrimitiveTypeName(type));
  }
  ConvertElements(F64, &value, type, static_cast<char*>(untyped_data()) + byte_offset(multi_index),
                  1);
  return absl::OkStatus();
}

Literal LiteralUtil::CreateR1(const tsl::core::Bitmap& values) {
  Literal literal(ShapeUtil::MakeShape(PRED, {static_cast<int64_t>(values.bits())}));
  const auto elements = literal.data<bool>();
  for (size_t i = 0; i < values.bits(); ++i) elements[i] = values.get(i);
  return literal;
}

Literal LiteralUtil::MaxFiniteValue(PrimitiveType primitive_type) {
  if (!primitive_util::IsFloatingPointType(primitive_type)) return MaxValue(primitive_type);
  return primitive_util::FloatingPointTypeSwitch<Literal>(
      [](auto type) {
        return CreateR0(std::numeric_limits<primitive_util::NativeTypeOf<type>>::max());
      },
      primitive_type);
}

absl::StatusOr<Literal> MaterializeSparseOperand(
    const LiteralSlice& values, const LiteralSlice& indices,
    const SparsityConfig_TensorSparsityConfig& config) {
  if (config.num_non_zero() != 1) return Internal("Only 1:N sparsity is currently supported.");
  if (config.stride() != 1) return Internal("Strided sparsity is not supported yet.");
  const int64_t dimension = config.dimension(), block_size = config.block_size();
  if (dimension < 0 || dimension >= values.shape().rank()) {
    return Internal("Invalid sparsity dimension: %d, must be in [0, %d)", dimension,
                    values.shape().rank());
  }
  if (block_size <= 0) {
    return Internal("block_size must be strictly positive in SparsityConfig.");
  }
  if (!ShapeUtil::SameDimensions(values.shape(), indices.shape())) {
    return Internal("Values shape %s must have the same dimensions as indices shape %s",
                    ShapeUtil::HumanString(values.shape()),
                    ShapeUtil::HumanString(indices.shape()));
  }
  if (!ShapeUtil::ElementIsIntegral(indices.shape())) {
    return Internal("Indices literal must be an integral type.");
  }
  DimensionVector sizes(values.shape().dimensions().begin(), values.shape().dimensions().end());
  int64_t& size = sizes[static_cast<size_t>(dimension)];
  if (__builtin_mul_overflow(size, block_size, &size)) {
    return Internal("Dense dimension overflow triggered by large block_size.");
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape,
                       ShapeUtil::MakeValidatedShape(values.shape().element_type(), sizes));
  XLA_ASSIGN_OR_RETURN(Literal dense, Literal::Make(shape));
  std::vector<int64_t> to;
  XLA_RETURN_IF_ERROR(ShapeUtil::ForEachIndexWithStatus(
      values.shape(), [&](absl::Span<const int64_t> index) -> absl::StatusOr<bool> {
        const int64_t place = *indices.GetIntegralAsS64(index);
        if (place < 0 || place >= block_size) {
          return InvalidArgument("Invalid position in block: %d, must be in [0, %d)", place,
                                 block_size);
        }
        to.assign(index.begin(), index.end());
        to[static_cast<size_t>(dimension)] =
            index[static_cast<size_t>(dimension)] * block_size + place;
        XLA_RETURN_IF_ERROR(dense.CopyElementFrom(values, index, to));
        return true;
      }));
  return dense;
}

}  // namespace xla
