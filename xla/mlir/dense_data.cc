// SPDX-License-Identifier: Apache-2.0
// The bytes of dense constants.
#include "xla/mlir/dense_data.h"

#include "absl/strings/str_cat.h"

namespace xla::mlir {
namespace {

const DenseAttribute* Make(TypeRef type, absl::Span<const char> data, bool is_splat,
                           Context* context) {
  return context->arena().New<DenseAttribute>(Attribute{AttributeKind::kDense}, is_splat, type,
                                              data);
}

// Bits as bytes of 0 and 1. A constant of one byte is a splat if the byte is all ones, else packed.
const DenseAttribute* MakeBool(TypeRef type, absl::Span<const char> bytes, int64_t count,
                               Context* context, std::string* error) {
  const auto size = static_cast<int64_t>(bytes.size());
  Arena& arena = context->arena();
  if (size == 1 && count != 1 && count != 0 &&
      (static_cast<unsigned char>(bytes[0]) == 0xFF || count > 8)) {
    const absl::Span<char> data = arena.NewArray<char>(1);
    data[0] = bytes[0] != 0 ? 1 : 0;
    return Make(type, data, true, context);
  }
  const bool packed = size != count && size == (count + 7) / 8;
  if (size != count && !packed) {
    *error = absl::StrCat("a constant of ", size, " bytes does not fit its type ", ToString(type));
    return nullptr;
  }
  const absl::Span<char> data = arena.NewArray<char>(static_cast<size_t>(count));
  for (size_t i = 0; i < data.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[packed ? i / 8 : i]);
    data[i] = (packed ? (byte >> (i % 8)) & 1 : byte) != 0 ? 1 : 0;
  }
  return Make(type, data, count == 1, context);
}

// Extends integers narrower than a byte, and clears unused bits of narrower floats.
absl::Span<const char> Normalized(const Type& element, absl::Span<const char> bytes,
                                  Context* context) {
  uint32_t width = 8;
  if (element.kind == TypeKind::kInteger) width = element.width;
  if (element.kind == TypeKind::kFloat) {
    width = static_cast<uint32_t>(GetFloatFormat(element.float_kind).width);
  }
  if (width >= 8 || width == 0) return bytes;
  const bool with_zeros =
      element.kind == TypeKind::kFloat || element.signedness == Signedness::kUnsigned;
  const absl::Span<char> data = context->arena().NewArray<char>(bytes.size());
  const auto shift = 8 - width;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto moved = static_cast<unsigned char>(static_cast<unsigned char>(bytes[i]) << shift);
    data[i] = with_zeros ? static_cast<char>(moved >> shift)
                         : static_cast<char>(static_cast<signed char>(moved) >> shift);
  }
  return data;
}

}  // namespace

const DenseAttribute* MakeDense(TypeRef type, absl::Span<const char> bytes, Context* context,
                                std::string* error) {
  const int64_t count = NumElements(*type);
  const int64_t element_bytes = type->element == nullptr ? 0 : ElementBytes(*type->element);
  if (count < 0 || element_bytes == 0) {
    *error = absl::StrCat("there are no constants of type ", ToString(type));
    return nullptr;
  }
  const Type& element = *type->element;
  if (element.IsInteger(1)) return MakeBool(type, bytes, count, context, error);
  const auto size = static_cast<int64_t>(bytes.size());
  const bool is_splat = size == element_bytes && count != 0;
  if (!is_splat && (size % element_bytes != 0 || size / element_bytes != count)) {
    // An empty constant may still hold its splat value.
    if (count == 0 && size == element_bytes) return Make(type, {}, false, context);
    *error = absl::StrCat("a constant of ", size, " bytes does not fit its type ", ToString(type));
    return nullptr;
  }
  return Make(type, Normalized(element, bytes, context), is_splat, context);
}

}  // namespace xla::mlir
