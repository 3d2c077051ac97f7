// SPDX-License-Identifier: Apache-2.0
// LayoutUtil::Validate...: checks that a layout is valid for a shape.
#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Far more bits than any element needs; keeps products of bits from overflowing.
constexpr int64_t kMaxElementSizeInBits = 1 << 16;

// "layout {0,0} of f32[2,3]: ".
template <typename... Args>
absl::Status LayoutError(const Layout& layout, const Shape& shape, const Args&... args) {
  return InvalidArgumentStrCat("layout ", layout.ToString(), " of ", shape.ToString(), ": ",
                               args...);
}

std::string AllDimensions(int64_t rank) { return rank == 1 ? "0" : absl::StrCat("0..", rank - 1); }

absl::Status ValidateMinorToMajor(const Layout& layout, const Shape& shape) {
  const int64_t rank = shape.rank();
  if (layout.minor_to_major_size() != rank) {
    return InvalidArgumentStrCat("layout minor_to_major field contains ",
                                 layout.minor_to_major_size(), " elements, but shape has ", rank,
                                 " dimensions: ", layout.ToString(), "; shape: ", shape.ToString());
  }
  DimensionVector entry_of(rank, -1);
  for (int i = 0; i < rank; ++i) {
    const int64_t dimension = layout.minor_to_major(i);
    if (dimension < 0 || dimension >= rank) {
      return LayoutError(layout, shape,
                         "layout minor_to_major field has out-of-bounds value: entry ", i, " is ",
                         dimension, "; expected a permutation of ", AllDimensions(rank));
    }
    if (entry_of[dimension] >= 0) {
      return LayoutError(layout, shape, "layout minor_to_major field has duplicate values: entry ",
                         i, " is ", dimension, ", as entry ", entry_of[dimension],
                         "; expected a permutation of ", AllDimensions(rank));
    }
    entry_of[dimension] = i;
  }
  return absl::OkStatus();
}

absl::Status ValidatePadding(const Layout& layout, const Shape& shape) {
  if (!layout.has_padding()) {
    if (layout.padding_value() != INVALID_PAD) {
      return LayoutError(layout, shape, "has padding_value ",
                         PaddingValueName(layout.padding_value()), " but no padded_dimensions");
    }
    return absl::OkStatus();
  }
  if (layout.padded_dimensions_size() != shape.rank()) {
    return LayoutError(layout, shape, "padded_dimensions contains ",
                       layout.padded_dimensions_size(), " elements, but the shape is rank ",
                       shape.rank());
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.is_unbounded_dynamic_dimension(i)) {
      return LayoutError(layout, shape, "padded_dimensions entry ", i,
                         " pads a dimension without a bound");
    }
    if (layout.padded_dimensions(i) < shape.dimensions(i)) {
      return LayoutError(layout, shape, "padded_dimensions entry ", i, " is ",
                         layout.padded_dimensions(i), ", below the size ", shape.dimensions(i),
                         " of dimension ", i);
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateTiles(const Layout& layout, const Shape& shape) {
  for (int64_t t = 0; t < layout.tiles_size(); ++t) {
    const Tile& tile = layout.tiles(static_cast<int>(t));
    if (tile.dimensions().empty()) {
      return LayoutError(layout, shape, "layout has invalid tiles: tile ", t, " has no dimensions");
    }
    for (size_t i = 0; i < tile.dimensions().size(); ++i) {
      const int64_t size = tile.dimensions()[i];
      if (size == Tile::kCombineDimension) {
        if (i + 1 < tile.dimensions().size()) continue;
        return LayoutError(layout, shape, "layout has invalid tiles: tile ", t,
                           " ends with '*', but no more minor dimension",
                           " is there to combine with");
      }
      if (size <= 0) {
        return LayoutError(layout, shape, "layout has invalid tiles: tile ", t, " has size ", size,
                           " as entry ", i, "; sizes must be positive");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateSplitConfigs(const Layout& layout, const Shape& shape) {
  for (int c = 0; c < layout.split_configs_size(); ++c) {
    const SplitConfig& config = layout.split_configs(c);
    if (config.dimension() < 0 || config.dimension() >= shape.rank()) {
      return LayoutError(layout, shape, "split config ", c, " names dimension ", config.dimension(),
                         ", but the shape is rank ", shape.rank());
    }
    int64_t previous = -1;
    for (const int64_t index : config.split_indices()) {
      if (index <= previous) {
        return LayoutError(layout, shape, "split config ", c, " has index ", index, " after ",
                           previous, "; split indices must not be negative and must ascend");
      }
      previous = index;
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateScalarFields(const Layout& layout, const Shape& shape) {
  const int64_t bits = layout.element_size_in_bits();
  const int64_t type_bits = primitive_util::BitWidth(shape.element_type());
  if (bits != 0 && (bits < type_bits || bits > kMaxElementSizeInBits)) {
    return LayoutError(layout, shape, "element_size_in_bits is ", bits, ", but an element of type ",
                       primitive_util::LowercasePrimitiveTypeName(shape.element_type()), " takes ",
                       type_bits, " bits; expected 0 (for the type's own size) or ", type_bits,
                       "..", kMaxElementSizeInBits);
  }
  if (layout.tail_padding_alignment_in_elements() < 1) {
    return LayoutError(layout, shape, "tail_padding_alignment_in_elements is ",
                       layout.tail_padding_alignment_in_elements(), "; it must be at least 1");
  }
  if (layout.dynamic_shape_metadata_prefix_bytes() < 0) {
    return LayoutError(layout, shape, "dynamic_shape_metadata_prefix_bytes is negative");
  }
  for (const PrimitiveType type :
       {layout.index_primitive_type(), layout.pointer_primitive_type()}) {
    if (type != PRIMITIVE_TYPE_INVALID && !primitive_util::IsUnsignedIntegralType(type)) {
      return LayoutError(layout, shape, "index and pointer types must be unsigned integers, not ",
                         primitive_util::LowercasePrimitiveTypeName(type));
    }
  }
  if (layout.has_physical_shape()) {
    return LayoutError(layout, shape, "has a physical_shape, but is not for a sparse array");
  }
  return absl::OkStatus();
}

// Whether the buffer's size, including padding, tiles and tail alignment, fits in an int64.
absl::Status ValidateBufferSize(const Layout& layout, const Shape& shape) {
  if (layout.IsPlain() || shape.is_unbounded_dynamic()) return absl::OkStatus();
  Shape laid_out = shape;
  *laid_out.mutable_layout() = layout;
  const int64_t bits = layout.element_size_in_bits() != 0
                           ? layout.element_size_in_bits()
                           : 8 * primitive_util::ByteWidth(shape.element_type());
  // As in ValidateShape, sizes of 0 count as 1, so that strides also fit.
  DimensionVector widths;
  for (int i = 0; i < shape.rank(); ++i) {
    widths.push_back(std::max<int64_t>(1, LayoutUtil::PhysicalWidth(laid_out, i)));
    laid_out.set_dimensions(i, std::max<int64_t>(1, shape.dimensions(i)));
  }
  if (layout.has_padding()) laid_out.mutable_layout()->set_padded_dimensions(widths);
  const int64_t elements = LayoutUtil::PhysicalElementCount(laid_out);
  if (MultiplyWithoutOverflow(elements, bits) < 0) {
    return LayoutError(layout, shape, "the size of the buffer overflows int64");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LayoutUtil::ValidateLayoutForShape(const Layout& layout, const Shape& shape) {
  if (shape.IsTuple()) {
    return InvalidArgumentStrCat("a single Layout is not valid for tuple shapes: ",
                                 shape.ToString());
  }
  if (!shape.IsArray()) {
    if (layout == Layout()) return absl::OkStatus();
    return InvalidArgumentStrCat("shape ", shape.ToString(), " should not have the layout ",
                                 layout.ToString());
  }
  XLA_RETURN_IF_ERROR(ValidateMinorToMajor(layout, shape));
  if (layout.IsPlain()) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(ValidatePadding(layout, shape));
  XLA_RETURN_IF_ERROR(ValidateTiles(layout, shape));
  XLA_RETURN_IF_ERROR(ValidateSplitConfigs(layout, shape));
  XLA_RETURN_IF_ERROR(ValidateScalarFields(layout, shape));
  return ValidateBufferSize(layout, shape);
}

absl::Status LayoutUtil::ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_RETURN_IF_ERROR(ValidateLayoutInShape(element, allow_missing_layouts));
    }
    return absl::OkStatus();
  }
  if (!shape.IsArray()) return absl::OkStatus();
  if (shape.has_layout()) return ValidateLayoutForShape(shape.layout(), shape);
  if (allow_missing_layouts) return absl::OkStatus();
  return InvalidArgumentStrCat("shape ", shape.ToString(), " does not have a layout");
}

}  // namespace xla
