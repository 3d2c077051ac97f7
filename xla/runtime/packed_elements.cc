// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/packed_elements.h"

#include <cstring>

#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/primitive_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

int64_t PackedBytes(int bits, int64_t count) {
  const int64_t per_byte = 8 / bits;
  return count / per_byte + (count % per_byte != 0);
}

// Of an array that has a size.
int64_t CountOf(const Shape& array) {
  const absl::StatusOr<int64_t> bytes = ElementBytes(array);
  XLA_CHECK(bytes.ok()) << bytes.status();
  return *bytes;  // of types of less than a byte
}

// The dynamic sizes behind the elements, which both forms align to their own size.
void CopySizes(const Shape& array, const void* from, int64_t from_elements, void* to,
               int64_t to_elements) {
  if (array.is_static()) return;
  constexpr int64_t kSize = sizeof(int32_t);
  std::memmove(static_cast<char*>(to) + RoundUpTo(to_elements, kSize),
               static_cast<const char*>(from) + RoundUpTo(from_elements, kSize),
               static_cast<size_t>(kSize * array.rank()));
}

// Loops of a constant width: the compiler unrolls them.
template <int kBits>
void Pack(const uint8_t* source, uint8_t* packed, int64_t count) {
  constexpr int64_t kPerByte = 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  for (int64_t i = 0; i < count; i += kPerByte) {
    unsigned byte = 0;
    for (int64_t k = 0; k < kPerByte && i + k < count; ++k) {
      byte |= (source[i + k] & kMask) << (kBits * k);
    }
    packed[i / kPerByte] = static_cast<uint8_t>(byte);
  }
}

template <int kBits>
void Unpack(const uint8_t* packed, uint8_t* destination, int64_t count) {
  constexpr int64_t kPerByte = 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1;
  for (int64_t i = 0; i < count; i += kPerByte) {
    const unsigned byte = packed[i / kPerByte];
    for (int64_t k = 0; k < kPerByte && i + k < count; ++k) {
      destination[i + k] = static_cast<uint8_t>(byte >> (kBits * k) & kMask);
    }
  }
}

}  // namespace

int PackedBits(PrimitiveType type) {
  if (!primitive_util::IsSubByteNonPredType(type)) return 0;
  const int bits = primitive_util::BitWidth(type);
  return 8 % bits == 0 ? bits : 0;
}

absl::StatusOr<int64_t> PackedArrayBytes(const Shape& array) {
  const int bits = PackedBits(array.element_type());
  if (bits == 0) return ArrayBytes(array);
  XLA_ASSIGN_OR_RETURN(const int64_t count, ElementBytes(array));
  const int64_t bytes = PackedBytes(bits, count);
  if (array.is_static()) return bytes;
  constexpr int64_t kSize = sizeof(int32_t);
  return RoundUpTo(bytes, kSize) + kSize * array.rank();
}

void PackArray(const Shape& array, const void* source, void* packed) {
  const int bits = PackedBits(array.element_type());
  const int64_t count = CountOf(array);
  const auto* from = static_cast<const uint8_t*>(source);
  auto* to = static_cast<uint8_t*>(packed);
  if (bits == 4) {
    Pack<4>(from, to, count);
  } else if (bits == 2) {
    Pack<2>(from, to, count);
  } else {
    Pack<1>(from, to, count);
  }
  CopySizes(array, source, count, packed, PackedBytes(bits, count));
}

void UnpackForHost(PrimitiveType type, const void* packed, void* destination, int64_t count) {
  const int bits = PackedBits(type);
  const auto* from = static_cast<const uint8_t*>(packed);
  auto* to = static_cast<uint8_t*>(destination);
  if (bits == 4) {
    Unpack<4>(from, to, count);
  } else if (bits == 2) {
    Unpack<2>(from, to, count);
  } else {
    Unpack<1>(from, to, count);
  }
}

void UnpackArray(const Shape& array, const void* packed, void* destination) {
  const PrimitiveType type = array.element_type();
  const int64_t count = CountOf(array);
  UnpackForHost(type, packed, destination, count);
  NormalizeSubByteElements(type, destination, count);
  CopySizes(array, packed, PackedBytes(PackedBits(type), count), destination, count);
}

}  // namespace xla::runtime
