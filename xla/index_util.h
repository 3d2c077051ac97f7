// SPDX-License-Identifier: Apache-2.0
// From multidimensional to linear indices and back, under a shape's layout.
//
//   Shape shape = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
//   IndexUtil::MultidimensionalIndexToLinearIndex(shape, {1, 2});    // 5
//
// A multidimensional index holds one int64 for each dimension, in order of dimension number. A
// linear index counts elements in the buffer, padding included. Tiles are ignored (literals
// store their elements untiled); LayoutUtil::LinearIndex takes them into account. A shape without a
// layout is treated as row-major.
//
// Source: "Indexing into arrays" in the shapes and layout document (xla/docs/shapes.md).
#ifndef XLA_INDEX_UTIL_H_
#define XLA_INDEX_UTIL_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla {

class IndexUtil {
 public:
  IndexUtil() = delete;

  // Precondition: IndexInBounds(shape, index).
  static int64_t MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                    absl::Span<const int64_t> index);
  // The same for explicit order (a permutation, most minor first).
  static int64_t MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                    absl::Span<const int64_t> minor_to_major,
                                                    absl::Span<const int64_t> index);

  // The reverse. Under a padded layout the linear index of a padding element gives an index outside
  // the sizes, but inside the padded widths. Precondition: the shape has elements,
  // 0 <= linear_index < the number of elements with padding.
  static DimensionVector LinearIndexToMultidimensionalIndex(const Shape& shape,
                                                            int64_t linear_index);

  // The distance in the buffer, in elements, between neighbors along each dimension.
  static DimensionVector DimensionStrides(const Shape& shape);
  static int64_t GetDimensionStride(const Shape& shape, int64_t dimension);

  // Advances to the next index, the last dimension fastest: {0,2} => {1,0} in f32[2,3]. After the
  // last index, resets all to 0 and returns false; returns false for a scalar.
  static bool BumpIndices(const Shape& shape, absl::Span<int64_t> indices);

  // Whether there is one index for each dimension, each in [0, size).
  static bool IndexInBounds(const Shape& shape, absl::Span<const int64_t> index);

  // Compares in lexicographic order: negative, 0 or positive as lhs is before, equal to or after
  // rhs.
  static int CompareIndices(absl::Span<const int64_t> lhs, absl::Span<const int64_t> rhs);
};

}  // namespace xla

#endif  // XLA_INDEX_UTIL_H_
