// SPDX-License-Identifier: Apache-2.0
// Constants by element type: numbers, the ends of ranges, arrays like another.
#ifndef XLA_HLO_BUILDER_LIB_CONSTANTS_H_
#define XLA_HLO_BUILDER_LIB_CONSTANTS_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

namespace lib_internal {
XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, int64_t value);
XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, uint64_t value);
XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, double value);
XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, std::complex<double> value);

// The widest type of its kind.
template <typename T>
auto Widened(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return std::complex<double>(value);
  } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
    return static_cast<uint64_t>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    return static_cast<double>(value);
  }
}
}  // namespace lib_internal

// A scalar of the type, converted from `value`. Errors: a floating-point value for an integer type,
// a complex value for a real one.
template <typename T>
XlaOp ConstantR0WithType(XlaBuilder* builder, PrimitiveType type, T value) {
  return lib_internal::ScalarConstant(builder, type, lib_internal::Widened(value));
}

// The same of the prototype's element type, and of its shape.
template <typename T>
XlaOp ScalarLike(XlaOp prototype, T value) {
  XlaBuilder* builder = XlaBuilder::Of({prototype});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ScalarLike", [&]() -> absl::StatusOr<XlaOp> {
    const absl::StatusOr<const Shape*> shape = builder->GetShapePtr(prototype);
    if (!shape.ok()) return shape.status();
    return ConstantR0WithType(builder, (*shape)->element_type(), value);
  });
}
// An array of the prototype's sizes, also its dynamic ones, full of the scalar.
XlaOp FullLikeScalar(XlaOp prototype, XlaOp scalar);
template <typename T>
XlaOp FullLike(XlaOp prototype, T value) {
  return FullLikeScalar(prototype, ScalarLike(prototype, value));
}

XlaOp Zero(XlaBuilder* builder, PrimitiveType type);
XlaOp Zeros(XlaBuilder* builder, const Shape& shape);
XlaOp ZerosLike(XlaOp prototype);
XlaOp One(XlaBuilder* builder, PrimitiveType type);

// Of floating-point types: the distance from 1 to the next number; the smallest normal number; NaN.
// Error: other types, or a type without.
XlaOp Epsilon(XlaBuilder* builder, PrimitiveType type);
XlaOp MinPositiveNormalValue(XlaBuilder* builder, PrimitiveType type);
XlaOp NanValue(XlaBuilder* builder, PrimitiveType type);

// The ends of the range; infinities where the type has them, except with Finite. Error: complex.
XlaOp MinValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MaxValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MinFiniteValue(XlaBuilder* builder, PrimitiveType type);
XlaOp MaxFiniteValue(XlaBuilder* builder, PrimitiveType type);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_CONSTANTS_H_
