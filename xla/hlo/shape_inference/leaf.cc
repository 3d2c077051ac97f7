// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations without operands: parameter, constant, iota.
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::shape_inference {

Result InferParameter(const InferenceInput& in) {
  const int64_t number = Attrs<ParameterAttributes>(in).parameter_number;
  if (number < 0) return InvalidArgument("Parameter number must be >= 0; got %d.", number);
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  return *declared;
}

Result InferConstant(const InferenceInput& in) {
  const LiteralRef& literal = Attrs<ConstantAttributes>(in).literal;
  if (literal.literal == nullptr)
    return InvalidArgument("Constant is required to have a valid literal.");
  if (in.declared == nullptr) return literal.literal->shape();
  return DeclaredMustBe(in, literal.literal->shape());
}

Result InferIota(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!declared->IsArray()) {
    return InvalidArgumentStrCat("Iota does not support non-array result; got ", Str(*declared),
                                 ".");
  }
  if (declared->rank() == 0) return InvalidArgument("Iota does not support scalars.");
  const int64_t dimension = Attrs<IotaAttributes>(in).iota_dimension;
  if (!InRange(dimension, declared->rank())) {
    return InvalidArgumentStrCat(
        "The iota dimension cannot go beyond the operation rank or be negative; iota_dimension=",
        dimension, " for ", Str(*declared), ".");
  }
  if (declared->element_type() == PRED) {
    return InvalidArgument(
        "Only support iota of integral, floating point or complex primitive types, got PRED");
  }
  return *declared;
}

}  // namespace xla::shape_inference
