// SPDX-License-Identifier: Apache-2.0
// The floating-point types of MLIR: their bit layouts, and conversion from and to double.
#ifndef XLA_MLIR_FLOAT_FORMAT_H_
#define XLA_MLIR_FLOAT_FORMAT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xla::mlir {

enum class FloatKind : uint8_t {
  kF4E2M1FN,
  kF6E2M3FN,
  kF6E3M2FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E4M3B11FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kTF32,
  kF32,
  kF64,
  kF80,
  kF128,
};
inline constexpr int kNumFloatKinds = 18;

// What the largest exponents and the negative zero mean.
enum class FloatSpecials : uint8_t {
  kIeee,     // infinities and NaNs
  kNanOnly,  // "FN": no infinities, all bits set is NaN
  kFnuz,     // no infinities, negative zero is NaN
  kFinite,   // neither infinities nor NaNs
  kPower,    // f8E8M0FNU: an exponent alone, unsigned; all bits set is NaN
};

struct FloatFormat {
  std::string_view name;  // "f8E4M3FN"
  int width;              // bits
  int exponent_bits;
  int mantissa_bits;  // without the leading one; 63 for f80, which stores it
  int bias;
  FloatSpecials specials;
};

const FloatFormat& GetFloatFormat(FloatKind kind);
std::optional<FloatKind> FindFloatKind(std::string_view name);

// Bits of a float, the low word first; only f80 and f128 use the second.
using FloatBits = std::array<uint64_t, 2>;

// Rounds to nearest, ties to even. Overflow gives infinity, else NaN, else the largest number.
FloatBits EncodeFloat(FloatKind kind, double value);
// Exact but for f80 and f128, which are rounded.
double DecodeFloat(FloatKind kind, const FloatBits& bits);
// The least positive and the greatest finite value; of f80 and f128 as doubles, so 0 and infinity.
double SmallestPositive(FloatKind kind);
double LargestFinite(FloatKind kind);

}  // namespace xla::mlir

#endif  // XLA_MLIR_FLOAT_FORMAT_H_
