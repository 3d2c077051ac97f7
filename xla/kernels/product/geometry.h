// SPDX-License-Identifier: Apache-2.0
// The arrays of a convolution, as strides.
#ifndef XLA_KERNELS_PRODUCT_GEOMETRY_H_
#define XLA_KERNELS_PRODUCT_GEOMETRY_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// One spatial dimension: the input coordinate under tap t at output coordinate o is
// (o * stride - padding_low + t * window_dilation) / base_dilation. Where that is not an integer in
// [0, input_size), the tap meets padding, which is zero.
struct SpatialDim {
  int64_t output_size, taps;
  int64_t stride, padding_low, window_dilation, base_dilation;
  int64_t input_size, input_stride;
};

// The input: [group, batch, spatial.., feature] with any strides, in elements. The patch at a
// position (batch, output spatial..) has the elements (tap.., feature), in row-major order.
struct Patches {
  PrimitiveType type;
  const char* data;
  int64_t element_bytes;
  int64_t group_stride;
  int64_t batch_size, batch_stride;
  int64_t features, feature_stride;
  absl::InlinedVector<SpatialDim, 3> dims;

  // Output positions, and elements of a patch.
  int64_t positions() const;
  int64_t depth() const;
};

struct Convolution {
  Patches patches;
  MatrixView kernel;  // (group, output feature, element of the patch); reversed by negative strides
  ResultView result;  // (group, position, output feature)
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_GEOMETRY_H_
