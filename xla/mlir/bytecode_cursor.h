// SPDX-License-Identifier: Apache-2.0
// A place in MLIR bytecode: integers of variable length, and the first error.
#ifndef XLA_MLIR_BYTECODE_CURSOR_H_
#define XLA_MLIR_BYTECODE_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "absl/types/span.h"

namespace xla::mlir {

// Shared by the cursors of a file. The first error stays.
struct BytecodeErrors {
  size_t offset = 0;
  std::string message;

  bool ok() const { return message.empty(); }
};

class BytecodeCursor {
 public:
  BytecodeCursor() = default;
  // `base` is where the whole file begins, for the offsets of errors.
  BytecodeCursor(std::string_view data, const char* base, BytecodeErrors* errors)
      : at_(data.data()), end_(data.data() + data.size()), base_(base), errors_(errors) {}

  bool ok() const { return errors_->ok(); }
  bool AtEnd() const { return at_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  size_t offset() const { return static_cast<size_t>(at_ - base_); }
  std::string_view rest() const { return {at_, left()}; }

  bool Fail(std::string message) {
    if (ok()) {
      errors_->message = std::move(message);
      errors_->offset = offset();
    }
    return false;
  }

  bool Byte(uint8_t* value) {
    if (at_ == end_) return FailEnd();
    *value = static_cast<uint8_t>(*at_++);
    return true;
  }

  // The number of trailing zeros of the first byte tells how many bytes follow it.
  bool VarInt(uint64_t* value) {
    if (at_ == end_) return FailEnd();
    const auto first = static_cast<uint8_t>(*at_);
    if ((first & 1) != 0) {
      *value = first >> 1;
      ++at_;
      return true;
    }
    return LongVarInt(first, value);
  }
  bool SignedVarInt(int64_t* value) {
    uint64_t raw;
    if (!VarInt(&raw)) return false;
    *value = static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
    return true;
  }
  bool VarIntWithFlag(uint64_t* value, bool* flag) {
    if (!VarInt(value)) return false;
    *flag = (*value & 1) != 0;
    *value >>= 1;
    return true;
  }
  // A count of things that take a byte each at least: bounded by what is left.
  bool Count(uint64_t* value) {
    if (!VarInt(value)) return false;
    return *value <= left() || Fail("a list is longer than the file");
  }
  bool Bytes(uint64_t size, std::string_view* bytes) {
    if (size > left()) return FailEnd();
    *bytes = {at_, static_cast<size_t>(size)};
    at_ += size;
    return true;
  }
  // Up to a zero byte, which is skipped.
  bool NullTerminated(std::string_view* text);
  // Skips padding up to a multiple of `alignment` from the start of the file.
  bool Align(uint64_t alignment);
  // A section: its number and content.
  bool Section(uint8_t* id, std::string_view* content);

 private:
  bool FailEnd() { return Fail("the file is truncated"); }
  bool LongVarInt(uint8_t first, uint64_t* value);

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* base_ = nullptr;
  BytecodeErrors* errors_ = nullptr;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_BYTECODE_CURSOR_H_
