// SPDX-License-Identifier: Apache-2.0
// The bytes of MLIR bytecode: integers of variable length, sections.
#ifndef XLA_MLIR_BYTECODE_EMITTER_H_
#define XLA_MLIR_BYTECODE_EMITTER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace xla::mlir {

class BytecodeEmitter {
 public:
  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  std::string Release() { return std::move(bytes_); }

  void Byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void SetByte(size_t offset, uint8_t value) { bytes_[offset] = static_cast<char>(value); }
  void Append(std::string_view bytes) { bytes_.append(bytes); }

  // The number of trailing zeros of the first byte tells how many bytes follow it.
  void VarInt(uint64_t value) {
    int extra = 0;
    while (extra < 8 && (value >> (7 * (extra + 1))) != 0) ++extra;
    if (extra == 8) {
      Byte(0);
      bytes_.append(reinterpret_cast<const char*>(&value), 8);
      return;
    }
    const uint64_t encoded = ((value << 1) | 1) << extra;
    bytes_.append(reinterpret_cast<const char*>(&encoded), static_cast<size_t>(extra) + 1);
  }
  void VarIntWithFlag(uint64_t value, bool flag) { VarInt(value << 1 | (flag ? 1 : 0)); }
  void SignedVarInt(int64_t value) {
    VarInt(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void SignedVarInts(absl::Span<const int64_t> values) {
    VarInt(values.size());
    for (const int64_t value : values) SignedVarInt(value);
  }
  void Blob(std::string_view data) {
    VarInt(data.size());
    Append(data);
  }
  // The bits of an integer or float of the given width.
  void Bits(int width, const uint64_t* words) {
    if (width <= 8) {
      Byte(static_cast<uint8_t>(words[0]));
    } else if (width <= 64) {
      SignedVarInt(static_cast<int64_t>(words[0]));
    } else {
      const int count = (width + 63) / 64;
      VarInt(static_cast<uint64_t>(count));
      for (int i = 0; i < count; ++i) SignedVarInt(static_cast<int64_t>(words[i]));
    }
  }
  void Section(uint8_t id, std::string_view content) {
    Byte(id);
    VarInt(content.size());
    Append(content);
  }

 private:
  std::string bytes_;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_BYTECODE_EMITTER_H_
