// SPDX-License-Identifier: Apache-2.0
#include "xla/layout_strides.h"

namespace xla {

DimensionVector StridesOfLayout(const Shape& shape) {
  if (!shape.has_layout() || shape.layout().minor_to_major().size() != shape.dimensions().size()) {
    return DenseStrides(shape.dimensions());
  }
  const Layout& layout = shape.layout();
  DimensionVector strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (const int64_t dimension : layout.minor_to_major()) {
    strides[static_cast<size_t>(dimension)] = stride;
    const int i = static_cast<int>(dimension);
    stride *= layout.has_padding() ? layout.padded_dimensions(i) : shape.dimensions(i);
  }
  return strides;
}

}  // namespace xla
