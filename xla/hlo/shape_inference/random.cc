// SPDX-License-Identifier: Apache-2.0
// Shape inference of random number operations.
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {

Result InferRng(const InferenceInput& in) {
  if (OperandCount(in) != 2)
    return InvalidArgument("Expected 2 operands for rng, but saw %d.", OperandCount(in));
  const Shape& a = Operand(in, 0);
  const Shape& b = Operand(in, 1);
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  XLA_RETURN_IF_ERROR(ExpectArray(*declared, "result of rng"));
  if (!ShapeUtil::IsScalar(a) || !ShapeUtil::IsScalar(b)) {
    return InvalidArgumentStrCat(
        "Expected scalar types for the two operands of Rng instruction; got ", Str(a), " and ",
        Str(b), ".");
  }
  if (!ShapeUtil::SameElementType(a, b) ||
      !ShapeUtil::SameElementTypeIgnoringFpPrecision(a, *declared)) {
    return InvalidArgumentStrCat(
        "Expected compatible element types for the result and the two operands of Rng instruction; "
        "got ",
        Str(a), ", ", Str(b), " and result ", Str(*declared), ".");
  }
  const PrimitiveType type = a.element_type();
  switch (Attrs<RngAttributes>(in).distribution) {
    case RandomDistribution::RNG_UNIFORM:
      if (primitive_util::IsComplexType(type)) {
        return InvalidArgumentStrCat(
            "Element type not supported. Expected element to be of floating point type, integral "
            "type or "
            "predicate type for RngUniform; got ",
            TypeName(type), ".");
      }
      return *declared;
    case RandomDistribution::RNG_NORMAL:
      if (!primitive_util::IsFloatingPointType(type)) {
        return InvalidArgumentStrCat(
            "Element type not supported. Expected element to be FloatingPointType for RngNormal; "
            "got ",
            TypeName(type), ".");
      }
      return *declared;
    default:
      return InvalidArgument("Invalid Rng distribution %d",
                             static_cast<int>(Attrs<RngAttributes>(in).distribution));
  }
}

Result InferRngBitGenerator(const InferenceInput& in) {
  const Shape& state = Operand(in, 0);
  XLA_RETURN_IF_ERROR(ExpectArray(state, "state of rng-bit-generator"));
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!RandomAlgorithm_IsValid(Attrs<RngBitGeneratorAttributes>(in).algorithm)) {
    return InvalidArgument("Invalid algorithm of rng-bit-generator: %d",
                           static_cast<int>(Attrs<RngBitGeneratorAttributes>(in).algorithm));
  }
  // The result is (new state, bits), or the bits alone.
  if (!declared->IsTuple()) {
    XLA_RETURN_IF_ERROR(ExpectArray(*declared, "result of rng-bit-generator"));
    return *declared;
  }
  if (declared->tuple_shapes_size() != 2) {
    return InvalidArgumentStrCat("Expected tuple shape with 2 elements for RngBitGenerator. Got: ",
                                 Str(*declared));
  }
  if (!ShapeUtil::Compatible(state, declared->tuple_shapes(0))) {
    return InvalidArgumentStrCat(
        "Expected state shape to match between input and output for RngBitGenerator. Got ",
        Str(state), " vs. ", Str(declared->tuple_shapes(0)));
  }
  XLA_RETURN_IF_ERROR(ExpectArray(declared->tuple_shapes(1), "bits of rng-bit-generator"));
  return *declared;
}

Result InferRngGetAndUpdateState(const InferenceInput& in) {
  Dims dims;
  dims.Add({2, false});
  XLA_ASSIGN_OR_RETURN(const Shape inferred, dims.Make(U64));
  if (in.declared == nullptr) return inferred;
  return DeclaredMustBe(in, inferred);
}

}  // namespace xla::shape_inference
