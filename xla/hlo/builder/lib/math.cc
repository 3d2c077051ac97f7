// SPDX-License-Identifier: Apache-2.0
// Elementary functions and tests.
#include "xla/hlo/builder/lib/math.h"

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

// The unsigned type as wide as the floats, and the bits of minus zero.
struct FloatBits {
  PrimitiveType type;
  uint64_t sign;
};
FloatBits BitsOf(PrimitiveType type) {
  const int width = primitive_util::BitWidth(type);
  return {primitive_util::UnsignedIntegralTypeForBitWidth(width), uint64_t{1} << (width - 1)};
}

XlaOp False(XlaBuilder* b, const Shape& shape) {
  return Broadcast(ConstantR0<bool>(b, false), shape.dimensions());
}

XlaOp EqualsInfinity(const char* call, XlaOp operand, bool positive) {
  return lib_internal::Make(call, {operand}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::RealShape(b, operand));
    const PrimitiveType type = shape.element_type();
    if (!primitive_util::HasInfinity(type)) return False(b, shape);
    return Eq(operand, positive ? MaxValue(b, type) : MinValue(b, type));
  });
}

}  // namespace

XlaOp IsPosInf(XlaOp operand) { return EqualsInfinity("IsPosInf", operand, true); }

XlaOp IsNegInf(XlaOp operand) { return EqualsInfinity("IsNegInf", operand, false); }

XlaOp IsInf(XlaOp operand) {
  return lib_internal::Make("IsInf", {operand}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(lib_internal::RealShape(b, operand).status());
    return IsPosInf(Abs(operand));
  });
}

XlaOp IsNan(XlaOp operand) {
  return lib_internal::Make("IsNan", {operand}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(lib_internal::RealShape(b, operand).status());
    return Ne(operand, operand);
  });
}

XlaOp IsNegZero(XlaOp operand) {
  return lib_internal::Make("IsNegZero", {operand}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::RealShape(b, operand));
    if (!primitive_util::HasNegativeZero(shape.element_type())) return False(b, shape);
    const FloatBits bits = BitsOf(shape.element_type());
    return Eq(BitcastConvertType(operand, bits.type), ConstantR0WithType(b, bits.type, bits.sign));
  });
}

XlaOp NextAfter(XlaOp from, XlaOp to) {
  return lib_internal::Make("NextAfter", {from, to}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::RealShape(b, from));
    const PrimitiveType type = shape.element_type();
    if (type != F16 && type != BF16 && type != F32 && type != F64) {
      return InvalidArgumentStrCat("NextAfter is of F16, BF16, F32 and F64, not ",
                                   PrimitiveType_Name(type), ".");
    }
    const FloatBits bits = BitsOf(type);
    const XlaOp sign = ConstantR0WithType(b, bits.type, bits.sign);
    const XlaOp one = ConstantR0WithType(b, bits.type, 1);
    const XlaOp zero = ConstantR0WithType(b, bits.type, 0);
    const XlaOp from_bits = BitcastConvertType(from, bits.type);
    const XlaOp to_bits = BitcastConvertType(to, bits.type);
    const XlaOp from_sign = And(from_bits, sign);
    const XlaOp from_magnitude = And(from_bits, Not(sign));
    // Numbers of one sign follow each other as their bits do. The magnitude falls towards a
    // smaller number of the same sign and towards any number of the other sign.
    const XlaOp falls =
        Or(Gt(from_magnitude, And(to_bits, Not(sign))), Ne(from_sign, And(to_bits, sign)));
    const XlaOp stepped = from_bits + Select(falls, Broadcast(Not(zero), shape.dimensions()),
                                             Broadcast(one, shape.dimensions()));
    // From zero to the smallest number with the sign of `to`.
    const XlaOp from_zero = Or(And(to_bits, sign), one);
    const XlaOp moved =
        BitcastConvertType(Select(Eq(from_magnitude, zero), from_zero, stepped), type);
    const XlaOp result = Select(Eq(from, to), to, moved);
    const XlaOp is_nan = Or(Ne(from, from), Ne(to, to));
    return Select(is_nan, from + to, result);
  });
}

XlaOp Square(XlaOp operand) { return Mul(operand, operand, {}); }

XlaOp Reciprocal(XlaOp operand) { return Div(ScalarLike(operand, 1), operand, {}); }

XlaOp RoundToEven(XlaOp x) { return RoundNearestEven(x); }

XlaOp Atan(XlaOp x) { return Atan2(x, ScalarLike(x, 1), {}); }

XlaOp MaybeConjugate(XlaOp x, bool conjugate) {
  return lib_internal::Make("MaybeConjugate", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, x));
    return conjugate && primitive_util::IsComplexType(shape.element_type()) ? Conj(x) : x;
  });
}

}  // namespace xla
