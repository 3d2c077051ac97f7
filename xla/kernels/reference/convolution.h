// SPDX-License-Identifier: Apache-2.0
// Convolution of any number of spatial dimensions, as a product of matrices: a row of the left one
// is the patch of the input under the window at one output position, and is gathered only when its
// panel is packed. (Chetlur et al., cuDNN: efficient primitives for deep learning, 2014,
// section 3.)
#ifndef XLA_KERNELS_REFERENCE_CONVOLUTION_H_
#define XLA_KERNELS_REFERENCE_CONVOLUTION_H_

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/kernels/product/geometry.h"

namespace xla::kernels {

// result[group, position, feature] = sum over the patch of patch[k] * kernel[group, feature, k],
// computed in Wide as MultiplyMatrices does. Many groups of few features (depthwise convolutions)
// are summed in order of k.
template <typename Wide>
absl::Status Convolve(Context& context, const Convolution& convolution);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_REFERENCE_CONVOLUTION_H_
