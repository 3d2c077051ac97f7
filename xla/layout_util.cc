// SPDX-License-Identifier: Apache-2.0
// Functions on layouts: construction, queries, and positions of elements in memory.
#include "xla/layout_util.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {

// ---- Construction ----

Layout LayoutUtil::MakeLayout(absl::Span<const int64_t> minor_to_major,
                              absl::Span<const Tile> tiles,
                              int64_t tail_padding_alignment_in_elements,
                              PrimitiveType index_primitive_type,
                              PrimitiveType pointer_primitive_type, int64_t element_size_in_bits,
                              int64_t memory_space, absl::Span<const SplitConfig> split_configs,
                              std::optional<Shape> physical_shape,
                              int64_t dynamic_shape_metadata_prefix_bytes) {
  Layout layout(minor_to_major, tiles, element_size_in_bits);
  layout.set_tail_padding_alignment_in_elements(tail_padding_alignment_in_elements)
      .set_index_primitive_type(index_primitive_type)
      .set_pointer_primitive_type(pointer_primitive_type)
      .set_memory_space(memory_space)
      .set_dynamic_shape_metadata_prefix_bytes(dynamic_shape_metadata_prefix_bytes);
  for (const SplitConfig& config : split_configs) layout.add_split_configs(config);
  if (physical_shape.has_value()) *layout.mutable_physical_shape() = *std::move(physical_shape);
  return layout;
}

Layout LayoutUtil::MakePaddedLayout(absl::Span<const int64_t> minor_to_major,
                                    absl::Span<const int64_t> padded_dimensions,
                                    PaddingValue padding_value) {
  Layout layout(minor_to_major);
  layout.set_padded_dimensions(padded_dimensions).set_padding_value(padding_value);
  return layout;
}

Layout LayoutUtil::MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor) {
  Layout layout(major_to_minor);
  std::reverse(layout.mutable_minor_to_major()->begin(), layout.mutable_minor_to_major()->end());
  return layout;
}

Layout LayoutUtil::MakeDescendingLayout(int64_t rank) {
  Layout layout;
  DimensionVector& order = *layout.mutable_minor_to_major();
  order.resize(rank);
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  return layout;
}

Layout LayoutUtil::MakeAscendingLayout(int64_t rank) {
  Layout layout;
  DimensionVector& order = *layout.mutable_minor_to_major();
  order.resize(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  return layout;
}

Layout LayoutUtil::GetDefaultLayoutForShape(const Shape& shape) {
  XLA_CHECK(!shape.IsTuple()) << "a tuple has no layout: " << shape;
  return MakeDescendingLayout(shape.rank());
}
Layout LayoutUtil::GetDefaultLayoutForRank(int64_t rank) { return MakeDescendingLayout(rank); }
Layout LayoutUtil::GetDefaultLayoutForR2() { return MakeDescendingLayout(2); }
Layout LayoutUtil::GetDefaultLayoutForR3() { return MakeDescendingLayout(3); }
Layout LayoutUtil::GetDefaultLayoutForR4() { return MakeDescendingLayout(4); }

void LayoutUtil::SetToDefaultLayout(Shape* shape) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes()) SetToDefaultLayout(&element);
  } else if (shape->IsArray()) {
    *shape->mutable_layout() = MakeDescendingLayout(shape->rank());
  }
}
void LayoutUtil::SetToDefaultLayout(ProgramShape* program_shape) {
  for (int i = 0; i < program_shape->parameters_size(); ++i) {
    SetToDefaultLayout(program_shape->mutable_parameters(i));
  }
  SetToDefaultLayout(program_shape->mutable_result());
}
Shape LayoutUtil::GetWithDefaultLayout(const Shape& shape) {
  Shape copy = shape;
  SetToDefaultLayout(&copy);
  return copy;
}

void LayoutUtil::ClearLayout(Shape* shape) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes()) ClearLayout(&element);
  }
  shape->clear_layout();
}
void LayoutUtil::ClearLayout(ProgramShape* program_shape) {
  for (int i = 0; i < program_shape->parameters_size(); ++i) {
    ClearLayout(program_shape->mutable_parameters(i));
  }
  ClearLayout(program_shape->mutable_result());
}
void LayoutUtil::ClearTiles(Shape* shape) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes()) ClearTiles(&element);
  } else if (shape->has_layout()) {
    shape->mutable_layout()->clear_tiles();
  }
}

// ---- Queries ----

bool LayoutUtil::IsMonotonicWithDim0Minor(const Layout& layout) {
  return std::is_sorted(layout.minor_to_major().begin(), layout.minor_to_major().end());
}
bool LayoutUtil::IsMonotonicWithDim0Major(const Layout& layout) {
  return std::is_sorted(layout.minor_to_major().rbegin(), layout.minor_to_major().rend());
}

bool LayoutUtil::IsDefaultDense(const Shape& shape) {
  if (!shape.IsArray()) return false;
  if (!shape.has_layout()) return true;
  const Layout& layout = shape.layout();
  if (!IsMonotonicWithDim0Major(layout)) return false;
  if (layout.IsPlain()) return true;
  const int64_t natural_bits = 8 * primitive_util::ByteWidth(shape.element_type());
  return !layout.has_tiles() && !layout.has_padding() &&
         layout.tail_padding_alignment_in_elements() == 1 && layout.split_configs().empty() &&
         (layout.element_size_in_bits() == 0 || layout.element_size_in_bits() == natural_bits);
}

bool LayoutUtil::HasLayout(const Shape& shape) {
  if (shape.IsTuple()) {
    return std::all_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                       [](const Shape& element) { return HasLayout(element); });
  }
  return !shape.IsArray() || shape.has_layout();
}
bool LayoutUtil::HasLayout(const ProgramShape& program_shape) {
  return HasLayout(program_shape.result()) &&
         std::all_of(program_shape.parameters().begin(), program_shape.parameters().end(),
                     [](const Shape& parameter) { return HasLayout(parameter); });
}
bool LayoutUtil::HasAnyLayout(const Shape& shape) {
  if (shape.IsTuple()) {
    return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                       [](const Shape& element) { return HasAnyLayout(element); });
  }
  return shape.has_layout();
}

absl::Span<const int64_t> LayoutUtil::MinorToMajor(const Shape& shape) {
  return shape.layout().minor_to_major();
}
int64_t LayoutUtil::Major(const Layout& layout, int64_t physical_dimension) {
  return layout.minor_to_major(layout.minor_to_major_size() - 1 -
                               static_cast<int>(physical_dimension));
}
int64_t LayoutUtil::Minor(const Layout& layout, int64_t physical_dimension) {
  return layout.minor_to_major(static_cast<int>(physical_dimension));
}
std::vector<int64_t> LayoutUtil::MakeLogicalToPhysical(const Layout& layout) {
  std::vector<int64_t> logical_to_physical(layout.minor_to_major_size());
  for (int p = 0; p < layout.minor_to_major_size(); ++p) {
    logical_to_physical[Major(layout, p)] = p;
  }
  return logical_to_physical;
}

int64_t LayoutUtil::MemorySpace(const Shape& shape) {
  return shape.has_layout() ? shape.layout().memory_space() : Layout::kDefaultMemorySpace;
}

absl::Status LayoutUtil::CopyLayoutBetweenShapes(const Shape& src, Shape* dst) {
  if (src.IsTuple() != dst->IsTuple() || src.tuple_shapes_size() != dst->tuple_shapes_size()) {
    return InvalidArgumentStrCat("cannot copy layout from shape: the tuple structures of ",
                                 src.ToString(), " and ", dst->ToString(), " differ");
  }
  if (src.IsTuple()) {
    for (int i = 0; i < src.tuple_shapes_size(); ++i) {
      XLA_RETURN_IF_ERROR(
          CopyLayoutBetweenShapes(src.tuple_shapes(i), dst->mutable_tuple_shapes(i)));
    }
    return absl::OkStatus();
  }
  if (!src.has_layout()) {
    dst->clear_layout();
    return absl::OkStatus();
  }
  if (!dst->IsArray() || src.rank() != dst->rank()) {
    return InvalidArgumentStrCat("cannot copy layout from shape: the ranks of ", src.ToString(true),
                                 " and ", dst->ToString(), " differ");
  }
  const Layout copy = src.layout();
  XLA_RETURN_IF_ERROR(ValidateLayoutForShape(copy, *dst));
  *dst->mutable_layout() = copy;
  return absl::OkStatus();
}

bool LayoutUtil::LayoutsInShapesEqual(const Shape& lhs, const Shape& rhs,
                                      std::optional<Layout::Equal> equal) {
  if (lhs.IsTuple() || rhs.IsTuple()) {
    if (!lhs.IsTuple() || !rhs.IsTuple() || lhs.tuple_shapes_size() != rhs.tuple_shapes_size()) {
      return false;
    }
    for (int i = 0; i < lhs.tuple_shapes_size(); ++i) {
      if (!LayoutsInShapesEqual(lhs.tuple_shapes(i), rhs.tuple_shapes(i), equal)) return false;
    }
    return true;
  }
  if (!lhs.IsArray() || !rhs.IsArray()) return !lhs.IsArray() && !rhs.IsArray();
  if (lhs.rank() != rhs.rank() || lhs.has_layout() != rhs.has_layout()) return false;
  return !lhs.has_layout() || equal.value_or(Layout::Equal())(lhs.layout(), rhs.layout());
}

bool LayoutUtil::AreDimensionsConsecutive(const Layout& layout,
                                          absl::Span<const int64_t> dimensions) {
  if (dimensions.empty()) return true;
  std::vector<int64_t> places;
  for (const int64_t dimension : dimensions) {
    const auto order = layout.minor_to_major();
    places.push_back(std::find(order.begin(), order.end(), dimension) - order.begin());
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] != places[i - 1] + 1) return false;
  }
  return true;
}

Layout LayoutUtil::MoveDimToMajor(const Layout& layout, int64_t dimension) {
  Layout moved = layout;
  DimensionVector& order = *moved.mutable_minor_to_major();
  const auto it = std::find(order.begin(), order.end(), dimension);
  XLA_CHECK(it != order.end()) << "no dimension " << dimension << " in " << layout;
  std::rotate(it, it + 1, order.end());
  return moved;
}

Layout LayoutUtil::MoveDimToMinor(const Layout& layout, int64_t dimension) {
  Layout moved = layout;
  DimensionVector& order = *moved.mutable_minor_to_major();
  const auto it = std::find(order.begin(), order.end(), dimension);
  XLA_CHECK(it != order.end()) << "no dimension " << dimension << " in " << layout;
  std::rotate(order.begin(), it, it + 1);
  return moved;
}

bool LayoutUtil::HasCustomElementSizeInBits(const Shape& shape) {
  if (!shape.IsTuple()) return shape.has_layout() && shape.layout().element_size_in_bits() != 0;
  return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                     [](const Shape& part) { return HasCustomElementSizeInBits(part); });
}

bool LayoutUtil::ByteStridesIsMajorToMinor(absl::Span<const int64_t> byte_strides,
                                           absl::Span<const int64_t> dimensions,
                                           PrimitiveType element_type) {
  if (byte_strides.size() != dimensions.size()) return false;
  int64_t stride = primitive_util::ByteWidth(element_type);
  for (size_t i = byte_strides.size(); i-- > 0;) {
    if (byte_strides[i] != stride) return false;
    stride *= dimensions[i];
  }
  return true;
}

// ---- Elements in memory ----

namespace {

// The physical dimensions of an array, most major first, with the physical index of one element.
struct PhysicalArray {
  DimensionVector sizes;
  DimensionVector index;
};

int64_t SaturatingMultiply(int64_t x, int64_t y) {
  const std::pair<int64_t, bool> product = OverflowSafeMultiply(x, y);
  return product.second ? std::numeric_limits<int64_t>::max() : product.first;
}

// Cuts the most minor dimensions into tiles: sizes [.., d0, d1] become
// [.., ceil(d0/t0), ceil(d1/t1), t0, t1] under tile (t0, t1). An array of lower rank than the tile
// is treated as having leading dimensions of size 1.
void ApplyTile(const Tile& tile, PhysicalArray* array) {
  const size_t tile_rank = tile.dimensions().size();
  if (array->sizes.size() < tile_rank) {
    const size_t missing = tile_rank - array->sizes.size();
    array->sizes.insert(array->sizes.begin(), missing, 1);
    array->index.insert(array->index.begin(), missing, 0);
  }
  const size_t first = array->sizes.size() - tile_rank;
  DimensionVector tile_sizes, within_tile;
  size_t end = first;  // of the tile counts, which overwrite the dimensions they come from
  int64_t size = 1;
  int64_t index = 0;
  for (size_t i = 0; i < tile_rank; ++i) {
    const int64_t dimension = array->sizes[first + i];
    size = SaturatingMultiply(size, dimension);
    index = index * dimension + array->index[first + i];
    const int64_t tile_size = tile.dimensions()[i];
    if (tile_size == Tile::kCombineDimension) continue;
    array->sizes[end] = CeilOfRatio(size, tile_size);
    array->index[end] = index / tile_size;
    ++end;
    tile_sizes.push_back(tile_size);
    within_tile.push_back(index % tile_size);
    size = 1;
    index = 0;
  }
  array->sizes.resize(end);
  array->index.resize(end);
  array->sizes.insert(array->sizes.end(), tile_sizes.begin(), tile_sizes.end());
  array->index.insert(array->index.end(), within_tile.begin(), within_tile.end());
}

PhysicalArray MakePhysicalArray(const Shape& shape, absl::Span<const int64_t> index) {
  PhysicalArray array;
  const auto add = [&](int64_t dimension) {
    array.sizes.push_back(LayoutUtil::PhysicalWidth(shape, dimension));
    array.index.push_back(index[dimension]);
  };
  if (!shape.has_layout()) {
    for (int64_t d = 0; d < shape.rank(); ++d) add(d);
    return array;
  }
  const Layout& layout = shape.layout();
  for (int i = layout.minor_to_major_size() - 1; i >= 0; --i) add(layout.minor_to_major(i));
  for (const Tile& tile : layout.tiles()) ApplyTile(tile, &array);
  return array;
}

}  // namespace

int64_t LayoutUtil::PhysicalWidth(const Shape& shape, int64_t dimension) {
  if (shape.has_layout() && shape.layout().has_padding()) {
    return shape.layout().padded_dimensions(static_cast<int>(dimension));
  }
  return shape.dimensions(static_cast<int>(dimension));
}

int64_t LayoutUtil::PhysicalElementCount(const Shape& shape) {
  if (shape.is_unbounded_dynamic()) return std::numeric_limits<int64_t>::max();
  const PhysicalArray array = MakePhysicalArray(shape, DimensionVector(shape.rank(), 0));
  const int64_t count = SaturatingProduct(array.sizes);
  if (!shape.has_layout()) return count;
  const int64_t alignment = shape.layout().tail_padding_alignment_in_elements();
  return SaturatingMultiply(CeilOfRatio(count, alignment), alignment);
}

int64_t LayoutUtil::LinearIndex(const Shape& shape, absl::Span<const int64_t> indices) {
  const PhysicalArray array = MakePhysicalArray(shape, indices);
  int64_t linear = 0;
  for (size_t i = 0; i < array.sizes.size(); ++i) {
    linear = linear * array.sizes[i] + array.index[i];
  }
  return linear;
}

namespace {

// What ApplyTile does to the index of an array of these sizes, undone.
DimensionVector UndoTile(const Tile& tile, const DimensionVector& sizes,
                         const DimensionVector& tiled) {
  const size_t tile_rank = tile.dimensions().size();
  DimensionVector index(sizes.size(), 0);
  const size_t first = sizes.size() - tile_rank;
  std::copy(tiled.begin(), tiled.begin() + first, index.begin());
  const auto combined = absl::c_count(tile.dimensions(), Tile::kCombineDimension);
  const size_t tiles = tile_rank - static_cast<size_t>(combined);
  size_t count = first;  // the position of the next number of a tile in `tiled`
  size_t begin = 0;      // of the dimensions that the tile combines
  for (size_t i = 0; i < tile_rank; ++i) {
    const int64_t tile_size = tile.dimensions()[i];
    if (tile_size == Tile::kCombineDimension) continue;
    int64_t joint = tiled[count] * tile_size + tiled[count + tiles];
    ++count;
    for (size_t d = i + 1; d-- > begin;) {
      // The most major of combined dimensions takes what exceeds the others: it may be padding.
      index[first + d] = d == begin ? joint : joint % sizes[first + d];
      joint /= std::max<int64_t>(1, sizes[first + d]);
    }
    begin = i + 1;
  }
  return index;
}

}  // namespace

std::vector<int64_t> LayoutUtil::DelinearizeIndexForNestedTiling(const Shape& shape,
                                                                 int64_t linear_index) {
  Shape untiled = shape;
  if (untiled.has_layout()) untiled.mutable_layout()->clear_tiles();
  PhysicalArray array = MakePhysicalArray(untiled, DimensionVector(shape.rank(), 0));
  const size_t rank = array.sizes.size();
  std::vector<DimensionVector> sizes;  // before each tile, with leading ones up to its rank
  std::vector<size_t> ranks;           // before each tile, without these
  const absl::Span<const Tile> tiles =
      shape.has_layout() ? shape.layout().tiles() : absl::Span<const Tile>();
  for (const Tile& tile : tiles) {
    DimensionVector before = array.sizes;
    ranks.push_back(before.size());
    const size_t tile_rank = tile.dimensions().size();
    if (before.size() < tile_rank) before.insert(before.begin(), tile_rank - before.size(), 1);
    sizes.push_back(std::move(before));
    ApplyTile(tile, &array);
  }
  for (size_t i = array.sizes.size(); i-- > 0;) {
    array.index[i] = linear_index % std::max<int64_t>(1, array.sizes[i]);
    linear_index /= std::max<int64_t>(1, array.sizes[i]);
  }
  for (size_t i = tiles.size(); i-- > 0;) {
    array.index = UndoTile(tiles[i], sizes[i], array.index);
    array.index.erase(array.index.begin(), array.index.end() - ranks[i]);
  }
  std::vector<int64_t> index(shape.rank());
  for (size_t p = 0; p < rank; ++p) {
    const size_t dimension =
        shape.has_layout() ? static_cast<size_t>(Major(shape.layout(), static_cast<int64_t>(p)))
                           : p;
    index[dimension] = array.index[p];
  }
  return index;
}

bool LayoutUtil::IsUntiledLayout(absl::Span<const Tile> tiles, absl::Span<const int64_t> sizes) {
  // (.., n, m) with tile (t, u) becomes (.., n / t, m / u, t, u), to which the next tile applies.
  std::vector<int64_t> expanded(sizes.begin(), sizes.end());
  for (const Tile& tile : tiles) {
    const size_t rank = tile.dimensions().size();
    XLA_CHECK(rank <= expanded.size());
    const size_t begin = expanded.size() - rank;
    bool may_repeat = true;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t edge = tile.dimensions()[i];
      XLA_CHECK(edge > 0);
      if (expanded[begin + i] % edge != 0) return false;
      expanded[begin + i] /= edge;
      if (!may_repeat && expanded[begin + i] != 1) return false;
      if (edge != 1) may_repeat = false;
    }
    expanded.insert(expanded.end(), tile.dimensions().begin(), tile.dimensions().end());
  }
  return true;
}

int64_t LayoutUtil::MaxSplitSize(const Shape& shape, int64_t dimension) {
  XLA_CHECK(shape.IsArray() && dimension >= 0 && dimension < shape.rank());
  const int64_t size = shape.dimensions(static_cast<int>(dimension));
  if (!shape.has_layout()) return size;
  const int64_t rank = shape.rank();
  for (const SplitConfig& config : shape.layout().split_configs()) {
    // Counted from the most major dimension, as in XLA.
    if (config.dimension() < 0 || config.dimension() >= rank ||
        shape.layout().minor_to_major(static_cast<int>(rank - 1 - config.dimension())) !=
            dimension) {
      continue;
    }
    int64_t largest = 0, begin = 0;
    for (const int64_t split : config.split_indices()) {
      largest = std::max(largest, split - begin);
      begin = split;
    }
    return std::max(largest, size - begin);
  }
  return size;
}

int64_t LayoutUtil::MaxElementsInPerSplit(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) elements *= MaxSplitSize(shape, d);
  return elements;
}

}  // namespace xla
