// SPDX-License-Identifier: Apache-2.0
// Convolution as a prepared kernel: any number of spatial dimensions, strides, dilations, groups,
// layouts and element types.
#ifndef XLA_KERNELS_CONVOLUTION_CONVOLUTION_KERNEL_H_
#define XLA_KERNELS_CONVOLUTION_CONVOLUTION_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla/kernels/array_spec.h"
#include "xla/kernels/forms.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// The attributes of HLO's convolution. Padding at the high end follows from the result's size.
struct ConvolutionSpec {
  struct Spatial {
    int64_t input_dimension, kernel_dimension, result_dimension;
    int64_t stride = 1, padding_low = 0, window_dilation = 1, base_dilation = 1;
    bool reversal = false;
  };
  // A dimension of output features before those of the kernel and of the result.
  struct OuterFeatures {
    int64_t size, kernel_stride, result_stride;
  };

  ArraySpec input, kernel, result;
  int64_t input_batch, input_feature;
  int64_t kernel_input_feature, kernel_output_feature;
  int64_t result_batch, result_feature;
  absl::InlinedVector<Spatial, 3> spatial;
  absl::InlinedVector<OuterFeatures, 3> outer_features;
  int64_t feature_group_count = 1, batch_group_count = 1;
  // The offsets of the first elements of the kernel and of the result in their buffers, in
  // elements.
  int64_t kernel_origin = 0, result_origin = 0;
  // A factor by which all elements of the kernel are multiplied, and rounded, as they are read. For
  // f32 and f64 kernels only.
  double kernel_scale = 1;
  // With an epilogue, the result must be dense, in any layout.
  KernelEpilogue epilogue;
  // The name of the form to use; if empty, the cheapest. For tests and measurements.
  std::string form;
};

// Returns the forms that can compute the convolution, with their costs; MakeConvolutionKernel uses
// the cheapest.
std::vector<FormCost> ConvolutionForms(const ConvolutionSpec& spec);

// Buffers of a call: input, kernel, result. Types as for MakeDotKernel.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeConvolutionKernel(const ConvolutionSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_CONVOLUTION_KERNEL_H_
