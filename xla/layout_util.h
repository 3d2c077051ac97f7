// SPDX-License-Identifier: Apache-2.0
// Functions on layouts: construction, comparison, validation, and positions of elements in memory.
//
//   Layout layout = LayoutUtil::MakeLayout({0, 1});            // column-major
//   shape = LayoutUtil::GetWithDefaultLayout(shape);           // row-major
//
// Source: the shapes and layout document (xla/docs/shapes.md) and the tiled layout document
// (xla/docs/tiled_layout.md).
#ifndef XLA_LAYOUT_UTIL_H_
#define XLA_LAYOUT_UTIL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/layout.h"
#include "xla/shape.h"

namespace xla {

class LayoutUtil {
 public:
  LayoutUtil() = delete;

  // ---- Construction ----

  static Layout MakeLayout(absl::Span<const int64_t> minor_to_major,
                           absl::Span<const Tile> tiles = {},
                           int64_t tail_padding_alignment_in_elements = 1,
                           PrimitiveType index_primitive_type = PRIMITIVE_TYPE_INVALID,
                           PrimitiveType pointer_primitive_type = PRIMITIVE_TYPE_INVALID,
                           int64_t element_size_in_bits = 0, int64_t memory_space = 0,
                           absl::Span<const SplitConfig> split_configs = {},
                           std::optional<Shape> physical_shape = std::nullopt,
                           int64_t dynamic_shape_metadata_prefix_bytes = 0);
  // Padded to these widths, one for each dimension; see Layout::padded_dimensions.
  static Layout MakePaddedLayout(absl::Span<const int64_t> minor_to_major,
                                 absl::Span<const int64_t> padded_dimensions,
                                 PaddingValue padding_value = INVALID_PAD);
  static Layout MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor);
  // {n-1, ..., 0}: row-major.
  static Layout MakeDescendingLayout(int64_t rank);
  // {0, ..., n-1}: column-major.
  static Layout MakeAscendingLayout(int64_t rank);

  // The layout of a new shape: descending for arrays, empty for tokens and opaque values.
  // Precondition: not a tuple.
  static Layout GetDefaultLayoutForShape(const Shape& shape);
  static Layout GetDefaultLayoutForRank(int64_t rank);
  static Layout GetDefaultLayoutForR2();
  static Layout GetDefaultLayoutForR3();
  static Layout GetDefaultLayoutForR4();

  // Sets the layout of every array leaf to the default one (no tiles, padding or memory space).
  static void SetToDefaultLayout(Shape* shape);
  static void SetToDefaultLayout(ProgramShape* program_shape);
  static Shape GetWithDefaultLayout(const Shape& shape);

  static void ClearLayout(Shape* shape);
  static void ClearLayout(ProgramShape* program_shape);
  static void ClearTiles(Shape* shape);

  // ---- Validation ----

  // Checks that the layout of every array leaf is valid for it. Errors name the invalid entry and
  // print the shape.
  static absl::Status ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts = false);
  // Checks: minor_to_major is a permutation of the dimensions; padded_dimensions has one width for
  // each dimension, none below its size; tile sizes are positive; split configs name a dimension
  // and ascend; element size, alignment and prefix are in range; index and pointer types are
  // unsigned integers; no physical shape (dense arrays have none); the padded and tiled size fits
  // an int64.
  static absl::Status ValidateLayoutForShape(const Layout& layout, const Shape& shape);

  // ---- Queries ----

  // True for all arrays: sparse layouts are not represented.
  static bool IsDenseArray(const Shape& shape) { return shape.IsArray(); }
  static bool IsDense(const Layout&) { return true; }
  // Dimension 0 is the most minor, and the rest follow in order. True for ranks 0 and 1.
  static bool IsMonotonicWithDim0Minor(const Layout& layout);
  // Dimension 0 is the most major, as in the default layout. True for ranks 0 and 1.
  static bool IsMonotonicWithDim0Major(const Layout& layout);
  // Whether elements are stored in row-major order without padding or tiles, each in the element
  // type's own size, as in a C array. Shapes without a layout are treated as default.
  static bool IsDefaultDense(const Shape& shape);
  // Whether all array leaves have layouts.
  static bool HasLayout(const Shape& shape);
  static bool HasLayout(const ProgramShape& program_shape);
  static bool HasAnyLayout(const Shape& shape);
  static bool Equal(const Layout& lhs, const Layout& rhs) { return lhs == rhs; }

  // Precondition: an array with a layout.
  static absl::Span<const int64_t> MinorToMajor(const Shape& shape);
  static absl::Span<const int64_t> MinorToMajor(const Layout& layout) {
    return layout.minor_to_major();
  }
  // Major(0) is the number of the most major dimension, Minor(0) that of the most minor.
  static int64_t Major(const Layout& layout, int64_t physical_dimension);
  static int64_t Minor(const Layout& layout, int64_t physical_dimension);
  // v with v[Major(p)] == p: the physical position of each dimension, 0 being the most major.
  static std::vector<int64_t> MakeLogicalToPhysical(const Layout& layout);

  static std::string HumanString(const Layout& layout) { return layout.ToString(); }
  // The layout's memory space; Layout::kDefaultMemorySpace without a layout.
  static int64_t MemorySpace(const Shape& shape);

  // Copies the layouts of `src` to `dst`. Returns an error unless tuple structure and ranks are
  // equal.
  static absl::Status CopyLayoutBetweenShapes(const Shape& src, Shape* dst);
  // Whether tuple structure, ranks and layouts are equal. Element types and sizes are not compared.
  static bool LayoutsInShapesEqual(const Shape& lhs, const Shape& rhs,
                                   std::optional<Layout::Equal> equal = std::nullopt);
  // Whether the dimensions are adjacent in memory order, in any order among themselves.
  static bool AreDimensionsConsecutive(const Layout& layout, absl::Span<const int64_t> dimensions);
  static Layout MoveDimToMajor(const Layout& layout, int64_t dimension);
  static Layout MoveDimToMinor(const Layout& layout, int64_t dimension);
  // Whether an array leaf has an element size of its own.
  static bool HasCustomElementSizeInBits(const Shape& shape);
  // Whether these are the strides of an array in row-major order without gaps.
  static bool ByteStridesIsMajorToMinor(absl::Span<const int64_t> byte_strides,
                                        absl::Span<const int64_t> dimensions,
                                        PrimitiveType element_type);

  // ---- Elements in memory ----
  // A shape without a layout is treated as having the default layout.

  // The width of dimension i in memory: the padded one if the layout has padding, else the size
  // (of a dynamic dimension, the bound).
  static int64_t PhysicalWidth(const Shape& shape, int64_t dimension);

  // The size of the largest part into which the layout splits a dimension; the whole size if the
  // layout does not split it.
  static int64_t MaxSplitSize(const Shape& shape, int64_t dimension);
  // The product of these: the most elements that one part of the array has.
  static int64_t MaxElementsInPerSplit(const Shape& shape);

  // The number of elements in the buffer, including padding, tiles and tail alignment. Combined and
  // nested tiles are as in the tiled layout document. Returns the greatest int64 on overflow
  // (ValidateShape rejects such shapes) and for unbounded dimensions.
  static int64_t PhysicalElementCount(const Shape& shape);

  // The position of an element in the buffer, in elements, taking padding and all tiles into
  // account. Without tiles this is IndexUtil::MultidimensionalIndexToLinearIndex. Precondition: the
  // shape is valid and `indices` is within its sizes.
  static int64_t LinearIndex(const Shape& shape, absl::Span<const int64_t> indices);
  static int64_t LinearIndexForNestedTiling(const Shape& shape, absl::Span<const int64_t> indices) {
    return LinearIndex(shape, indices);
  }
  // Whether an array of these sizes has the same order in memory with the tiles as without: each
  // tile divides the sizes, and only the first dimension of a tile that is larger than 1 has
  // several. Precondition: the tiles are positive, of no more dimensions than what they apply to.
  static bool IsUntiledLayout(absl::Span<const Tile> tiles, absl::Span<const int64_t> sizes);

  // The reverse. The indices of a position that is padding lie beyond the sizes.
  static std::vector<int64_t> DelinearizeIndexForNestedTiling(const Shape& shape,
                                                              int64_t linear_index);
};

}  // namespace xla

#endif  // XLA_LAYOUT_UTIL_H_
