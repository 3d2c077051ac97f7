// SPDX-License-Identifier: Apache-2.0
// Shape inference of elementwise operations.
#include <algorithm>
#include <limits>

#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/binary_broadcast.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

using primitive_util::IsComplexType;
using primitive_util::IsFloatingPointType;

absl::Status ExpectUnaryOperand(const InferenceInput& in) {
  return ExpectArray(Operand(in, 0), "operand of unary operation");
}

// "Expected element type in shape to be <what> for <opcode> operation; got PRED."
absl::Status WrongType(const InferenceInput& in, absl::string_view what) {
  return InvalidArgumentStrCat("Expected element type in shape to be ", what, " for ",
                               OpName(in.opcode), " operation; got ",
                               TypeName(Operand(in, 0).element_type()), ".");
}

// A predicate counts as the byte it takes in memory.
int64_t BitcastWidth(PrimitiveType type) {
  return type == PRED ? 8 : primitive_util::BitWidth(type);
}

}  // namespace

Result InferUnary(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectUnaryOperand(in));
  const uint32_t traits = GetOpInfo(in.opcode).traits;
  if (!AcceptsType(traits, Operand(in, 0).element_type())) {
    return WrongType(in, AcceptedTypes(traits));
  }
  return Operand(in, 0);
}

Result InferAbs(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectUnaryOperand(in));
  const PrimitiveType type = Operand(in, 0).element_type();
  if (IsComplexType(type)) {
    return WithElementType(Operand(in, 0), primitive_util::ComplexComponentType(type));
  }
  if (!IsFloatingPointType(type) && !primitive_util::IsSignedIntegralType(type)) {
    return WrongType(in, "floating or complex or signed integral");
  }
  return Operand(in, 0);
}

Result InferSign(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectUnaryOperand(in));
  const PrimitiveType type = Operand(in, 0).element_type();
  if (type == PRED || primitive_util::IsUnsignedIntegralType(type))
    return WrongType(in, "signed or complex");
  return Operand(in, 0);
}

Result InferRealOrImag(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectUnaryOperand(in));
  const PrimitiveType type = Operand(in, 0).element_type();
  if (IsComplexType(type)) {
    return WithElementType(Operand(in, 0), primitive_util::ComplexComponentType(type));
  }
  if (!IsFloatingPointType(type)) return WrongType(in, "floating or complex");
  return Operand(in, 0);
}

Result InferIsFinite(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectUnaryOperand(in));
  if (!IsFloatingPointType(Operand(in, 0).element_type())) return WrongType(in, "floating point");
  return WithElementType(Operand(in, 0), PRED);
}

// Copies tuples and tokens too.
Result InferCopy(const InferenceInput& in) { return Operand(in, 0); }

Result InferConvert(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!Operand(in, 0).IsArrayExcludingBuffer() || !declared->IsArray()) {
    return InvalidArgumentStrCat("Convert does not allow non-arrays, so cannot convert from ",
                                 Str(Operand(in, 0)), " to ", Str(*declared), ".");
  }
  XLA_ASSIGN_OR_RETURN(const Shape inferred,
                       WithElementType(Operand(in, 0), declared->element_type()));
  return DeclaredMustBe(in, inferred);
}

Result InferBitcastConvert(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  const Shape& operand = Operand(in, 0);
  if (!operand.IsArrayExcludingBuffer() || !declared->IsArray()) {
    return InvalidArgumentStrCat("Cannot convert from or to tuple type; requested conversion: ",
                                 Str(operand), " => ", Str(*declared), ".");
  }
  const PrimitiveType from = operand.element_type();
  const PrimitiveType to = declared->element_type();
  if (IsComplexType(from) != IsComplexType(to)) {
    return InvalidArgumentStrCat("Conversion between complex and real type ", Str(operand), " => ",
                                 TypeName(to), ".");
  }
  const int64_t from_bits = BitcastWidth(from);
  const int64_t to_bits = BitcastWidth(to);
  const int64_t ratio = std::max(from_bits, to_bits) / std::min(from_bits, to_bits);
  if (ratio * std::min(from_bits, to_bits) != std::max(from_bits, to_bits)) {
    return InvalidArgumentStrCat("Cannot bitcast types with undivisible bit-widths: ",
                                 TypeName(from), " => ", TypeName(to), ".");
  }
  Dims dims;
  for (int64_t i = 0; i < operand.rank(); ++i) dims.Add(DimOf(operand, i));
  if (from_bits > to_bits) {
    dims.Add({ratio, false});
  } else if (from_bits < to_bits) {
    if (operand.rank() < 1) {
      return InvalidArgumentStrCat("A scalar cannot be bitcast to wider elements: ", Str(operand),
                                   " => ", TypeName(to), ".");
    }
    const int64_t last = operand.dimensions(static_cast<int>(operand.rank() - 1));
    if (last != ratio) {
      return InvalidArgumentStrCat(
          "Last dimension of input shape=", last, " is not equal to ratio of bit-widths=", ratio,
          " for bitcast-convert from ", Str(operand), " to ", TypeName(to));
    }
    dims.Resize(operand.rank() - 1);
  }
  XLA_ASSIGN_OR_RETURN(const Shape inferred, dims.Make(to));
  return DeclaredMustBe(in, inferred);
}

Result InferStochasticConvert(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const Shape& random = Operand(in, 1);
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "lhs of stochastic convert operation"));
  XLA_RETURN_IF_ERROR(ExpectArray(random, "rhs of stochastic convert operation"));
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!primitive_util::IsUnsignedIntegralType(random.element_type())) {
    return InvalidArgumentStrCat(
        "Random numbers for stochastic convert must be unsigned integers, but got: ", Str(random));
  }
  if (!IsFloatingPointType(operand.element_type())) {
    return InvalidArgumentStrCat(
        "Stochastic convert supports only floating point operand conversion, but got: ",
        Str(operand));
  }
  if (primitive_util::BitWidth(operand.element_type()) !=
      primitive_util::BitWidth(random.element_type())) {
    return InvalidArgument(
        "The random number is required to have same bits as the operand. But got random bits: %d, "
        "operand "
        "bits: %d",
        primitive_util::BitWidth(random.element_type()),
        primitive_util::BitWidth(operand.element_type()));
  }
  if (!ShapeUtil::CompatibleIgnoringElementType(operand, random)) {
    return InvalidArgumentStrCat(
        "Stochastic convert operand shape does not match random tensor shape: ", Str(operand),
        " vs ", Str(random), ".");
  }
  if (!declared->IsArray()) return ExpectArray(*declared, "result of stochastic convert");
  XLA_ASSIGN_OR_RETURN(const Shape inferred, WithElementType(operand, declared->element_type()));
  return DeclaredMustBe(in, inferred);
}

Result InferReducePrecision(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(ExpectUnaryOperand(in));
  const auto& attributes = Attrs<ReducePrecisionAttributes>(in);
  if (!IsFloatingPointType(Operand(in, 0).element_type())) return WrongType(in, "floating point");
  if (attributes.exponent_bits < 1) {
    // One exponent bit tells zero from infinity.
    return InvalidArgument("Expected exponent_bits >= 1; got %d.", attributes.exponent_bits);
  }
  if (attributes.mantissa_bits < 0) {
    return InvalidArgument("Expected non-negative mantissa_bits; got %d.",
                           attributes.mantissa_bits);
  }
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // that a proto holds
  if (attributes.exponent_bits > kMost || attributes.mantissa_bits > kMost) {
    return InvalidArgument("Expected exponent_bits and mantissa_bits of 32 bits; got %d and %d.",
                           attributes.exponent_bits, attributes.mantissa_bits);
  }
  return Operand(in, 0);
}

Result InferBinary(const InferenceInput& in) {
  const Shape& lhs = Operand(in, 0);
  const Shape& rhs = Operand(in, 1);
  XLA_ASSIGN_OR_RETURN(Shape result, InferBinaryOpShape(in.opcode, lhs, rhs));
  if (!ShapeUtil::CompatibleIgnoringElementType(result, lhs) ||
      !ShapeUtil::CompatibleIgnoringElementType(result, rhs)) {
    return InvalidArgumentStrCat("Binary op with incompatible shapes: ", Str(lhs), " and ",
                                 Str(rhs), ". Implicit broadcast is not allowed in HLO.");
  }
  return result;
}

Result InferTernary(const InferenceInput& in) {
  return InferTernaryOpShape(in.opcode, Operand(in, 0), Operand(in, 1), Operand(in, 2));
}

}  // namespace xla::shape_inference
