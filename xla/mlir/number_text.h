// SPDX-License-Identifier: Apache-2.0
// Numbers in MLIR text.
#ifndef XLA_MLIR_NUMBER_TEXT_H_
#define XLA_MLIR_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "xla/mlir/float_format.h"

namespace xla::mlir {

// Integers of at most this many bits are read.
inline constexpr int kMaxIntegerBits = 4096;

// A decimal or hexadecimal ("0x") magnitude: at least one word, the lowest first, without leading
// zero words. False if it has more than kMaxIntegerBits bits.
bool ParseMagnitude(std::string_view text, std::vector<uint64_t>* words);

// "1.5", "-2.0e+10"; the sign may be there. False if it is not a number.
bool ParseDecimalFloat(std::string_view text, double* value);

// The shortest decimal that reads back to the same bits, else the bits in hexadecimal.
void AppendFloatText(std::string* out, FloatKind kind, const FloatBits& bits);

// A signed or unsigned integer of any width, from its words.
void AppendIntegerText(std::string* out, const uint64_t* words, size_t count, bool is_signed);

}  // namespace xla::mlir

#endif  // XLA_MLIR_NUMBER_TEXT_H_
