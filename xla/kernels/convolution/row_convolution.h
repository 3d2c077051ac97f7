// SPDX-License-Identifier: Apache-2.0
// Convolutions of f32 and f64 whose rows of positions are contiguous: channels first, or few
// channels.
#ifndef XLA_KERNELS_CONVOLUTION_ROW_CONVOLUTION_H_
#define XLA_KERNELS_CONVOLUTION_ROW_CONVOLUTION_H_

#include <memory>

#include "xla/kernels/kernel.h"
#include "xla/kernels/product/direct_product.h"

namespace xla::kernels {

// Estimates the cost for float or double. kDoesNotFit for other types, and for convolutions with
// strides or base dilation, with contiguous features (unless these are few channels with kernels of
// their own), or with very many taps.
template <typename T>
double RowConvolutionCost(const DirectProductSpec& spec);
// The spec must fit.
template <typename T>
std::unique_ptr<const Kernel> MakeRowConvolution(DirectProductSpec spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_ROW_CONVOLUTION_H_
