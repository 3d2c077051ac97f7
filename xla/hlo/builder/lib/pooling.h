// SPDX-License-Identifier: Apache-2.0
// Maxima and means over windows of images, and the gradient of the mean.
#ifndef XLA_HLO_BUILDER_LIB_POOLING_H_
#define XLA_HLO_BUILDER_LIB_POOLING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Which dimension of an image is which.
class TensorFormat {
 public:
  TensorFormat(int batch_dimension, int feature_dimension,
               absl::Span<const int64_t> spatial_dimensions)
      : batch_dimension_(batch_dimension),
        feature_dimension_(feature_dimension),
        spatial_dimensions_(spatial_dimensions.begin(), spatial_dimensions.end()) {}

  int batch_dimension() const { return batch_dimension_; }
  int feature_dimension() const { return feature_dimension_; }
  int spatial_dimension(int dim) const {
    return static_cast<int>(spatial_dimensions_[static_cast<size_t>(dim)]);
  }
  int num_spatial_dims() const { return static_cast<int>(spatial_dimensions_.size()); }

 private:
  int batch_dimension_, feature_dimension_;
  std::vector<int64_t> spatial_dimensions_;
};

// kernel_size and stride have an entry for each dimension of the operand, `padding` one for each
// spatial dimension.
XlaOp MaxPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride, Padding padding, const TensorFormat& data_format);
// Of the elements under the window, or of the whole window if counts_include_padding.
XlaOp AvgPool(XlaOp operand, absl::Span<const int64_t> kernel_size,
              absl::Span<const int64_t> stride,
              absl::Span<const std::pair<int64_t, int64_t>> padding,
              const TensorFormat& data_format, bool counts_include_padding);
// The padding of a scheme in the spatial dimensions; nothing if the arguments do not fit.
std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(absl::Span<const int64_t> input_size,
                                                            absl::Span<const int64_t> kernel_size,
                                                            absl::Span<const int64_t> stride,
                                                            Padding padding,
                                                            const TensorFormat& data_format);
// The gradient of AvgPool by its operand, of sizes gradients_size.
XlaOp AvgPoolGrad(XlaOp out_backprop, absl::Span<const int64_t> gradients_size,
                  absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
                  absl::Span<const std::pair<int64_t, int64_t>> spatial_padding,
                  const TensorFormat& data_format, bool counts_include_padding);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_POOLING_H_
