// SPDX-License-Identifier: Apache-2.0
// ShapeUtil: validation of shapes, and their sizes in elements and bytes.
#include <algorithm>
#include <limits>

#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/index_util.h"
#include "xla/overflow_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int64_t kMaxSize = std::numeric_limits<int64_t>::max();
constexpr int64_t kDefaultPointerSize = 8;

int64_t SaturatingMultiply(int64_t x, int64_t y) {
  const int64_t product = MultiplyWithoutOverflow(x, y);
  return product < 0 ? kMaxSize : product;
}

int64_t BitsToBytes(int64_t elements, int64_t bits_each) {
  if (bits_each % 8 == 0) return SaturatingMultiply(elements, bits_each / 8);
  const int64_t bits = MultiplyWithoutOverflow(elements, bits_each);
  return bits < 0 ? kMaxSize : CeilOfRatio<int64_t>(bits, 8);
}

absl::Status ValidateDimensions(const Shape& shape) {
  if (shape.rank() > ShapeUtil::kMaxRank) {
    return InvalidArgumentStrCat(
        "shape of type ", primitive_util::LowercasePrimitiveTypeName(shape.element_type()),
        " has rank ", shape.rank(), "; at most ", ShapeUtil::kMaxRank, " dimensions are supported");
  }
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    const bool unbounded = shape.is_unbounded_dynamic_dimension(i);
    if (unbounded && !shape.is_dynamic_dimension(i)) {
      return InvalidArgumentStrCat("shape ", shape.ToString(),
                                   ": Invalid dimension size: dimension ", i,
                                   " has the unbounded size but is not dynamic");
    }
    if (shape.dimensions(i) < 0 && !unbounded) {
      return InvalidArgumentStrCat("shape ", shape.ToString(),
                                   ": Invalid dimension size: dimension ", i, " has negative size ",
                                   shape.dimensions(i));
    }
  }
  // Sizes of 0 count as 1, so that products of some of the sizes (such as strides) also fit.
  int64_t size = ShapeUtil::ByteSizeOfPrimitiveType(shape.element_type());
  for (int i = 0; i < shape.dimensions_size(); ++i) {
    if (shape.dimensions(i) > 1) size = MultiplyWithoutOverflow(size, shape.dimensions(i));
    if (size < 0) {
      return InvalidArgumentStrCat("shape ", shape.ToString(),
                                   " is too large: its size in bytes overflows int64");
    }
  }
  return absl::OkStatus();
}

absl::Status Validate(const Shape& shape, bool layout_optional, int depth) {
  if (depth > Shape::kMaxTupleDepth) {
    return InvalidArgumentStrCat("tuple shape nests deeper than ", Shape::kMaxTupleDepth);
  }
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_RETURN_IF_ERROR(Validate(element, layout_optional, depth + 1));
    }
    return absl::OkStatus();
  }
  if (shape.element_type() == PRIMITIVE_TYPE_INVALID ||
      !PrimitiveType_IsValid(shape.element_type())) {
    return InvalidArgumentStrCat("shape has invalid element type ",
                                 static_cast<int>(shape.element_type()));
  }
  if (!shape.IsArray()) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(ValidateDimensions(shape));
  return LayoutUtil::ValidateLayoutInShape(shape, layout_optional);
}

}  // namespace

absl::Status ShapeUtil::ValidateShape(const Shape& shape) {
  return Validate(shape, /*layout_optional=*/false, 0);
}
absl::Status ShapeUtil::ValidateShapeWithOptionalLayout(const Shape& shape) {
  return Validate(shape, /*layout_optional=*/true, 0);
}

int64_t ShapeUtil::ElementsIn(const Shape& shape) {
  return shape.IsArray() ? SaturatingProduct(shape.dimensions()) : 0;
}

int64_t ShapeUtil::ElementsInRecursive(const Shape& shape) {
  int64_t count = 0;
  ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    count = OverflowSafeAdd(count, ElementsIn(leaf)).value_or(kMaxSize);
  });
  return count;
}

int64_t ShapeUtil::PaddedElementsIn(const Shape& shape) {
  if (!shape.IsArray() || !shape.has_layout() || !shape.layout().has_padding()) {
    return ElementsIn(shape);
  }
  return SaturatingProduct(shape.layout().padded_dimensions());
}

int64_t ShapeUtil::ByteSizeOfPrimitiveType(PrimitiveType primitive_type) {
  return primitive_util::IsArrayType(primitive_type) ? primitive_util::ByteWidth(primitive_type)
                                                     : 0;
}

int64_t ShapeUtil::ElementSizeInBits(const Shape& shape) {
  if (shape.has_layout() && shape.layout().element_size_in_bits() != 0) {
    return shape.layout().element_size_in_bits();
  }
  return 8 * ByteSizeOfPrimitiveType(shape.element_type());
}

int64_t ShapeUtil::ByteSizeOfTupleIndexTable(const Shape& shape, int64_t pointer_size) {
  return SaturatingMultiply(pointer_size, TupleElementCount(shape));
}

int64_t ShapeUtil::ByteSizeOfElements(const Shape& shape) {
  return BitsToBytes(PaddedElementsIn(shape), ElementSizeInBits(shape));
}

int64_t ShapeUtil::ByteSizeOf(const Shape& shape, int64_t pointer_size) {
  if (pointer_size < 0) pointer_size = kDefaultPointerSize;
  if (shape.IsTuple()) return ByteSizeOfTupleIndexTable(shape, pointer_size);
  if (shape.IsOpaque()) return pointer_size;
  return shape.IsArray() ? ByteSizeOfElements(shape) : 0;
}

int64_t ShapeUtil::ByteSizeOfLeaves(const Shape& shape) {
  int64_t size = 0;
  ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) size = OverflowSafeAdd(size, ByteSizeOf(leaf)).value_or(kMaxSize);
  });
  return size;
}

int64_t ShapeUtil::ArraySize(const Shape& shape) {
  const int64_t data =
      BitsToBytes(LayoutUtil::PhysicalElementCount(shape), ElementSizeInBits(shape));
  if (!shape.has_layout()) return data;
  return OverflowSafeAdd(data, shape.layout().dynamic_shape_metadata_prefix_bytes())
      .value_or(kMaxSize);
}

int64_t ShapeUtil::ArrayDataSize(const Shape& shape) {
  if (IsZeroElementArray(shape)) return 0;
  // No element at all, or a count that overflows: there is no last element to locate.
  if (LayoutUtil::PhysicalElementCount(shape) == kMaxSize) {
    return BitsToBytes(kMaxSize, ElementSizeInBits(shape));
  }
  if (shape.has_layout() && shape.layout().tiles_size() > 1) {
    // Under repeated tiles the last element may be anywhere in the last tile.
    Shape unaligned = shape;
    unaligned.mutable_layout()->set_tail_padding_alignment_in_elements(1);
    return BitsToBytes(LayoutUtil::PhysicalElementCount(unaligned), ElementSizeInBits(shape));
  }
  DimensionVector last(shape.dimensions().begin(), shape.dimensions().end());
  for (int64_t& index : last) --index;
  return BitsToBytes(LayoutUtil::LinearIndex(shape, last) + 1, ElementSizeInBits(shape));
}

std::optional<DimensionVector> ShapeUtil::ByteStrides(const Shape& shape) {
  XLA_CHECK(shape.IsArray()) << shape << " is not an array";
  const int64_t bits = ElementSizeInBits(shape);
  if ((shape.has_layout() && shape.layout().has_tiles()) || bits % 8 != 0) return std::nullopt;
  DimensionVector strides = IndexUtil::DimensionStrides(shape);
  for (int64_t& stride : strides)
    stride = SaturatingMultiply(std::max<int64_t>(stride, 0), bits / 8);
  return strides;
}

std::optional<DimensionVector> ShapeUtil::UnpackedByteStrides(const Shape& shape) {
  XLA_CHECK(shape.IsArray()) << shape << " is not an array";
  if (shape.has_layout() && shape.layout().has_tiles()) return std::nullopt;
  DimensionVector strides = IndexUtil::DimensionStrides(shape);
  const int64_t bytes = ByteSizeOfPrimitiveType(shape.element_type());
  for (int64_t& stride : strides) {
    stride = SaturatingMultiply(std::max<int64_t>(stride, 0), bytes);
  }
  return strides;
}
absl::Status ShapeUtil::UnpackedByteStrides(const Shape& shape, absl::Span<int64_t> strides) {
  const std::optional<DimensionVector> known = UnpackedByteStrides(shape);
  if (!known.has_value() || known->size() != strides.size()) {
    return InvalidArgumentStrCat("no ", strides.size(), " strides describe ", shape.ToString(true));
  }
  std::copy(known->begin(), known->end(), strides.begin());
  return absl::OkStatus();
}

}  // namespace xla
