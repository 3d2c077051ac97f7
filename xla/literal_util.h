// SPDX-License-Identifier: Apache-2.0
// LiteralUtil: construction of literals from C++ values, arrays, generators and other literals.
//
//   Literal m = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
//   Literal t = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<int32_t>(7), std::move(m));
//
// Without a layout argument the result has the default (row-major) layout.
#ifndef XLA_LITERAL_UTIL_H_
#define XLA_LITERAL_UTIL_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/layout.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla {

class LiteralUtil {
 public:
  LiteralUtil() = delete;

  // From C++ values; the number is the rank. Nested lists must be full boxes without empty lists
  // (R2 may be empty).
  template <typename NativeT>
  static Literal CreateR0(NativeT value);
  // Converted to the type.
  template <typename T>
  static Literal CreateR0(PrimitiveType primitive_type, T value) {
    return primitive_util::ArrayTypeSwitch<Literal>(
        [&](auto type) {
          using E = primitive_util::NativeTypeOf<type>;
          return CreateR0<E>(static_cast<E>(value));
        },
        primitive_type);
  }
  template <typename NativeT>
  static Literal CreateR1(absl::Span<const NativeT> values);
  static Literal CreateR1(const tsl::core::Bitmap& values);
  template <typename NativeT>
  static Literal CreateR2(std::initializer_list<std::initializer_list<NativeT>> values);
  template <typename NativeT>
  static Literal CreateR2WithLayout(std::initializer_list<std::initializer_list<NativeT>> values,
                                    const Layout& layout);
  template <typename NativeT>
  static Literal CreateR3(
      std::initializer_list<std::initializer_list<std::initializer_list<NativeT>>> values) {
    return CreateFromArray<NativeT>(Array<NativeT>(values));
  }
  template <typename NativeT>
  static Literal CreateR3WithLayout(
      std::initializer_list<std::initializer_list<std::initializer_list<NativeT>>> values,
      const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(Array<NativeT>(values), layout);
  }
  template <typename NativeT>
  static Literal CreateR4(
      std::initializer_list<
          std::initializer_list<std::initializer_list<std::initializer_list<NativeT>>>>
          values) {
    return CreateFromArray<NativeT>(Array<NativeT>(values));
  }
  template <typename NativeT>
  static Literal CreateR4WithLayout(
      std::initializer_list<
          std::initializer_list<std::initializer_list<std::initializer_list<NativeT>>>>
          values,
      const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(Array<NativeT>(values), layout);
  }
  // A U8 vector of the string's bytes.
  static Literal CreateR1U8(absl::string_view value);

  template <typename NativeT>
  static Literal CreateFromArray(const Array<NativeT>& values);
  template <typename NativeT>
  static Literal CreateFromArrayWithLayout(const Array<NativeT>& values, const Layout& layout);
  template <typename NativeT>
  static Literal CreateR2FromArray2D(const Array2D<NativeT>& values) {
    return CreateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  static Literal CreateR2FromArray2DWithLayout(const Array2D<NativeT>& values,
                                               const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(values, layout);
  }
  template <typename NativeT>
  static Literal CreateR3FromArray3D(const Array3D<NativeT>& values) {
    return CreateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  static Literal CreateR3FromArray3DWithLayout(const Array3D<NativeT>& values,
                                               const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(values, layout);
  }
  template <typename NativeT>
  static Literal CreateR4FromArray4D(const Array4D<NativeT>& values) {
    return CreateFromArray<NativeT>(values);
  }
  template <typename NativeT>
  static Literal CreateR4FromArray4DWithLayout(const Array4D<NativeT>& values,
                                               const Layout& layout) {
    return CreateFromArrayWithLayout<NativeT>(values, layout);
  }

  // The matrix repeated over a new major dimension z, or over p and z.
  template <typename NativeT>
  static Literal CreateR3Projected(std::initializer_list<std::initializer_list<NativeT>> values,
                                   int64_t projection);
  template <typename NativeT>
  static Literal CreateR4Projected(std::initializer_list<std::initializer_list<NativeT>> values,
                                   int64_t projection_p, int64_t projection_z);
  // rows x cols values from `from` to `to` in equal steps, row-major.
  static Literal CreateR2F32Linspace(float from, float to, int64_t rows, int64_t cols);
  template <typename NativeT>
  static Literal MakeIdentityR2(int64_t size);
  template <typename NativeT>
  static Literal CreateFullWithDescendingLayout(absl::Span<const int64_t> dimensions,
                                                NativeT value);
  template <typename NativeT>
  static Literal CreateFull(absl::Span<const int64_t> dimensions, NativeT value) {
    return CreateFullWithDescendingLayout<NativeT>(dimensions, value);
  }
  template <typename NativeT>
  static Literal MakeScalarMatrixR2(int64_t size, NativeT scalar);
  // Zeros.
  static Literal CreateFromDimensions(PrimitiveType primitive_type,
                                      absl::Span<const int64_t> dimensions);

  // Scalars of an array element type. MinValue and MaxValue are the infinities where the type has
  // them, otherwise the lowest and highest value; complex types have none (XLA_CHECK). F8E8M0FNU
  // has no zero: its Zero is its smallest value.
  static Literal Zero(PrimitiveType primitive_type);
  static Literal One(PrimitiveType primitive_type);
  static Literal MinValue(PrimitiveType primitive_type);
  static Literal MaxValue(PrimitiveType primitive_type);
  static Literal MaxFiniteValue(PrimitiveType primitive_type);
  // InvalidArgument for types without NaN.
  static absl::StatusOr<Literal> NanValue(PrimitiveType primitive_type);
  static Literal CreateToken();

  // Scalars from numbers, converted to the type. InvalidArgument for a type that is not an array
  // element type.
  static absl::StatusOr<Literal> CreateScalar(PrimitiveType primitive_type, double value);

  // Tuples: of copies; of moved literals.
  static Literal MakeTuple(absl::Span<const Literal* const> elements);
  static Literal MakeTupleFromSlices(absl::Span<const LiteralSlice> elements);
  static Literal MakeTupleOwned(std::vector<Literal> elements);
  template <typename... Ts>
  static Literal MakeTupleOwned(Ts... elements) {
    std::vector<Literal> list;
    list.reserve(sizeof...(Ts));
    (list.push_back(std::move(elements)), ...);
    return MakeTupleOwned(std::move(list));
  }

  // Converts arrays of the first type named to the second, and copies others; applies to the
  // elements of tuples.
  static Literal ConvertBF16ToF32(const LiteralSlice& literal);
  static Literal ConvertBF16ToF64(const LiteralSlice& literal);
  static Literal ConvertF32ToBF16(const LiteralSlice& literal);
  static Literal ConvertF32ToF64(const LiteralSlice& literal);
  static Literal ConvertF64ToBF16(const LiteralSlice& literal);
  static Literal ConvertF64ToF32(const LiteralSlice& literal);
  static Literal ConvertS32ToF32(const LiteralSlice& literal);
  static Literal ConvertS8ToF32(const LiteralSlice& literal) {
    return ConvertType(literal, S8, F32);
  }
  static Literal ConvertF32ToS8(const LiteralSlice& literal) {
    return ConvertType(literal, F32, S8);
  }
  static Literal ConvertS32ToS1(const LiteralSlice& literal) {
    return ConvertType(literal, S32, S1);
  }
  static Literal ConvertF8E4M3FNToF32(const LiteralSlice& literal) {
    return ConvertType(literal, F8E4M3FN, F32);
  }
  static Literal ConvertF8E5M2ToF32(const LiteralSlice& literal) {
    return ConvertType(literal, F8E5M2, F32);
  }
  static Literal ConvertF32ToF8E4M3FNUZ(const LiteralSlice& literal) {
    return ConvertType(literal, F32, F8E4M3FNUZ);
  }
  static Literal ConvertF32ToF8E5M2FNUZ(const LiteralSlice& literal) {
    return ConvertType(literal, F32, F8E5M2FNUZ);
  }
  static Literal ConvertF32ToF8E5M2(const LiteralSlice& literal) {
    return ConvertType(literal, F32, F8E5M2);
  }
  static Literal ConvertF32ToF8E4M3FN(const LiteralSlice& literal) {
    return ConvertType(literal, F32, F8E4M3FN);
  }
  // The same for any pair of types.
  static Literal ConvertType(const LiteralSlice& literal, PrimitiveType from, PrimitiveType to);

  // Elements as scalar literals.
  static Literal GetFirstScalarLiteral(const LiteralSlice& literal);
  static Literal GetScalarLiteral(const LiteralBase& literal,
                                  absl::Span<const int64_t> multi_index);
  static void SetScalarLiteral(MutableLiteralBase& literal, absl::Span<const int64_t> multi_index,
                               const LiteralBase& scalar);
  // The value of a scalar literal converted to T; nullopt if it is not a real number.
  template <typename T>
  static std::optional<T> LiteralAsScalar(const LiteralBase& literal);
  static std::optional<int64_t> LiteralAsScalarInt64(const LiteralBase& literal) {
    if (!primitive_util::IsIntegralType(literal.shape().element_type())) return std::nullopt;
    return LiteralAsScalar<int64_t>(literal);
  }
  // The greatest element as a scalar; NaN if any is. XLA_CHECKs real elements, at least one.
  static Literal MaxElement(const LiteralSlice& literal);

  // The memory of `literal` read in order of minor_to_major, as an array of new_dimensions with
  // default layout.
  static Literal ReshapeSlice(absl::Span<const int64_t> new_dimensions,
                              absl::Span<const int64_t> minor_to_major,
                              const LiteralSlice& literal);

  // generator(index) for each element in row-major order. InvalidArgument if the shape is not an
  // array of `type`.
  template <PrimitiveType type, typename T = primitive_util::NativeTypeOf<type>>
  static absl::StatusOr<Literal> CreateLiteralWithGenerator(
      const Shape& shape, absl::FunctionRef<T(absl::Span<const int64_t>)> generator);
  // Normally distributed. Without an engine, std::minstd_rand0 from its default seed: always the
  // same values.
  template <PrimitiveType type, typename E, typename T = primitive_util::NativeTypeOf<type>>
  static absl::StatusOr<Literal> CreateRandomLiteral(const Shape& shape, E* engine, T mean,
                                                     T stddev);
  template <PrimitiveType type, typename T = primitive_util::NativeTypeOf<type>>
  static absl::StatusOr<Literal> CreateRandomLiteral(const Shape& shape, T mean, T stddev) {
    std::minstd_rand0 engine;
    return CreateRandomLiteral<type>(shape, &engine, mean, stddev);
  }

  static std::vector<const Literal*> MakePointers(absl::Span<const Literal> literals) {
    std::vector<const Literal*> pointers;
    for (const Literal& literal : literals) pointers.push_back(&literal);
    return pointers;
  }

  // "{7, 8}".
  static std::string MultiIndexAsString(absl::Span<const int64_t> multi_index);

 private:
  static Literal CreateZeroed(PrimitiveType type, absl::Span<const int64_t> dimensions,
                              const Layout* layout);
};

// Implementation of the templates.

template <typename NativeT>
Literal LiteralUtil::CreateR0(NativeT value) {
  Literal literal = CreateZeroed(primitive_util::NativeToPrimitiveType<NativeT>(), {}, nullptr);
  literal.Set<NativeT>({}, value);
  return literal;
}

template <typename NativeT>
Literal LiteralUtil::CreateR1(absl::Span<const NativeT> values) {
  Literal literal = CreateZeroed(primitive_util::NativeToPrimitiveType<NativeT>(),
                                 {static_cast<int64_t>(values.size())}, nullptr);
  literal.PopulateR1<NativeT>(values);
  return literal;
}

template <typename NativeT>
Literal LiteralUtil::CreateR2WithLayout(
    std::initializer_list<std::initializer_list<NativeT>> values, const Layout& layout) {
  const int64_t columns = values.size() == 0 ? 0 : static_cast<int64_t>(values.begin()->size());
  Literal literal = CreateZeroed(primitive_util::NativeToPrimitiveType<NativeT>(),
                                 {static_cast<int64_t>(values.size()), columns}, &layout);
  literal.PopulateR2<NativeT>(values);
  return literal;
}

template <typename NativeT>
Literal LiteralUtil::CreateR2(std::initializer_list<std::initializer_list<NativeT>> values) {
  return CreateR2WithLayout<NativeT>(values, LayoutUtil::GetDefaultLayoutForR2());
}

template <typename NativeT>
Literal LiteralUtil::CreateFromArrayWithLayout(const Array<NativeT>& values, const Layout& layout) {
  Literal literal =
      CreateZeroed(primitive_util::NativeToPrimitiveType<NativeT>(), values.dimensions(), &layout);
  literal.PopulateFromArray<NativeT>(values);
  return literal;
}

template <typename NativeT>
Literal LiteralUtil::CreateFromArray(const Array<NativeT>& values) {
  return CreateFromArrayWithLayout<NativeT>(
      values, LayoutUtil::GetDefaultLayoutForRank(values.num_dimensions()));
}

template <typename NativeT>
Literal LiteralUtil::CreateR3Projected(std::initializer_list<std::initializer_list<NativeT>> values,
                                       int64_t projection) {
  return CreateR2<NativeT>(values).template Replicate<NativeT>(projection);
}

template <typename NativeT>
Literal LiteralUtil::CreateR4Projected(std::initializer_list<std::initializer_list<NativeT>> values,
                                       int64_t projection_p, int64_t projection_z) {
  return CreateR3Projected<NativeT>(values, projection_z).template Replicate<NativeT>(projection_p);
}

template <typename NativeT>
Literal LiteralUtil::MakeIdentityR2(int64_t size) {
  Literal literal =
      CreateFromDimensions(primitive_util::NativeToPrimitiveType<NativeT>(), {size, size});
  for (int64_t i = 0; i < size; ++i) literal.Set<NativeT>({i, i}, static_cast<NativeT>(1));
  return literal;
}

template <typename NativeT>
Literal LiteralUtil::MakeScalarMatrixR2(int64_t size, NativeT scalar) {
  Literal literal =
      CreateFromDimensions(primitive_util::NativeToPrimitiveType<NativeT>(), {size, size});
  for (int64_t i = 0; i < size; ++i) literal.Set<NativeT>({i, i}, scalar);
  return literal;
}

template <typename NativeT>
Literal LiteralUtil::CreateFullWithDescendingLayout(absl::Span<const int64_t> dimensions,
                                                    NativeT value) {
  Literal literal =
      CreateFromDimensions(primitive_util::NativeToPrimitiveType<NativeT>(), dimensions);
  literal.PopulateWithValue<NativeT>(value);
  return literal;
}

template <typename T>
std::optional<T> LiteralUtil::LiteralAsScalar(const LiteralBase& literal) {
  if (!ShapeUtil::IsScalar(literal.shape())) return std::nullopt;
  if (const auto integer = literal.GetIntegralAsS64({})) return static_cast<T>(*integer);
  if (const auto real = literal.GetAsDouble({})) return static_cast<T>(*real);
  return std::nullopt;
}

template <PrimitiveType type, typename T>
absl::StatusOr<Literal> LiteralUtil::CreateLiteralWithGenerator(
    const Shape& shape, absl::FunctionRef<T(absl::Span<const int64_t>)> generator) {
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  XLA_RETURN_IF_ERROR(literal.Populate<T>(generator));
  return literal;
}

template <PrimitiveType type, typename E, typename T>
absl::StatusOr<Literal> LiteralUtil::CreateRandomLiteral(const Shape& shape, E* engine, T mean,
                                                         T stddev) {
  using Native = primitive_util::NativeTypeOf<type>;
  using Wide = std::conditional_t<std::is_floating_point_v<Native>, Native, double>;
  std::normal_distribution<Wide> distribution(static_cast<Wide>(mean), static_cast<Wide>(stddev));
  return CreateLiteralWithGenerator<type, Native>(
      shape, [&](absl::Span<const int64_t>) { return static_cast<Native>(distribution(*engine)); });
}

// The dense array whose blocks of block_size elements along a dimension are zero but for one: that
// of `values`, at the place in the block that `indices` gives. Errors: other than one element a
// block, or a stride; shapes that differ; an index outside of the block.
absl::StatusOr<Literal> MaterializeSparseOperand(const LiteralSlice& values,
                                                 const LiteralSlice& indices,
                                                 const SparsityConfig_TensorSparsityConfig& config);

}  // namespace xla

#endif  // XLA_LITERAL_UTIL_H_
