// SPDX-License-Identifier: Apache-2.0
// Convolutions of f32 with contiguous features: products whose rows are read in place.
#ifndef XLA_KERNELS_PRODUCT_DIRECT_PRODUCT_H_
#define XLA_KERNELS_PRODUCT_DIRECT_PRODUCT_H_

#include <cstdint>
#include <memory>

#include "xla/kernels/forms.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/product/geometry.h"

namespace xla::kernels {

// The pointers of `convolution` are not used; kernel_origin and result_origin are the offsets of
// the first tap of the kernel and of the first result in their buffers, in elements.
struct DirectProductSpec {
  Convolution convolution;
  int64_t kernel_origin = 0, result_origin = 0;
  double kernel_scale = 1;
  int input_buffer = 0, kernel_buffer = 1;  // among the buffers of a call; the result is the third
  KernelEpilogue epilogue;                  // if any, in place
};

// Estimates the cost. kDoesNotFit for other types, and for convolutions with base dilation,
// features that are not contiguous, or long rows.
double DirectProductCost(const DirectProductSpec& spec);
// The spec must fit.
std::unique_ptr<const Kernel> MakeDirectProduct(DirectProductSpec spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_DIRECT_PRODUCT_H_
