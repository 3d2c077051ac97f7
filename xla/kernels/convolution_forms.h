// SPDX-License-Identifier: Apache-2.0
// Convolutions that are computed by other kernels as a whole. Each is null where that is not so.
#ifndef XLA_KERNELS_CONVOLUTION_FORMS_H_
#define XLA_KERNELS_CONVOLUTION_FORMS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla/kernels/convolution_kernel.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// Of a dilated input: the output positions that meet the same taps are a convolution of an input
// that is not dilated.
absl::StatusOr<std::unique_ptr<const Kernel>> MakePhasedConvolution(const ConvolutionSpec& spec);

// Of windows of one element for few features: the product that it is.
absl::StatusOr<std::unique_ptr<const Kernel>> MakeNarrowConvolution(const ConvolutionSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_FORMS_H_
