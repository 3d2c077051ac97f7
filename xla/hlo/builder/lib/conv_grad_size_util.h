// SPDX-License-Identifier: Apache-2.0
// Sizes and paddings of the convolution that is the gradient of another by its input.
#ifndef XLA_HLO_BUILDER_LIB_CONV_GRAD_SIZE_UTIL_H_
#define XLA_HLO_BUILDER_LIB_CONV_GRAD_SIZE_UTIL_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/hlo/builder/padding.h"

namespace xla {

struct SpatialDimensionOutputSizeAndPadding {
  int64_t output_size =
      0;  // of the gradient of the output with `stride` - 1 holes between elements
  int64_t pad_before = 0, pad_after = 0;  // what it needs for a convolution to the input's size
};

// For a convolution from input_size to output_size. Error: that does not give output_size.
absl::StatusOr<SpatialDimensionOutputSizeAndPadding> ConvGradExtractAndVerifyDimension(
    int64_t input_size, int64_t filter_size, int64_t output_size, int64_t dilation, int64_t stride,
    Padding padding);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_CONV_GRAD_SIZE_UTIL_H_
