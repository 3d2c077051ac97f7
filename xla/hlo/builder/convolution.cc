// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include <set>

#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// The sizes of `shape` along the spatial dimensions. What else must hold, shape inference checks.
absl::StatusOr<Int64s> SpatialSizes(const Shape& shape, const char* what,
                                    absl::Span<const int64_t> dimensions) {
  Int64s sizes;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!shape.IsArray() || dimensions[i] < 0 || dimensions[i] >= shape.rank()) {
      return InvalidArgumentStrCat("Convolution ", what, "[", i,
                                   "] is out of bounds: ", dimensions[i], " in ",
                                   ShapeUtil::HumanString(shape));
    }
    sizes.push_back(shape.dimensions(static_cast<int>(dimensions[i])));
  }
  return sizes;
}

absl::Status CheckRanks(const Shape& lhs, const Shape& rhs,
                        const ConvolutionDimensionNumbers& numbers) {
  if (!lhs.IsArray() || !rhs.IsArray() || lhs.rank() != rhs.rank()) {
    return InvalidArgumentStrCat("Convolution arguments must have same number of dimensions. Got: ",
                                 ShapeUtil::HumanString(lhs), " and ", ShapeUtil::HumanString(rhs));
  }
  const auto check = [&](const char* what, int count) -> absl::Status {
    if (count == lhs.rank() - 2) return absl::OkStatus();
    return InvalidArgument("Expected %d elements for %s, but got %d.", lhs.rank() - 2, what, count);
  };
  XLA_RETURN_IF_ERROR(check("input_spatial_dimensions", numbers.input_spatial_dimensions_size()));
  XLA_RETURN_IF_ERROR(check("kernel_spatial_dimensions", numbers.kernel_spatial_dimensions_size()));
  return check("output_spatial_dimensions", numbers.output_spatial_dimensions_size());
}

}  // namespace

ConvolutionDimensionNumbers XlaBuilder::CreateDefaultConvDimensionNumbers(int num_spatial_dims) {
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(kConvBatchDimension);
  numbers.set_input_feature_dimension(kConvFeatureDimension);
  numbers.set_kernel_output_feature_dimension(kConvKernelOutputDimension);
  numbers.set_kernel_input_feature_dimension(kConvKernelInputDimension);
  numbers.set_output_batch_dimension(kConvBatchDimension);
  numbers.set_output_feature_dimension(kConvFeatureDimension);
  for (int i = 0; i < num_spatial_dims; ++i) {
    numbers.add_input_spatial_dimensions(kConvFirstSpatialDimension + i);
    numbers.add_kernel_spatial_dimensions(kConvKernelFirstSpatialDimension + i);
    numbers.add_output_spatial_dimensions(kConvFirstSpatialDimension + i);
  }
  return numbers;
}

absl::Status XlaBuilder::Validate(const ConvolutionDimensionNumbers& dnum) {
  const auto check = [](const char* array, int64_t a, int64_t b,
                        const auto& spatial) -> absl::Status {
    if (spatial.size() < 2) {
      return FailedPrecondition("%s spatial dimensions < 2: %d", array, spatial.size());
    }
    std::set<int64_t> all(spatial.begin(), spatial.end());
    all.insert({a, b});
    if (static_cast<int>(all.size()) == spatial.size() + 2) return absl::OkStatus();
    return FailedPrecondition("dimension numbers for the %s are not unique", array);
  };
  XLA_RETURN_IF_ERROR(check("input", dnum.input_batch_dimension(), dnum.input_feature_dimension(),
                            dnum.input_spatial_dimensions()));
  XLA_RETURN_IF_ERROR(check("weight", dnum.kernel_input_feature_dimension(),
                            dnum.kernel_output_feature_dimension(),
                            dnum.kernel_spatial_dimensions()));
  return check("output", dnum.output_batch_dimension(), dnum.output_feature_dimension(),
               dnum.output_spatial_dimensions());
}

XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
           int64_t feature_group_count, int64_t batch_group_count,
           const PrecisionConfig* precision_config,
           std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Conv", [&]() -> absl::StatusOr<XlaOp> {
    return ConvWithGeneralDimensions(
        lhs, rhs, window_strides, padding,
        XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(window_strides.size())),
        feature_group_count, batch_group_count, precision_config, preferred_element_type);
  });
}

XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const PrecisionConfig* precision_config,
                             std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ConvWithGeneralPadding", [&]() -> absl::StatusOr<XlaOp> {
    return ConvGeneral(
        lhs, rhs, window_strides, padding,
        XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(window_strides.size())),
        feature_group_count, batch_group_count, precision_config, preferred_element_type);
  });
}

XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                int64_t feature_group_count, int64_t batch_group_count,
                                const PrecisionConfig* precision_config,
                                std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ConvWithGeneralDimensions", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* lhs_shape, builder->state().ShapeOf(lhs));
    XLA_ASSIGN_OR_RETURN(const Shape* rhs_shape, builder->state().ShapeOf(rhs));
    XLA_RETURN_IF_ERROR(CheckRanks(*lhs_shape, *rhs_shape, dimension_numbers));
    XLA_ASSIGN_OR_RETURN(const Int64s base,
                         SpatialSizes(*lhs_shape, "input_spatial_dimensions",
                                      dimension_numbers.input_spatial_dimensions()));
    XLA_ASSIGN_OR_RETURN(const Int64s window,
                         SpatialSizes(*rhs_shape, "kernel_spatial_dimensions",
                                      dimension_numbers.kernel_spatial_dimensions()));
    XLA_RETURN_IF_ERROR(ValidatePaddingValues(base, window, window_strides));
    return ConvGeneral(lhs, rhs, window_strides, MakePadding(base, window, window_strides, padding),
                       dimension_numbers, feature_group_count, batch_group_count, precision_config,
                       preferred_element_type);
  });
}

XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers, int64_t feature_group_count,
                  int64_t batch_group_count, const PrecisionConfig* precision_config,
                  std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ConvGeneral", [&]() -> absl::StatusOr<XlaOp> {
    return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers,
                              feature_group_count, batch_group_count, precision_config,
                              preferred_element_type);
  });
}

absl::StatusOr<ConvolutionAttributes> XlaBuilder::State::MakeConvolution(
    XlaOp lhs, XlaOp rhs, const ConvolutionArguments& arguments) const {
  XLA_ASSIGN_OR_RETURN(const Shape* lhs_shape, ShapeOf(lhs));
  XLA_ASSIGN_OR_RETURN(const Shape* rhs_shape, ShapeOf(rhs));
  const ConvolutionDimensionNumbers& numbers = arguments.numbers;
  XLA_RETURN_IF_ERROR(CheckRanks(*lhs_shape, *rhs_shape, numbers));
  XLA_ASSIGN_OR_RETURN(const Int64s sizes, SpatialSizes(*rhs_shape, "kernel_spatial_dimensions",
                                                        numbers.kernel_spatial_dimensions()));
  XLA_ASSIGN_OR_RETURN(WindowDims window, MakeWindow(sizes, arguments.strides, arguments.padding,
                                                     arguments.lhs_dilation, arguments.rhs_dilation,
                                                     arguments.window_reversal));
  XLA_ASSIGN_OR_RETURN(Precisions precision, PrecisionsOf(arguments.precision_config, 2));
  XLA_ASSIGN_OR_RETURN(ConvDims dim_labels, ToConvDims(numbers));
  return ConvolutionAttributes{.window = std::move(window),
                               .dim_labels = std::move(dim_labels),
                               .feature_group_count = arguments.feature_group_count,
                               .batch_group_count = arguments.batch_group_count,
                               .precision = std::move(precision)};
}

XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config,
                         std::optional<PrimitiveType> preferred_element_type,
                         std::optional<std::vector<bool>> window_reversal) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ConvGeneralDilated", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(
        ConvolutionAttributes attributes,
        builder->state().MakeConvolution(
            lhs, rhs,
            {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
             feature_group_count, batch_group_count, precision_config, window_reversal}));
    return builder->state().AddContraction(HloOpcode::kConvolution, {lhs, rhs},
                                           std::move(attributes), preferred_element_type);
  });
}

// --- Padding by sizes at run time

absl::StatusOr<XlaOp> XlaBuilder::State::AddDynamicConvolution(
    const char* target, absl::Span<const XlaOp> operands, XlaOp lhs, XlaOp rhs,
    const ConvolutionArguments& arguments, PaddingType padding_type,
    std::optional<PrimitiveType> preferred_element_type, bool static_result) {
  XLA_ASSIGN_OR_RETURN(ConvolutionAttributes convolution, MakeConvolution(lhs, rhs, arguments));
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf({lhs, rhs}));
  const Attributes inferred_from = convolution;
  XLA_ASSIGN_OR_RETURN(Shape result, InferShape({.opcode = HloOpcode::kConvolution,
                                                 .operands = shapes,
                                                 .attributes = inferred_from,
                                                 .callees = {}}));
  if (preferred_element_type.has_value()) {
    XLA_RETURN_IF_ERROR(CheckArrayAndType(result, *preferred_element_type));
    result = ShapeUtil::ChangeElementType(result, *preferred_element_type);
  }
  if (static_result) result = ShapeUtil::MakeStaticShape(result);
  CustomCallAttributes attributes;
  attributes.window = std::move(convolution.window);
  attributes.dim_labels = std::move(convolution.dim_labels);
  attributes.feature_group_count = arguments.feature_group_count;
  attributes.batch_group_count = arguments.batch_group_count;
  attributes.padding_type = padding_type;
  attributes.precision = std::move(convolution.precision);
  attributes.custom_call_target = target;
  return Add(HloOpcode::kCustomCall, operands, std::move(attributes), &result);
}

XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DynamicConvForward", [&] {
    return builder->state().AddDynamicConvolution(
        "DynamicConvolutionForward", {lhs, rhs}, lhs, rhs,
        {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
         feature_group_count, batch_group_count, precision_config, std::nullopt},
        padding_type, preferred_element_type, /*static_result=*/false);
  });
}

XlaOp DynamicConvInputGrad(
    XlaOp input_sizes, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({input_sizes, lhs, rhs});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DynamicConvInputGrad", [&] {
    return builder->state().AddDynamicConvolution(
        "DynamicConvolutionInputGrad", {input_sizes, lhs, rhs}, lhs, rhs,
        {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
         feature_group_count, batch_group_count, precision_config, std::nullopt},
        padding_type, preferred_element_type, /*static_result=*/false);
  });
}

XlaOp DynamicConvKernelGrad(
    XlaOp activations, XlaOp gradients, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type) {
  XlaBuilder* builder = XlaBuilder::Of({activations, gradients});
  if (builder == nullptr) return XlaOp();
  return builder->Record("DynamicConvKernelGrad", [&] {
    // The gradient has the sizes of the kernel, which are static.
    return builder->state().AddDynamicConvolution(
        "DynamicConvolutionKernelGrad", {activations, gradients}, activations, gradients,
        {window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers,
         feature_group_count, batch_group_count, precision_config, std::nullopt},
        padding_type, preferred_element_type, /*static_result=*/true);
  });
}

}  // namespace xla
