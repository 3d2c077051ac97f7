// SPDX-License-Identifier: Apache-2.0
// Describes arrays for prepared kernels: a type, sizes, and strides.
#ifndef XLA_KERNELS_ARRAY_SPEC_H_
#define XLA_KERNELS_ARRAY_SPEC_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/base/dimension_vector.h"
#include "xla/kernels/strided_dims.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Element (i0, i1, ..) is at the sum of i * stride, in elements. Elements of fewer than 8 bits take
// a byte each.
struct ArraySpec {
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  DimensionVector dimensions, strides;

  // A dense array in the shape's layout, row-major if it has none. Tiles are not considered;
  // dynamic sizes count as their bounds.
  static ArraySpec FromShape(const Shape& shape) {
    ArraySpec spec;
    spec.type = shape.element_type();
    const int64_t rank = shape.rank();
    spec.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
    spec.strides.assign(rank, 1);
    int64_t stride = 1;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t d =
          shape.has_layout() ? shape.layout().minor_to_major(static_cast<int>(i)) : rank - 1 - i;
      spec.strides[d] = stride;
      stride *= spec.dimensions[d];
    }
    return spec;
  }

  int64_t element_bytes() const { return primitive_util::ByteWidth(type); }
  int64_t element_count() const {
    int64_t count = 1;
    for (const int64_t size : dimensions) count *= size;
    return count;
  }
  // Returns these dimensions, from major to minor, as one.
  StridedDims Select(absl::Span<const int64_t> selected) const {
    StridedDims dims;
    for (const int64_t d : selected) dims.Append(dimensions[d], strides[d]);
    return dims;
  }
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_ARRAY_SPEC_H_
