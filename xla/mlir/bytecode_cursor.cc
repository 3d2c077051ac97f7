// SPDX-License-Identifier: Apache-2.0
// The parts of MLIR bytecode's encoding.
#include "xla/mlir/bytecode_cursor.h"

namespace xla::mlir {

bool BytecodeCursor::LongVarInt(uint8_t first, uint64_t* value) {
  if (first == 0) {
    if (left() < 9) return FailEnd();
    std::memcpy(value, at_ + 1, 8);
    at_ += 9;
    return true;
  }
  const int extra = __builtin_ctz(first);
  if (left() < static_cast<size_t>(extra) + 1) return FailEnd();
  uint64_t raw = 0;
  std::memcpy(&raw, at_, static_cast<size_t>(extra) + 1);
  *value = raw >> (extra + 1);
  at_ += extra + 1;
  return true;
}

bool BytecodeCursor::NullTerminated(std::string_view* text) {
  const void* zero = std::memchr(at_, 0, left());
  if (zero == nullptr) return Fail("a string has no end");
  const char* end = static_cast<const char*>(zero);
  *text = {at_, static_cast<size_t>(end - at_)};
  at_ = end + 1;
  return true;
}

bool BytecodeCursor::Align(uint64_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return Fail("an alignment is not a power of two");
  }
  while (offset() % alignment != 0) {
    uint8_t padding;
    if (!Byte(&padding)) return false;
    if (padding != 0xCB) return Fail("expected padding (0xCB)");
  }
  return true;
}

bool BytecodeCursor::Section(uint8_t* id, std::string_view* content) {
  uint64_t size;
  if (!Byte(id) || !VarInt(&size)) return false;
  const bool is_aligned = (*id & 0x80) != 0;
  *id &= 0x7F;
  if (is_aligned) {
    uint64_t alignment;
    if (!VarInt(&alignment) || !Align(alignment)) return false;
  }
  return Bytes(size, content);
}

}  // namespace xla::mlir
