// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/movement/bitcast.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/index_util.h"
#include "xla/layout_strides.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"
#include "xla/util.h"

namespace xla::kernels {
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
  const DimensionVector actual = StridesOfLayout(shape),
                        row_major = DenseStrides(shape.dimensions());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (shape.dimensions(static_cast<int>(i)) != 1 && actual[i] != row_major[i]) return false;
  }
  return true;
}

// The layout of elements in memory: each takes `bits` bits, the lowest `value_bits` of which are
// its value. The first element starts at the lowest bit of the first byte.
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

// Returns the bytes of an array in memory, including gaps.
absl::StatusOr<int64_t> ImageBytes(const Shape& shape) {
  const int64_t slots = LayoutUtil::PhysicalElementCount(shape);
  int64_t bits;
  if (__builtin_mul_overflow(slots, ShapeUtil::ElementSizeInBits(shape), &bits)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory of ", shape.ToString(true), " is too large"));
  }
  return CeilOfRatio<int64_t>(bits, 8);
}

// Returns the element that fills gaps.
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

absl::Status CopyBetween(Context& context, const Shape& shape, const void* from,
                         const DimensionVector& from_strides, void* to,
                         const DimensionVector& to_strides) {
  const StridedCopyPlan plan(primitive_util::ByteWidth(shape.element_type()), shape.dimensions(),
                             to, to_strides, from, from_strides);
  return context.ParallelFor(plan.tasks(), plan.tasks_per_chunk(), [&](int64_t begin, int64_t end) {
    plan.Run(begin, end);
    return absl::OkStatus();
  });
}

int64_t DenseBytes(const Shape& shape) {
  int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  for (const int64_t size : shape.dimensions()) bytes *= size;
  return bytes;
}

// Whether elements are moved as wholes.
bool KeepsElements(const Shape& from, const Shape& to) {
  const bool is_sub_byte = primitive_util::IsSubByteNonPredType(from.element_type()) ||
                           primitive_util::IsSubByteNonPredType(to.element_type());
  const bool same_type = from.element_type() == to.element_type();
  return IsPlain(from) && IsPlain(to) && DenseBytes(from) == DenseBytes(to) &&
         (same_type || (!is_sub_byte && to.element_type() != PRED));
}

absl::Status BitcastBits(Context& context, const Shape& from, const Shape& to, const char* in,
                         char* out) {
  XLA_ASSIGN_OR_RETURN(const int64_t from_bytes, ImageBytes(from));
  XLA_ASSIGN_OR_RETURN(const int64_t to_bytes, ImageBytes(to));
  const int64_t image_bytes = std::max(from_bytes, to_bytes);
  XLA_ASSIGN_OR_RETURN(const auto scratch, AllocateArray<uint8_t>(context, image_bytes + 16));
  uint8_t* const image = scratch.data();
  std::memset(image, 0, static_cast<size_t>(image_bytes));
  const Memory source(from), target(to);
  if (from.has_layout() && from.layout().has_padding()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<char> padding, PaddingElement(from));
    const int64_t slots = LayoutUtil::PhysicalElementCount(from);
    for (int64_t slot = 0; slot < slots; ++slot) source.Write(padding.data(), slot, image);
  }
  ForEachElement(from, [&](int64_t position, int64_t slot) {
    source.Write(in + position * source.bytes, slot, image);
  });
  ForEachElement(to, [&](int64_t position, int64_t slot) {
    target.Read(image, slot, out + position * target.bytes);
  });
  return absl::OkStatus();
}

// Rewrites elements of one width as elements of another: bit 0 of the first element stays bit 0.
// Elements are numbers of 1 to 128 bits; those narrower than a byte take a byte each, sign-extended
// when signed.
void RepackBits(const uint8_t* from, int from_bits, uint8_t* to, int to_bits, bool to_signed,
                int64_t group_bits, int64_t begin, int64_t end) {
  const int from_stride = std::max(from_bits, 8) / 8, to_stride = std::max(to_bits, 8) / 8;
  const int64_t from_count = group_bits / from_bits, to_count = group_bits / to_bits;
  for (int64_t group = begin; group < end; ++group) {
    uint8_t bits[16] = {};
    const uint8_t* source = from + group * from_count * from_stride;
    for (int64_t i = 0; i < from_count; ++i) {
      if (from_bits >= 8) {
        std::memcpy(bits + i * from_stride, source + i * from_stride,
                    static_cast<size_t>(from_stride));
      } else {
        const int64_t at = i * from_bits;
        bits[at / 8] =
            static_cast<uint8_t>(bits[at / 8] | (source[i] & ((1u << from_bits) - 1)) << (at % 8));
      }
    }
    uint8_t* target = to + group * to_count * to_stride;
    for (int64_t i = 0; i < to_count; ++i) {
      if (to_bits >= 8) {
        std::memcpy(target + i * to_stride, bits + i * to_stride, static_cast<size_t>(to_stride));
      } else {
        const int64_t at = i * to_bits;
        uint32_t value = bits[at / 8] >> (at % 8) & ((1u << to_bits) - 1);
        if (to_signed && (value >> (to_bits - 1)) != 0) value |= ~((1u << to_bits) - 1);
        target[i] = static_cast<uint8_t>(value);
      }
    }
  }
}

}  // namespace

bool IsPlainBitcast(const Shape& from, const Shape& to) {
  return KeepsElements(from, to) && IsRowMajor(from) && IsRowMajor(to);
}

absl::Status BitcastArray(Context& context, const Shape& from, const Shape& to, const void* in,
                          void* out) {
  if (!KeepsElements(from, to)) {
    return BitcastBits(context, from, to, static_cast<const char*>(in), static_cast<char*>(out));
  }
  const int64_t bytes = DenseBytes(to);
  if (bytes == 0) return absl::OkStatus();
  if (IsPlainBitcast(from, to)) {
    std::memcpy(out, in, static_cast<size_t>(bytes));
    return absl::OkStatus();
  }
  // To memory order and back.
  const void* physical = in;
  ScratchArray<char> memory;
  if (!IsRowMajor(from)) {
    void* ordered = out;
    if (!IsRowMajor(to)) {
      XLA_ASSIGN_OR_RETURN(memory, AllocateArray<char>(context, bytes));
      ordered = memory.data();
    }
    XLA_RETURN_IF_ERROR(CopyBetween(context, from, in, DenseStrides(from.dimensions()), ordered,
                                    StridesOfLayout(from)));
    physical = ordered;
  }
  if (IsRowMajor(to)) return absl::OkStatus();
  return CopyBetween(context, to, physical, StridesOfLayout(to), out,
                     DenseStrides(to.dimensions()));
}

bool IsPlainBitcastConvert(PrimitiveType from, PrimitiveType to) {
  const int from_bits = from == PRED ? 8 : primitive_util::BitWidth(from);
  const int to_bits = to == PRED ? 8 : primitive_util::BitWidth(to);
  const bool same_code = from_bits == to_bits && primitive_util::IsSignedIntegralType(from) ==
                                                     primitive_util::IsSignedIntegralType(to);
  // On little-endian machines, the bytes are the same.
  return to != PRED && ((from_bits >= 8 && to_bits >= 8) || same_code);
}

absl::Status BitcastConvertArray(Context& context, PrimitiveType from, PrimitiveType to,
                                 int64_t from_count, int64_t to_count, const void* in, void* out) {
  constexpr double kNanosecondsPerGroup = 3;
  constexpr int64_t kChunk = kUsualMachine.ItemsOfTask(kNanosecondsPerGroup);
  const int from_bits = from == PRED ? 8 : primitive_util::BitWidth(from);
  const int to_bits = to == PRED ? 8 : primitive_util::BitWidth(to);
  const int64_t group_bits = std::max({from_bits, to_bits, 8});
  const int64_t total_bits = from_count * from_bits;
  const auto* const source = static_cast<const uint8_t*>(in);
  auto* const target = static_cast<uint8_t*>(out);
  const bool to_signed = primitive_util::IsSignedIntegralType(to);
  // The last group may be partial when all elements are narrower than a byte.
  const int64_t whole = total_bits / group_bits;
  XLA_RETURN_IF_ERROR(context.ParallelFor(whole, kChunk, [&](int64_t begin, int64_t end) {
    RepackBits(source, from_bits, target, to_bits, to_signed, group_bits, begin, end);
    return absl::OkStatus();
  }));
  if (const int64_t rest = total_bits % group_bits; rest > 0) {
    RepackBits(source + whole * (group_bits / from_bits), from_bits,
               target + whole * (group_bits / to_bits), to_bits, to_signed, rest, 0, 1);
  }
  if (to == PRED) {
    for (int64_t i = 0; i < to_count; ++i) target[i] = target[i] != 0;
  }
  return absl::OkStatus();
}

}  // namespace xla::kernels
