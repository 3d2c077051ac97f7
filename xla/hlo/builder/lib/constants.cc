// SPDX-License-Identifier: Apache-2.0
// Constants by element type.
#include "xla/hlo/builder/lib/constants.h"

#include <limits>
#include <numeric>
#include <vector>

#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace lib_internal {
namespace {

template <typename T>
XlaOp Converted(XlaBuilder* builder, PrimitiveType type, T value) {
  return builder->Record("ConstantR0WithType", [&]() -> absl::StatusOr<XlaOp> {
    if (!primitive_util::IsArrayType(type)) {
      return InvalidArgumentStrCat("Invalid type for ConstantR0WithType (",
                                   PrimitiveType_Name(type), ").");
    }
    XLA_ASSIGN_OR_RETURN(const Literal literal, LiteralUtil::CreateR0<T>(value).Convert(type));
    return ConstantLiteral(builder, literal);
  });
}

}  // namespace

XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, int64_t value) {
  return Converted(builder, type, value);
}

XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, uint64_t value) {
  return Converted(builder, type, value);
}

XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, double value) {
  if (primitive_util::IsIntegralType(type) || type == PRED) {
    return builder->ReportError(InvalidArgumentStrCat("Invalid cast from floating point type to ",
                                                      PrimitiveType_Name(type),
                                                      " in ConstantR0WithType."));
  }
  return Converted(builder, type, value);
}

XlaOp ScalarConstant(XlaBuilder* builder, PrimitiveType type, std::complex<double> value) {
  if (!primitive_util::IsComplexType(type)) {
    return builder->ReportError(InvalidArgumentStrCat(
        "Invalid cast from complex type to ", PrimitiveType_Name(type), " in ConstantR0WithType."));
  }
  return Converted(builder, type, value);
}

namespace {

// Which number of a floating-point type.
enum class Limit { kEpsilon, kLeastNormal, kLowest, kGreatest };

absl::StatusOr<Literal> FloatLimit(PrimitiveType type, Limit limit) {
  if (!primitive_util::IsFloatingPointType(type)) {
    return InvalidArgumentStrCat("Invalid type: ", PrimitiveType_Name(type),
                                 " is no floating-point type.");
  }
  return primitive_util::FloatingPointTypeSwitch(
      [&](auto constant) -> Literal {
        using T = primitive_util::NativeTypeOf<constant>;
        using Limits = std::numeric_limits<T>;
        switch (limit) {
          case Limit::kEpsilon:
            return LiteralUtil::CreateR0<T>(Limits::epsilon());
          case Limit::kLeastNormal:
            return LiteralUtil::CreateR0<T>(Limits::min());
          case Limit::kLowest:
            return LiteralUtil::CreateR0<T>(Limits::lowest());
          case Limit::kGreatest:
            return LiteralUtil::CreateR0<T>(Limits::max());
        }
        return Literal();
      },
      type);
}

XlaOp LimitConstant(const char* call, XlaBuilder* builder, PrimitiveType type, Limit limit) {
  return builder->Record(call, [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Literal literal, FloatLimit(type, limit));
    return ConstantLiteral(builder, literal);
  });
}

XlaOp EndOfRange(const char* call, XlaBuilder* builder, PrimitiveType type, bool greatest) {
  return builder->Record(call, [&]() -> absl::StatusOr<XlaOp> {
    if (!primitive_util::IsArrayType(type) || primitive_util::IsComplexType(type)) {
      return InvalidArgumentStrCat("Invalid type: ", PrimitiveType_Name(type), " has no order.");
    }
    return ConstantLiteral(builder,
                           greatest ? LiteralUtil::MaxValue(type) : LiteralUtil::MinValue(type));
  });
}

}  // namespace
}  // namespace lib_internal

using lib_internal::Limit;

XlaOp FullLikeScalar(XlaOp prototype, XlaOp scalar) {
  return lib_internal::Make(
      "FullLike", {prototype, scalar}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, prototype));
        if (shape.is_static()) return Broadcast(scalar, shape.dimensions());
        // The sizes at run time come from the prototype: broadcast it away.
        std::vector<int64_t> bounds(shape.dimensions().begin(), shape.dimensions().end());
        XlaOp result = Broadcast(scalar, bounds);
        for (int i = 0; i < shape.rank(); ++i) {
          if (!shape.is_dynamic_dimension(i)) continue;
          result = SetDimensionSize(result, GetDimensionSize(prototype, i), i);
        }
        return result;
      });
}

XlaOp Zero(XlaBuilder* builder, PrimitiveType type) { return ConstantR0WithType(builder, type, 0); }

XlaOp Zeros(XlaBuilder* builder, const Shape& shape) {
  return Broadcast(Zero(builder, shape.element_type()), shape.dimensions());
}

XlaOp ZerosLike(XlaOp prototype) { return FullLike(prototype, 0); }

XlaOp One(XlaBuilder* builder, PrimitiveType type) { return ConstantR0WithType(builder, type, 1); }

XlaOp Epsilon(XlaBuilder* builder, PrimitiveType type) {
  return lib_internal::LimitConstant("Epsilon", builder, type, Limit::kEpsilon);
}

XlaOp MinPositiveNormalValue(XlaBuilder* builder, PrimitiveType type) {
  return lib_internal::LimitConstant("MinPositiveNormalValue", builder, type, Limit::kLeastNormal);
}

XlaOp NanValue(XlaBuilder* builder, PrimitiveType type) {
  return builder->Record("NanValue", [&]() -> absl::StatusOr<XlaOp> {
    if (!primitive_util::IsFloatingPointType(type)) {
      return InvalidArgumentStrCat("Operand to NanValue was ", PrimitiveType_Name(type),
                                   ", but must be a real-valued floating-point type.");
    }
    XLA_ASSIGN_OR_RETURN(const Literal literal, LiteralUtil::NanValue(type));
    return ConstantLiteral(builder, literal);
  });
}

XlaOp MinValue(XlaBuilder* builder, PrimitiveType type) {
  return lib_internal::EndOfRange("MinValue", builder, type, /*greatest=*/false);
}

XlaOp MaxValue(XlaBuilder* builder, PrimitiveType type) {
  return lib_internal::EndOfRange("MaxValue", builder, type, /*greatest=*/true);
}

XlaOp MinFiniteValue(XlaBuilder* builder, PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return MinValue(builder, type);
  return lib_internal::LimitConstant("MinFiniteValue", builder, type, Limit::kLowest);
}

XlaOp MaxFiniteValue(XlaBuilder* builder, PrimitiveType type) {
  if (!primitive_util::IsFloatingPointType(type)) return MaxValue(builder, type);
  return lib_internal::LimitConstant("MaxFiniteValue", builder, type, Limit::kGreatest);
}

}  // namespace xla
