// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/row_window.h"

#include <algorithm>
#include <cstddef>

#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::spmd {

bool IsFull(const SliceDim& slice, int64_t size) {
  return slice.start == 0 && slice.limit == size && slice.stride == 1;
}

int64_t ShardSize(const Shape& full, int64_t dimension, int64_t count) {
  return CeilOfRatio(full.dimensions(static_cast<int>(dimension)), count);
}

RowRange RangeOf(const RowWindow& window, const Shape& operand, const Shape& result,
                 const ShardLayout& layout) {
  const int64_t count = layout.counts[static_cast<size_t>(window.dimension)];
  const int64_t rows = ShardSize(result, window.result_dimension, count);
  RowRange range;
  range.dimension = window.dimension;
  range.length = (rows - 1) * window.stride + window.size;
  range.limit = operand.dimensions(static_cast<int>(window.dimension));
  const int64_t results = result.dimensions(static_cast<int>(window.result_dimension));
  for (int64_t q = 0; q < count; ++q) {
    const int64_t start = window.first + q * rows * window.stride;
    range.starts.push_back(start);
    // The padding of the result needs none.
    const int64_t own = std::clamp<int64_t>(results - q * rows, 0, rows);
    range.needed.emplace_back(start,
                              own == 0 ? start : start + (own - 1) * window.stride + window.size);
  }
  return range;
}

Shape ResultShardShape(const Shape& result, const ShardLayout& layout) {
  Shape shape = ShapeUtil::MakeShape(result.element_type(), result.dimensions());
  for (int d = 0; d < shape.rank(); ++d) {
    shape.set_dimensions(d, ShardSize(result, d, layout.counts[static_cast<size_t>(d)]));
  }
  return shape;
}

}  // namespace xla::spmd
