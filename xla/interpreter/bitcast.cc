// SPDX-License-Identifier: Apache-2.0
// bitcast: reinterprets the memory of the operand, in its layout, in the layout of the result.
//
// Values are row-major (value.h). If a layout is not, a bitcast builds an image of the memory: of
// elements if possible; of bits if there are tiles, padding or elements narrower than a byte. Gaps
// that padding and tiles leave hold the layout's padding value, or zeros.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/index_util.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

bool IsPlain(const Shape& shape) {
  if (!shape.has_layout()) return true;
  const Layout& layout = shape.layout();
  return !layout.has_padding() && layout.tiles_size() == 0 &&
         (layout.element_size_in_bits() == 0 ||
          layout.element_size_in_bits() ==
              int64_t{8} * primitive_util::ByteWidth(shape.element_type()));
}

bool IsRowMajor(const Shape& shape) {
  const DimensionVector actual = LayoutStrides(shape),
                        row_major = RowMajorStrides(shape.dimensions());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (shape.dimensions(static_cast<int>(i)) != 1 && actual[i] != row_major[i]) return false;
  }
  return true;
}

// Elements in memory: each takes `bits` bits, of which the lowest `value_bits` are its value. The
// first element starts at the lowest bit of the first byte.
struct Memory {
  explicit Memory(const Shape& shape)
      : type(shape.element_type()),
        bytes(primitive_util::ByteWidth(type)),
        bits(ShapeUtil::ElementSizeInBits(shape)),
        value_bits(type == PRED ? std::min<int64_t>(bits, 8)
                                : std::min<int64_t>(bits, primitive_util::BitWidth(type))) {}

  void Write(const char* element, int64_t slot, uint8_t* image) const {
    const int64_t at = slot * bits;
    if (bits % 8 == 0) {
      std::memcpy(image + at / 8, element, static_cast<size_t>(std::min(bytes, bits / 8)));
      if (value_bits < 8) image[at / 8] &= static_cast<uint8_t>((1u << value_bits) - 1);
      return;
    }
    for (int64_t b = 0; b < bits; ++b) {
      const bool is_set =
          b < value_bits && (static_cast<uint8_t>(element[b / 8]) >> (b % 8) & 1) != 0;
      const auto mask = static_cast<uint8_t>(1u << ((at + b) % 8));
      uint8_t& byte = image[(at + b) / 8];
      byte = static_cast<uint8_t>(is_set ? byte | mask : byte & ~mask);
    }
  }

  void Read(const uint8_t* image, int64_t slot, char* element) const {
    const int64_t at = slot * bits;
    uint8_t value[16] = {};
    for (int64_t b = 0; b < value_bits; b += bits % 8 == 0 && value_bits >= 8 ? 8 : 1) {
      if (bits % 8 == 0 && value_bits >= 8) {
        value[b / 8] = image[(at + b) / 8];
      } else if ((image[(at + b) / 8] >> ((at + b) % 8) & 1) != 0) {
        value[b / 8] = static_cast<uint8_t>(value[b / 8] | 1u << (b % 8));
      }
    }
    if (type == PRED) {
      value[0] = value[0] != 0;
    } else if (value_bits < 8 && primitive_util::IsSignedIntegralType(type) &&
               (value[0] >> (value_bits - 1) & 1) != 0) {
      value[0] = static_cast<uint8_t>(value[0] | ~((1u << value_bits) - 1));
    }
    std::memcpy(element, value, static_cast<size_t>(bytes));
  }

  PrimitiveType type;
  int64_t bytes, bits, value_bits;
};

// The size of an array in memory, including gaps, in bytes.
absl::StatusOr<int64_t> ImageBytes(const Shape& shape) {
  XLA_RETURN_IF_ERROR(CheckedByteSize(shape).status());
  const int64_t slots = LayoutUtil::PhysicalElementCount(shape);
  int64_t bits;
  if (__builtin_mul_overflow(slots, ShapeUtil::ElementSizeInBits(shape), &bits)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory of ", shape.ToString(true), " is too large"));
  }
  return CeilOfRatio<int64_t>(bits, 8);
}

// The element that fills gaps.
absl::StatusOr<std::vector<char>> PaddingElement(const Shape& shape) {
  std::vector<char> element(static_cast<size_t>(primitive_util::ByteWidth(shape.element_type())),
                            0);
  if (!shape.layout().has_padding()) return element;
  // A literal of one element and its padding.
  Layout layout = LayoutUtil::MakeLayout({0});
  layout.add_padded_dimensions(2);
  layout.set_padding_value(shape.layout().padding_value());
  Shape pair(shape.element_type(), {1});
  *pair.mutable_layout() = layout;
  XLA_ASSIGN_OR_RETURN(const Literal literal, Literal::Make(pair));
  std::memcpy(element.data(), static_cast<const char*>(literal.untyped_data()) + element.size(),
              element.size());
  return element;
}

template <typename F>
void ForEachElement(const Shape& shape, F&& f) {
  for (const int64_t size : shape.dimensions()) {
    if (size == 0) return;
  }
  DimensionVector index(static_cast<size_t>(shape.rank()), 0);
  int64_t position = 0;
  do {
    f(position++, LayoutUtil::LinearIndex(shape, index));
  } while (IndexUtil::BumpIndices(shape, absl::MakeSpan(index)));
}

absl::StatusOr<Value> BitcastBits(EvalContext& ctx, const Shape& from, const Shape& to,
                                  const Value& operand) {
  XLA_ASSIGN_OR_RETURN(const int64_t from_bytes, ImageBytes(from));
  XLA_ASSIGN_OR_RETURN(const int64_t to_bytes, ImageBytes(to));
  const int64_t image_bytes = std::max(from_bytes, to_bytes);
  XLA_ASSIGN_OR_RETURN(Value scratch, ctx.AllocateScratch(image_bytes));
  uint8_t* image = scratch.mutable_data<uint8_t>();
  std::memset(image, 0, static_cast<size_t>(image_bytes));
  const Memory source(from), target(to);
  if (from.has_layout() && from.layout().has_padding()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<char> padding, PaddingElement(from));
    const int64_t slots = LayoutUtil::PhysicalElementCount(from);
    for (int64_t slot = 0; slot < slots; ++slot) source.Write(padding.data(), slot, image);
  }
  const char* in = operand.data<char>();
  ForEachElement(from, [&](int64_t position, int64_t slot) {
    source.Write(in + position * source.bytes, slot, image);
  });
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(to));
  char* out = result.mutable_data<char>();
  ForEachElement(to, [&](int64_t position, int64_t slot) {
    target.Read(image, slot, out + position * target.bytes);
  });
  return result;
}

}  // namespace

absl::StatusOr<Value> EvalBitcast(EvalContext& ctx, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  const Shape& from = inst.operand(0)->shape();
  const Shape& to = inst.shape();
  if (!to.IsArray()) return std::move(operands[0]).WithShape(to);
  Value& operand = operands[0];
  const DimensionVector sizes = operand.existing_dimensions();
  const bool keeps_sizes = operand.has_dynamic_sizes() && from.dimensions() == to.dimensions();
  operand.ClearDynamicSizes();
  const auto finish = [&](Value result) {
    if (keeps_sizes) SetExistingSizes(sizes, result);
    return result;
  };

  const bool is_sub_byte = primitive_util::IsSubByteNonPredType(from.element_type()) ||
                           primitive_util::IsSubByteNonPredType(to.element_type());
  const bool same_type = from.element_type() == to.element_type();
  XLA_ASSIGN_OR_RETURN(const int64_t total, CheckedByteSize(to));
  if (!IsPlain(from) || !IsPlain(to) || total != operand.byte_size() ||
      (!same_type && (is_sub_byte || to.element_type() == PRED))) {
    XLA_ASSIGN_OR_RETURN(Value result, BitcastBits(ctx, from, to, operand));
    return finish(std::move(result));
  }
  const bool from_row_major = IsRowMajor(from), to_row_major = IsRowMajor(to);
  if (from_row_major && to_row_major) return finish(std::move(operand).WithShape(to));
  // To memory order and back.
  const int64_t from_bytes = primitive_util::ByteWidth(from.element_type());
  const int64_t to_bytes = primitive_util::ByteWidth(to.element_type());
  Value memory;
  const void* physical = operand.untyped_data();
  if (!from_row_major) {
    XLA_ASSIGN_OR_RETURN(memory, to_row_major ? ctx.Allocate(to) : ctx.AllocateScratch(total));
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, from_bytes, from.dimensions(), operand.untyped_data(),
                                    RowMajorStrides(from.dimensions()),
                                    memory.mutable_untyped_data(), LayoutStrides(from)));
    if (to_row_major) return finish(std::move(memory));
    physical = memory.untyped_data();
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(to));
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, to_bytes, to.dimensions(), physical, LayoutStrides(to),
                                  result.mutable_untyped_data(), RowMajorStrides(to.dimensions())));
  return finish(std::move(result));
}

}  // namespace xla::interpreter
