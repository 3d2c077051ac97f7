// SPDX-License-Identifier: Apache-2.0
// Shape inference of cholesky and triangular-solve.
#include <string>

#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

using primitive_util::IsComplexType;
using primitive_util::IsFloatingPointType;

// The two minor dimensions are square matrices.
absl::Status ExpectSquareMatrices(const Shape& a, absl::string_view op) {
  if (a.rank() < 2) {
    return InvalidArgumentStrCat("The 'a' argument to ", op, " must have rank >= 2, got shape ",
                                 Str(a));
  }
  if (!SizesCompatible(DimOf(a, a.rank() - 2).size, DimOf(a, a.rank() - 1).size)) {
    return InvalidArgumentStrCat("The two minor dimensions of 'a' must have equal size, got ",
                                 Str(a), ".");
  }
  return absl::OkStatus();
}

}  // namespace

Result InferCholesky(const InferenceInput& in) {
  const Shape& a = Operand(in, 0);
  XLA_RETURN_IF_ERROR(ExpectArray(a, "operand of cholesky"));
  if (!IsFloatingPointType(a.element_type()) && !IsComplexType(a.element_type())) {
    return InvalidArgumentStrCat(
        "Expected element type in shape to be floating or complex for Cholesky; got ",
        TypeName(a.element_type()), ".");
  }
  XLA_RETURN_IF_ERROR(ExpectSquareMatrices(a, "Cholesky"));
  return a;
}

Result InferTriangularSolve(const InferenceInput& in) {
  const auto& attributes = Attrs<TriangularSolveAttributes>(in);
  const Shape& a = Operand(in, 0);
  const Shape& b = Operand(in, 1);
  XLA_RETURN_IF_ERROR(ExpectArray(a, "'a' argument of triangular-solve"));
  XLA_RETURN_IF_ERROR(ExpectArray(b, "'b' argument of triangular-solve"));
  const PrimitiveType type = a.element_type();
  if ((!IsFloatingPointType(type) && !IsComplexType(type)) || type != b.element_type()) {
    return InvalidArgumentStrCat(
        "Expected element types in shape to be floating or complex and identical for "
        "TriangularSolve; got ",
        TypeName(type), " and ", TypeName(b.element_type()), ".");
  }
  XLA_RETURN_IF_ERROR(ExpectSquareMatrices(a, "TriangularSolve"));
  if (b.rank() != a.rank()) {
    return InvalidArgumentStrCat("Arguments to triangular solve must have equal rank; got ", Str(b),
                                 " and ", Str(a), ".");
  }
  const int64_t shared = b.rank() - (attributes.left_side ? 2 : 1);
  if (!SizesCompatible(DimOf(a, a.rank() - 1).size, DimOf(b, shared).size)) {
    return InvalidArgumentStrCat("The shared dimension of 'a' and 'b' does not match, got shapes ",
                                 Str(a), " and ", Str(b));
  }
  for (int64_t i = 0; i < a.rank() - 2; ++i) {
    if (!SizesCompatible(DimOf(a, i).size, DimOf(b, i).size)) {
      return InvalidArgumentStrCat(
          "The leading batch dimensions of the arguments to triangular solve must be equal; got ",
          Str(b), " and ", Str(a), ".");
    }
  }
  if (!TriangularSolveOptions_Transpose_IsValid(attributes.transpose_a) ||
      attributes.transpose_a == TriangularSolveOptions_Transpose_TRANSPOSE_INVALID) {
    return InvalidArgument("Invalid transpose option value for triangular solve (%d).",
                           static_cast<int>(attributes.transpose_a));
  }
  return b;
}

}  // namespace xla::shape_inference
