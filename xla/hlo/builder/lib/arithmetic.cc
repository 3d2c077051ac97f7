// SPDX-License-Identifier: Apache-2.0
// Scalar computations and reductions made of them.
#include "xla/hlo/builder/lib/arithmetic.h"

#include <limits>
#include <memory>
#include <numeric>

#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {

XlaComputation CreateScalarComputation(const std::string& name, PrimitiveType type,
                                       XlaBuilder* builder, XlaOpGenerator generator) {
  const std::string suffix = type == PRED ? "" : absl::StrCat("_", PrimitiveType_Name(type));
  const std::unique_ptr<XlaBuilder> b = builder->CreateSubBuilder(name + suffix);
  if (!primitive_util::IsArrayType(type)) {
    b->ReportError(
        InvalidArgumentStrCat("There are no scalars of type ", PrimitiveType_Name(type), "."));
    return b->BuildAndNoteError();
  }
  const Shape scalar = ShapeUtil::MakeScalarShape(type);
  const XlaOp lhs = Parameter(b.get(), 0, scalar, "lhs");
  const XlaOp rhs = Parameter(b.get(), 1, scalar, "rhs");
  generator(lhs, rhs);
  return b->BuildAndNoteError();
}

XlaComputation CreateScalarAddComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("add", type, builder, [](XlaOp x, XlaOp y) { return Add(x, y); });
}

XlaComputation CreateScalarMultiplyComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("mul", type, builder, [](XlaOp x, XlaOp y) { return Mul(x, y); });
}

XlaComputation CreateScalarGeComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("ge", type, builder, [](XlaOp x, XlaOp y) { return Ge(x, y); });
}

XlaComputation CreateScalarMaxComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("max", type, builder, [](XlaOp x, XlaOp y) { return Max(x, y); });
}

XlaComputation CreateScalarMinComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("min", type, builder, [](XlaOp x, XlaOp y) { return Min(x, y); });
}

XlaComputation CreateScalarAndComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("and", type, builder, [](XlaOp x, XlaOp y) { return And(x, y); });
}

XlaComputation CreateScalarOrComputation(PrimitiveType type, XlaBuilder* builder) {
  return CreateScalarComputation("or", type, builder, [](XlaOp x, XlaOp y) { return Or(x, y); });
}

XlaComputation CreateScalarIdentityWithZeroComputation(PrimitiveType type, XlaBuilder* builder) {
  if (type == PRED || primitive_util::IsIntegralType(type)) {
    return CreateScalarOrComputation(type, builder);
  }
  return CreateScalarAddComputation(type, builder);
}

XlaOp Any(XlaOp predicates) {
  return lib_internal::Make("Any", {predicates}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    return ReduceAll(predicates, ConstantR0<bool>(b, false), CreateScalarOrComputation(PRED, b));
  });
}

XlaOp All(XlaOp predicates) {
  return lib_internal::Make("All", {predicates}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    return ReduceAll(predicates, ConstantR0<bool>(b, true), CreateScalarAndComputation(PRED, b));
  });
}

namespace {

// The better of two pairs (value, index). Commutative and associative, as reductions need.
XlaComputation BetterOfPairs(XlaBuilder* outer, PrimitiveType value_type, PrimitiveType index_type,
                             bool is_min) {
  const std::unique_ptr<XlaBuilder> sub = outer->CreateSubBuilder("minmax_func");
  XlaBuilder* b = sub.get();
  const Shape value = ShapeUtil::MakeScalarShape(value_type);
  const Shape index = ShapeUtil::MakeScalarShape(index_type);
  const XlaOp lhs = Parameter(b, 0, value, "lhs_value");
  const XlaOp lhs_index = Parameter(b, 1, index, "lhs_index");
  const XlaOp rhs = Parameter(b, 2, value, "rhs_value");
  const XlaOp rhs_index = Parameter(b, 3, index, "rhs_index");
  XlaOp take_lhs = is_min ? Le(lhs, rhs) : Ge(lhs, rhs);
  XlaOp equal = Eq(lhs, rhs);
  if (primitive_util::HasNaN(value_type)) {
    // NaN is worse than any number, and equal to NaN.
    const XlaOp lhs_is_nan = Ne(lhs, lhs);
    const XlaOp rhs_is_nan = Ne(rhs, rhs);
    take_lhs = Select(rhs_is_nan, Not(lhs_is_nan), take_lhs);
    equal = Or(equal, And(lhs_is_nan, rhs_is_nan));
  }
  const XlaOp better = Select(take_lhs, lhs_index, rhs_index);
  Tuple(b, {Select(take_lhs, lhs, rhs), Select(equal, Min(lhs_index, rhs_index), better)});
  return b->BuildAndNoteError();
}

}  // namespace

XlaOp ArgMinMax(XlaOp input, PrimitiveType output_type, int axis, bool is_min) {
  return lib_internal::Make(
      is_min ? "ArgMin" : "ArgMax", {input}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, input));
        if (axis < 0 || axis >= shape.rank()) {
          return InvalidArgumentStrCat("There is no axis ", axis, " in ",
                                       ShapeUtil::HumanString(shape), ".");
        }
        const PrimitiveType type = shape.element_type();
        const PrimitiveType index_type =
            shape.dimensions(axis) <= std::numeric_limits<int32_t>::max() ? S32 : output_type;
        XLA_ASSIGN_OR_RETURN(const Shape indices,
                             ShapeUtil::MakeValidatedShape(index_type, shape.dimensions()));
        // Loses to every element: its value is no better, and its index is the greatest.
        const XlaOp worst = primitive_util::HasNaN(type) ? NanValue(b, type)
                            : is_min                     ? MaxValue(b, type)
                                                         : MinValue(b, type);
        const XlaOp pair =
            Reduce(b, {input, Iota(b, indices, axis)}, {worst, MaxValue(b, index_type)},
                   BetterOfPairs(b, type, index_type, is_min), {axis});
        const XlaOp index = GetTupleElement(pair, 1);
        return index_type == output_type ? index : ConvertElementType(index, output_type);
      });
}

XlaOp ArgMax(XlaOp input, PrimitiveType output_type, int axis) {
  return ArgMinMax(input, output_type, axis, /*is_min=*/false);
}

XlaOp ArgMin(XlaOp input, PrimitiveType output_type, int axis) {
  return ArgMinMax(input, output_type, axis, /*is_min=*/true);
}

}  // namespace xla
