// SPDX-License-Identifier: Apache-2.0
// dot and convolution as prepared kernels.
#include "xla/cpu/library_calls.h"
#include "xla/kernels/convolution_kernel.h"
#include "xla/kernels/dot_kernel.h"

namespace xla::cpu {
namespace {

DimensionVector ToVector(const std::vector<int64_t>& dimensions) {
  return DimensionVector(dimensions.begin(), dimensions.end());
}

// Dense and row-major, as all arrays of a compiled program are.
kernels::ArraySpec RowMajor(const Shape& shape) {
  return kernels::ArraySpec::FromShape(Shape(shape.element_type(), shape.dimensions()));
}

absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakeDot(const HloInstruction& dot) {
  const auto& attributes = dot.attributes<DotAttributes>();
  kernels::DotSpec spec;
  spec.lhs = RowMajor(dot.operand(0)->shape());
  spec.rhs = RowMajor(dot.operand(1)->shape());
  spec.result = RowMajor(dot.shape());
  spec.lhs_batch = ToVector(attributes.lhs_batch_dims);
  spec.lhs_contracting = ToVector(attributes.lhs_contracting_dims);
  spec.rhs_batch = ToVector(attributes.rhs_batch_dims);
  spec.rhs_contracting = ToVector(attributes.rhs_contracting_dims);
  return kernels::MakeDotKernel(spec);
}

absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakeConvolution(
    const HloInstruction& convolution) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  kernels::ConvolutionSpec spec;
  spec.input = RowMajor(convolution.operand(0)->shape());
  spec.kernel = RowMajor(convolution.operand(1)->shape());
  spec.result = RowMajor(convolution.shape());
  spec.input_batch = labels.input_batch;
  spec.input_feature = labels.input_feature;
  spec.kernel_input_feature = labels.kernel_input_feature;
  spec.kernel_output_feature = labels.kernel_output_feature;
  spec.result_batch = labels.output_batch;
  spec.result_feature = labels.output_feature;
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    kernels::ConvolutionSpec::Spatial spatial;
    spatial.input_dimension = labels.input_spatial[d];
    spatial.kernel_dimension = labels.kernel_spatial[d];
    spatial.result_dimension = labels.output_spatial[d];
    spatial.stride = window.stride;
    spatial.padding_low = window.padding_low;
    spatial.window_dilation = window.window_dilation;
    spatial.base_dilation = window.base_dilation;
    spatial.reversal = window.window_reversal;
    spec.spatial.push_back(spatial);
  }
  spec.feature_group_count = attributes.feature_group_count;
  spec.batch_group_count = attributes.batch_group_count;
  return kernels::MakeConvolutionKernel(spec);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakePreparedKernel(
    const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
      return MakeDot(instruction);
    case HloOpcode::kConvolution:
      return MakeConvolution(instruction);
    default:
      return nullptr;
  }
}

}  // namespace xla::cpu
