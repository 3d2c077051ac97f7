// SPDX-License-Identifier: Apache-2.0
// A convolution as a product of patches and features, for the forms of convolution_forms.h.
#ifndef XLA_KERNELS_CONVOLUTION_CONVOLUTION_PROBLEM_H_
#define XLA_KERNELS_CONVOLUTION_CONVOLUTION_PROBLEM_H_

#include <cstdint>

#include "xla/base/dimension_vector.h"
#include "xla/kernels/convolution/convolution_kernel.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/product/geometry.h"
#include "xla/kernels/wide.h"

namespace xla::kernels {

// The convolution without its data, and the offsets in elements of the first tap of the kernel and
// of the first result in their buffers.
struct ConvolutionProblem {
  Convolution conv;
  DimensionVector tap_sizes, tap_strides;  // of the kernel's spatial dimensions
  int64_t kernel_feature_stride = 0;
  int64_t kernel_origin = 0, result_origin = 0;
  double kernel_scale = 1;
  KernelEpilogue epilogue;

  int64_t groups() const { return conv.result.batch.count(); }
  int64_t positions() const { return conv.result.rows.count(); }
  int64_t features() const { return conv.result.columns.count(); }
};

ConvolutionProblem MakeConvolutionProblem(const ConvolutionSpec& spec);

// Whether output coordinates are input coordinates.
bool IsPointwise(const SpatialDim& dim);

inline const void* KernelData(const ConvolutionProblem& problem, const KernelCall& call) {
  return static_cast<const char*>(call.buffers[1]) +
         problem.kernel_origin * problem.conv.kernel.element_bytes;
}

// Stores finished elements at offsets from the first of the result.
template <typename Wide>
void StoreElements(const ConvolutionProblem& problem, const KernelCall& call, WideStore<Wide> store,
                   int64_t offset, int64_t stride, int64_t count, const Wide* values) {
  offset += problem.result_origin;
  if (problem.epilogue.store == nullptr) {
    const int64_t bytes = problem.conv.result.element_bytes;
    store(values, count, static_cast<char*>(call.buffers[2]) + offset * bytes, stride);
  } else if (stride == 1) {
    problem.epilogue.store(call.buffers, offset, count, values);
  } else {
    for (int64_t i = 0; i < count; ++i)
      problem.epilogue.store(call.buffers, offset + i * stride, 1, values + i);
  }
}

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_CONVOLUTION_PROBLEM_H_
