// SPDX-License-Identifier: Apache-2.0
// Strides of arrays in memory.
#ifndef XLA_LAYOUT_STRIDES_H_
#define XLA_LAYOUT_STRIDES_H_

#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

// In elements, of a dense array in the order of its dimensions.
inline DimensionVector DenseStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size(), 1);
  for (size_t d = dimensions.size(); d-- > 1;) strides[d - 1] = strides[d] * dimensions[d];
  return strides;
}
// In elements, of an array in the order its layout gives it in memory, padded widths included;
// row-major when the shape has no layout.
DimensionVector StridesOfLayout(const Shape& shape);

}  // namespace xla

#endif  // XLA_LAYOUT_STRIDES_H_
