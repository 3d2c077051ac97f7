// SPDX-License-Identifier: Apache-2.0
// Integers of variable length of MLIR bytecode, up to the last byte of a file.
#include "xla/mlir/bytecode_cursor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace xla::mlir {
namespace {

// Reads one integer; what is left, or the error.
std::string Read(const std::string& bytes, uint64_t* value) {
  BytecodeErrors errors;
  BytecodeCursor cursor(bytes, bytes.data(), &errors);
  if (!cursor.VarInt(value)) return errors.message;
  return std::to_string(cursor.left());
}

TEST(BytecodeCursorTest, IntegersEndWithTheFile) {
  // As many trailing zeros as bytes follow; the bits above them are the value, the low byte first.
  for (int bytes = 1; bytes <= 9; ++bytes) {
    const int bits = bytes == 9 ? 64 : 7 * bytes;
    const uint64_t greatest = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    std::string text;
    if (bytes == 9) {
      text = std::string(1, '\0') + std::string(8, '\xff');
    } else {
      const uint64_t word = (greatest << bytes) | (uint64_t{1} << (bytes - 1));
      for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(word >> (8 * i)));
    }
    uint64_t value = 0;
    EXPECT_EQ(Read(text, &value), "0") << bytes;
    EXPECT_EQ(value, greatest) << bytes;
    EXPECT_EQ(Read(text + "x", &value), "1") << bytes;
    EXPECT_EQ(value, greatest) << bytes;
    const std::string error = Read(text.substr(0, text.size() - 1), &value);
    EXPECT_GT(error.size(), 5) << bytes << ": " << error;
  }
}

TEST(BytecodeCursorTest, SignedIntegersAndFlags) {
  BytecodeErrors errors;
  const std::string bytes = {'\x0b', '\x0d', '\x0f', '\x07'};  // 5, 6, 7, 3
  BytecodeCursor cursor(bytes, bytes.data(), &errors);
  int64_t value;
  ASSERT_TRUE(cursor.SignedVarInt(&value));
  EXPECT_EQ(value, -3);
  ASSERT_TRUE(cursor.SignedVarInt(&value));
  EXPECT_EQ(value, 3);
  uint64_t number;
  bool flag;
  ASSERT_TRUE(cursor.VarIntWithFlag(&number, &flag));
  EXPECT_EQ(number, 3);
  EXPECT_TRUE(flag);
  EXPECT_FALSE(cursor.Count(&number));
  EXPECT_EQ(errors.message, "a list is longer than the file");
}

}  // namespace
}  // namespace xla::mlir
