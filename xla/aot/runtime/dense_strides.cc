// SPDX-License-Identifier: Apache-2.0
// The one function of layout_strides.cc that kernels call: the others need shapes, which the
// runtime has none of.
#include "xla/layout_strides.h"

namespace xla {

DimensionVector DenseStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size(), 1);
  for (size_t d = dimensions.size(); d-- > 1;) strides[d - 1] = strides[d] * dimensions[d];
  return strides;
}

}  // namespace xla
