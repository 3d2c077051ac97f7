// SPDX-License-Identifier: Apache-2.0
// Literals: conversion of element types, by value and by bits.
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_access.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Piece = LiteralAccess::Piece;

// The bits of an element in a bitcast. PRED counts as a byte.
int64_t BitcastWidth(PrimitiveType type) {
  return type == PRED ? 8 : primitive_util::BitWidth(type);
}

// Packs elements of `bits` < 8 bits, stored one per byte, into a dense string of bits, the first in
// the lowest; and back.
std::vector<uint8_t> PackBits(const uint8_t* elements, int64_t count, int64_t bits) {
  std::vector<uint8_t> packed((count * bits + 7) / 8);
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const unsigned value = elements[i] & mask;
    const int64_t at = i * bits;
    packed[at / 8] |= static_cast<uint8_t>(value << (at % 8));
    if (at % 8 + bits > 8) packed[at / 8 + 1] |= static_cast<uint8_t>(value >> (8 - at % 8));
  }
  return packed;
}

void UnpackBits(const uint8_t* packed, int64_t count, int64_t bits, bool sign_extend,
                uint8_t* elements) {
  const unsigned mask = (1u << bits) - 1;
  const unsigned sign = 1u << (bits - 1);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = i * bits;
    unsigned value = packed[at / 8] >> (at % 8);
    if (at % 8 + bits > 8) value |= static_cast<unsigned>(packed[at / 8 + 1]) << (8 - at % 8);
    value &= mask;
    if (sign_extend) value = (value ^ sign) - sign;
    elements[i] = static_cast<uint8_t>(value);
  }
}

}  // namespace

absl::StatusOr<Literal> LiteralBase::Convert(PrimitiveType primitive_dest_type) const {
  if (!shape().IsArray() || !primitive_util::IsArrayType(primitive_dest_type)) {
    return Unimplemented("Cannot convert a literal of shape %s to type %s: both must be arrays.",
                         shape().ToString(),
                         primitive_util::LowercasePrimitiveTypeName(primitive_dest_type));
  }
  if (primitive_util::IsComplexType(shape().element_type()) &&
      !primitive_util::IsComplexType(primitive_dest_type)) {
    return Unimplemented("Converting from type %s to type %s is not implemented.",
                         primitive_util::LowercasePrimitiveTypeName(shape().element_type()),
                         primitive_util::LowercasePrimitiveTypeName(primitive_dest_type));
  }
  Shape new_shape = shape();
  new_shape.set_element_type(primitive_dest_type);
  // The layout's element size belongs to the old type.
  if (new_shape.has_layout() && primitive_dest_type != shape().element_type()) {
    new_shape.mutable_layout()->set_element_size_in_bits(0);
  }
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(new_shape));
  const Piece& from = root_piece();
  Piece& to = LiteralAccess::MutableRoot(result);
  const int64_t from_bytes = from.element_bytes();
  const int64_t to_bytes = to.element_bytes();
  LiteralAccess::ForEachRun(new_shape, [&](int64_t begin, int64_t count) {
    ConvertElements(shape().element_type(), from.buffer + begin * from_bytes, primitive_dest_type,
                    to.buffer + begin * to_bytes, count);
  });
  if (from.dynamic_sizes != nullptr) {
    for (int64_t d = 0; d < shape().rank(); ++d)
      LiteralAccess::SetExistingSize(d, from.existing_size(d), &to);
  }
  return result;
}

absl::StatusOr<Literal> LiteralBase::ConvertToShape(const Shape& dest_shape) const {
  if (!ShapeUtil::CompatibleIgnoringElementType(shape(), dest_shape)) {
    return InvalidArgument(
        "Cannot convert a literal of shape %s to shape %s: structure or sizes differ.",
        shape().ToString(), dest_shape.ToString());
  }
  if (!shape().IsTuple()) {
    if (!shape().IsArray()) return Clone();
    XLA_ASSIGN_OR_RETURN(Literal converted, Convert(dest_shape.element_type()));
    if (!dest_shape.has_layout() || dest_shape.layout() == converted.shape().layout())
      return converted;
    XLA_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(dest_shape.layout(), converted.shape()));
    return converted.Relayout(dest_shape.layout());
  }
  // The depth of tuples is bounded by Shape::kMaxTupleDepth.
  std::vector<Literal> elements;
  for (int i = 0; i < shape().tuple_shapes_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(elements.emplace_back(),
                         LiteralSlice(*this, {i}).ConvertToShape(dest_shape.tuple_shapes(i)));
  }
  return MutableLiteralBase::MoveIntoTuple(absl::MakeSpan(elements));
}

absl::StatusOr<Literal> LiteralBase::BitcastConvert(const Shape& dest_shape) const {
  if (!shape().IsArray() || !dest_shape.IsArray()) {
    return InvalidArgument("bitcast-convert is not valid for shapes %s->%s: both must be arrays.",
                           shape().ToString(), dest_shape.ToString());
  }
  if (shape().is_dynamic() || dest_shape.is_dynamic()) {
    return InvalidArgument("bitcast-convert is not valid for dynamic shape %s->%s",
                           shape().ToString(), dest_shape.ToString());
  }
  // A buffer of dest_shape in row-major order first; its own layout last.
  Shape row_major = dest_shape;
  row_major.clear_layout();
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(row_major));
  const int64_t from_bits = BitcastWidth(shape().element_type());
  const int64_t to_bits = BitcastWidth(dest_shape.element_type());
  const int64_t from_count = ShapeUtil::ElementsIn(shape());
  const int64_t to_count = ShapeUtil::ElementsIn(dest_shape);
  if (static_cast<__int128>(from_bits) * from_count != static_cast<__int128>(to_bits) * to_count) {
    return InvalidArgument("Can not bitcast-convert from shape %s to a shape of different size %s",
                           shape().ToString(), dest_shape.ToString());
  }
  std::vector<char> storage;
  const char* from = LiteralAccess::RowMajorData(root_piece(), &storage);
  char* to = static_cast<char*>(result.untyped_data());
  const bool signed_result = primitive_util::IsSignedIntegralType(dest_shape.element_type());
  if (from_count == 0) {
    // Nothing to copy.
  } else if (from_bits >= 8 && to_bits >= 8) {
    std::memcpy(to, from, to_count * (to_bits / 8));
  } else {
    std::vector<uint8_t> packed;
    const uint8_t* bits = reinterpret_cast<const uint8_t*>(from);
    if (from_bits < 8) {
      packed = PackBits(bits, from_count, from_bits);
      bits = packed.data();
    }
    if (to_bits < 8) {
      UnpackBits(bits, to_count, to_bits, signed_result, reinterpret_cast<uint8_t*>(to));
    } else {
      std::memcpy(to, bits, to_count * (to_bits / 8));
    }
  }
  if (dest_shape.element_type() == PRED) {
    // A bool must be 0 or 1.
    for (int64_t i = 0; i < to_count; ++i) to[i] = to[i] != 0;
  }
  if (!dest_shape.has_layout() || dest_shape.layout() == result.shape().layout()) return result;
  XLA_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(dest_shape.layout(), dest_shape));
  return result.Relayout(dest_shape.layout());
}

}  // namespace xla
