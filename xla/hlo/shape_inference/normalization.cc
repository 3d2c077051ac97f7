// SPDX-License-Identifier: Apache-2.0
// Shape inference of batch normalization.
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

// The size of the feature dimension of the first operand, a floating point array.
absl::StatusOr<Dim> FeatureCount(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const absl::string_view op = OpName(in.opcode);
  const int64_t index = Attrs<BatchNormAttributes>(in).feature_index;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, absl::StrCat("operand of ", op)));
  if (index >= operand.rank()) {
    return InvalidArgument(
        "Expected feature_index of %s to be smaller than the rank of operand_shape; got "
        "feature_index %d, "
        "and rank %d.",
        op, index, operand.rank());
  }
  if (index < 0) {
    return InvalidArgument("Expected feature_index of %s to be a non-negative number, got %d.", op,
                           index);
  }
  if (!primitive_util::IsFloatingPointType(operand.element_type())) {
    return InvalidArgumentStrCat("The operand to ", op,
                                 " must have a floating point element type, but the shape is ",
                                 Str(operand), ".");
  }
  return DimOf(operand, index);
}

// Operand i holds one value for each feature.
absl::Status CheckFactor(const InferenceInput& in, int64_t i, absl::string_view name,
                         Dim features) {
  const Shape& factor = Operand(in, i);
  const absl::string_view op = OpName(in.opcode);
  XLA_RETURN_IF_ERROR(ExpectArray(factor, absl::StrCat(name, " input of ", op)));
  if (factor.rank() != 1) {
    return InvalidArgument("The %s input of %s must have rank 1, but has rank %d.", name, op,
                           factor.rank());
  }
  if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(factor, Operand(in, 0))) {
    return InvalidArgumentStrCat("The inputs should have the same element type for ", op,
                                 ", but the shape of ", name, " is ", Str(factor),
                                 " and the shape of operand is ", Str(Operand(in, 0)), ".");
  }
  if (!SizesCompatible(factor.dimensions(0), features.size)) {
    return InvalidArgumentStrCat(
        "The size of ", name, " should be the same as feature count, but the size of ", name,
        " is ", factor.dimensions(0), " and the feature count is ", features.size, ".");
  }
  return absl::OkStatus();
}

// The operand's shape and two vectors of features.
Result WithTwoFactors(const InferenceInput& in, Dim features) {
  Dims dims;
  dims.Add(features);
  XLA_ASSIGN_OR_RETURN(const Shape factor, dims.Make(Operand(in, 0).element_type()));
  return ShapeUtil::MakeTupleShape({Operand(in, 0), factor, factor});
}

}  // namespace

Result InferBatchNormTraining(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Dim features, FeatureCount(in));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 1, "scale factor", features));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 2, "offset factor", features));
  return WithTwoFactors(in, features);
}

Result InferBatchNormInference(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Dim features, FeatureCount(in));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 1, "scale factor", features));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 2, "offset factor", features));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 3, "mean", features));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 4, "variance", features));
  return Operand(in, 0);
}

Result InferBatchNormGrad(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Dim features, FeatureCount(in));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 1, "scale factor", features));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 2, "mean", features));
  XLA_RETURN_IF_ERROR(CheckFactor(in, 3, "variance", features));
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(Operand(in, 4), Operand(in, 0))) {
    return InvalidArgumentStrCat(
        "Expected output_grad of batch-norm-grad to have the shape of operand; got ",
        Str(Operand(in, 4)), " and ", Str(Operand(in, 0)), ".");
  }
  return WithTwoFactors(in, features);
}

}  // namespace xla::shape_inference
