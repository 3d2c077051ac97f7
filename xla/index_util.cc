// SPDX-License-Identifier: Apache-2.0
// From multidimensional to linear indices and back.
#include "xla/index_util.h"

#include <algorithm>

#include "xla/base/check.h"
#include "xla/layout_util.h"

namespace xla {
namespace {

// Calls visit(dimension, width) from the most minor dimension to the most major.
template <typename Visitor>
void ForEachDimensionFromMinor(const Shape& shape, Visitor visit) {
  if (!shape.has_layout()) {
    for (int64_t d = shape.rank() - 1; d >= 0; --d) visit(d, shape.dimensions(d));
    return;
  }
  const Layout& layout = shape.layout();
  const absl::Span<const int64_t> widths =
      layout.has_padding() ? layout.padded_dimensions() : shape.dimensions();
  for (const int64_t d : layout.minor_to_major()) visit(d, widths[d]);
}

// The strides of an array without elements may overflow and wrap; no element is ever accessed.
int64_t WrappingMultiply(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

}  // namespace

int64_t IndexUtil::MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                      absl::Span<const int64_t> index) {
  XLA_DCHECK(IndexInBounds(shape, index));
  int64_t linear = 0;
  int64_t stride = 1;
  ForEachDimensionFromMinor(shape, [&](int64_t dimension, int64_t width) {
    linear += index[dimension] * stride;
    stride = WrappingMultiply(stride, width);
  });
  return linear;
}

int64_t IndexUtil::MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                      absl::Span<const int64_t> minor_to_major,
                                                      absl::Span<const int64_t> index) {
  XLA_DCHECK(IndexInBounds(shape, index));
  int64_t linear = 0;
  int64_t stride = 1;
  for (const int64_t dimension : minor_to_major) {
    linear += index[dimension] * stride;
    stride = WrappingMultiply(stride, shape.dimensions(dimension));
  }
  return linear;
}

DimensionVector IndexUtil::LinearIndexToMultidimensionalIndex(const Shape& shape,
                                                              int64_t linear_index) {
  DimensionVector index(shape.rank());
  ForEachDimensionFromMinor(shape, [&](int64_t dimension, int64_t width) {
    XLA_DCHECK(width > 0);
    index[dimension] = linear_index % width;
    linear_index /= width;
  });
  XLA_DCHECK(linear_index == 0);
  return index;
}

DimensionVector IndexUtil::DimensionStrides(const Shape& shape) {
  DimensionVector strides(shape.rank());
  int64_t stride = 1;
  ForEachDimensionFromMinor(shape, [&](int64_t dimension, int64_t width) {
    strides[dimension] = stride;
    stride = WrappingMultiply(stride, width);
  });
  return strides;
}

int64_t IndexUtil::GetDimensionStride(const Shape& shape, int64_t dimension) {
  return DimensionStrides(shape)[dimension];
}

bool IndexUtil::BumpIndices(const Shape& shape, absl::Span<int64_t> indices) {
  for (int64_t d = static_cast<int64_t>(indices.size()) - 1; d >= 0; --d) {
    if (++indices[d] < shape.dimensions(d)) return true;
    indices[d] = 0;
  }
  return false;
}

bool IndexUtil::IndexInBounds(const Shape& shape, absl::Span<const int64_t> index) {
  if (static_cast<int64_t>(index.size()) != shape.rank()) return false;
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape.dimensions(d)) return false;
  }
  return true;
}

int IndexUtil::CompareIndices(absl::Span<const int64_t> lhs, absl::Span<const int64_t> rhs) {
  const size_t common = std::min(lhs.size(), rhs.size());
  for (size_t i = 0; i < common; ++i) {
    if (lhs[i] != rhs[i]) return lhs[i] < rhs[i] ? -1 : 1;
  }
  if (lhs.size() == rhs.size()) return 0;
  return lhs.size() < rhs.size() ? -1 : 1;
}

}  // namespace xla
