// SPDX-License-Identifier: Apache-2.0
// Free functions: reductions, contractions, linear algebra, random numbers.
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// --- Reductions
XlaOp Reduce(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  return builder == nullptr
             ? XlaOp()
             : builder->Reduce(operand, init_value, computation, dimensions_to_reduce, site);
}

XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce, CallSite site) {
  return builder->Reduce(operands, init_values, computation, dimensions_to_reduce, site);
}

XlaOp ReduceAll(XlaOp operand, XlaOp init_value, XlaComputationRef computation, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  return builder == nullptr ? XlaOp() : builder->ReduceAll(operand, init_value, computation, site);
}

XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           XlaComputationRef computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size, bool is_reverse, TriState is_associative,
           CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(inputs.empty() ? inits : inputs);
  return builder == nullptr ? XlaOp()
                            : builder->Scan(inputs, inits, computation, scan_dimension,
                                            scan_dimension_size, is_reverse, is_associative, site);
}

XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, XlaComputationRef computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands,
          CallSite site) {
  return builder->Map(operands, computation, dimensions, static_operands, site);
}

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                   absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  return builder == nullptr
             ? XlaOp()
             : builder->ReduceWindow(operand, init_value, computation, window_dimensions,
                                     window_strides, padding, site);
}

XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                   XlaComputationRef computation, absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr
             ? XlaOp()
             : builder->ReduceWindow(operands, init_values, computation, window_dimensions,
                                     window_strides, padding, site);
}

XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding,
                                     CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  return builder == nullptr ? XlaOp()
                            : builder->ReduceWindowWithGeneralPadding(
                                  operand, init_value, computation, window_dimensions,
                                  window_strides, base_dilations, window_dilations, padding, site);
}

XlaOp ReduceWindowWithGeneralPadding(
    absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
    XlaComputationRef computation, absl::Span<const int64_t> window_dimensions,
    absl::Span<const int64_t> window_strides, absl::Span<const int64_t> base_dilations,
    absl::Span<const int64_t> window_dilations,
    absl::Span<const std::pair<int64_t, int64_t>> padding, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->ReduceWindowWithGeneralPadding(
                                  operands, init_values, computation, window_dimensions,
                                  window_strides, base_dilations, window_dilations, padding, site);
}

XlaOp SelectAndScatter(XlaOp operand, XlaComputationRef select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, XlaComputationRef scatter, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, source, init_value});
  return builder == nullptr
             ? XlaOp()
             : builder->SelectAndScatter(operand, select, window_dimensions, window_strides,
                                         padding, source, init_value, scatter, site);
}

XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, XlaComputationRef select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value, XlaComputationRef scatter,
                                         CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, source, init_value});
  return builder == nullptr ? XlaOp()
                            : builder->SelectAndScatterWithGeneralPadding(
                                  operand, select, window_dimensions, window_strides, padding,
                                  source, init_value, scatter, site);
}

XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                        int64_t feature_index, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, scale, offset});
  return builder == nullptr
             ? XlaOp()
             : builder->BatchNormTraining(operand, scale, offset, epsilon, feature_index, site);
}

XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, int64_t feature_index, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, scale, offset, mean, variance});
  return builder == nullptr ? XlaOp()
                            : builder->BatchNormInference(operand, scale, offset, mean, variance,
                                                          epsilon, feature_index, site);
}

XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, int64_t feature_index, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, scale, batch_mean, batch_var, grad_output});
  return builder == nullptr ? XlaOp()
                            : builder->BatchNormGrad(operand, scale, batch_mean, batch_var,
                                                     grad_output, epsilon, feature_index, site);
}

// --- Contractions
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config,
          std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->Dot(lhs, rhs, precision_config, preferred_element_type, site);
}

XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config,
                 std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp()
                            : builder->DotGeneral(lhs, rhs, dimension_numbers, precision_config,
                                                  preferred_element_type, site);
}

XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs, lhs_scale, rhs_scale});
  return builder == nullptr ? XlaOp()
                            : builder->ScaledDot(lhs, rhs, lhs_scale, rhs_scale, dimension_numbers,
                                                 precision_config, preferred_element_type, site);
}

XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config,
                std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs, group_sizes});
  return builder == nullptr ? XlaOp()
                            : builder->RaggedDot(lhs, rhs, group_sizes, dimension_numbers,
                                                 precision_config, preferred_element_type, site);
}

// --- Convolutions
XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
           int64_t feature_group_count, int64_t batch_group_count,
           const PrecisionConfig* precision_config,
           std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->Conv(lhs, rhs, window_strides, padding, feature_group_count,
                             batch_group_count, precision_config, preferred_element_type, site);
}

XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const PrecisionConfig* precision_config,
                             std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->ConvWithGeneralPadding(lhs, rhs, window_strides, padding,
                                               feature_group_count, batch_group_count,
                                               precision_config, preferred_element_type, site);
}

XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                int64_t feature_group_count, int64_t batch_group_count,
                                const PrecisionConfig* precision_config,
                                std::optional<PrimitiveType> preferred_element_type,
                                CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->ConvWithGeneralDimensions(
                   lhs, rhs, window_strides, padding, dimension_numbers, feature_group_count,
                   batch_group_count, precision_config, preferred_element_type, site);
}

XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers, int64_t feature_group_count,
                  int64_t batch_group_count, const PrecisionConfig* precision_config,
                  std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->ConvGeneral(lhs, rhs, window_strides, padding, dimension_numbers,
                                    feature_group_count, batch_group_count, precision_config,
                                    preferred_element_type, site);
}

XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config,
                         std::optional<PrimitiveType> preferred_element_type,
                         std::optional<std::vector<bool>> window_reversal, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp()
                            : builder->ConvGeneralDilated(
                                  lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                                  dimension_numbers, feature_group_count, batch_group_count,
                                  precision_config, preferred_element_type, window_reversal, site);
}

XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp()
                            : builder->DynamicConvForward(
                                  lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                                  dimension_numbers, feature_group_count, batch_group_count,
                                  precision_config, padding_type, preferred_element_type, site);
}

XlaOp DynamicConvInputGrad(
    XlaOp input_sizes, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({input_sizes, lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->DynamicConvInputGrad(
                   input_sizes, lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                   dimension_numbers, feature_group_count, batch_group_count, precision_config,
                   padding_type, preferred_element_type, site);
}

XlaOp DynamicConvKernelGrad(
    XlaOp activations, XlaOp gradients, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({activations, gradients});
  return builder == nullptr
             ? XlaOp()
             : builder->DynamicConvKernelGrad(
                   activations, gradients, window_strides, padding, lhs_dilation, rhs_dilation,
                   dimension_numbers, feature_group_count, batch_group_count, precision_config,
                   padding_type, preferred_element_type, site);
}

// --- Linear algebra
XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Fft(operand, fft_type, fft_length, site);
}

XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TriangularSolveOptions::Transpose transpose_a, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({a, b});
  return builder == nullptr
             ? XlaOp()
             : builder->TriangularSolve(a, b, left_side, lower, unit_diagonal, transpose_a, site);
}

XlaOp Cholesky(XlaOp a, bool lower, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({a});
  return builder == nullptr ? XlaOp() : builder->Cholesky(a, lower, site);
}

// --- Random numbers
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({mu, sigma});
  return builder == nullptr ? XlaOp() : builder->RngNormal(mu, sigma, shape, site);
}

XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({a, b});
  return builder == nullptr ? XlaOp() : builder->RngUniform(a, b, shape, site);
}

XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({initial_state});
  return builder == nullptr ? XlaOp()
                            : builder->RngBitGenerator(algorithm, initial_state, shape, site);
}

}  // namespace xla
