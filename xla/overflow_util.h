// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic with overflow detection. Every size that comes from a user's program is
// computed with these functions.
#ifndef XLA_OVERFLOW_UTIL_H_
#define XLA_OVERFLOW_UTIL_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"
#include "xla/xla_data_enums.h"

namespace xla {

// x * y for non-negative x and y; negative when the product does not fit.
inline int64_t MultiplyWithoutOverflow(int64_t x, int64_t y) {
  int64_t product;
  return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &product) ? -1 : product;
}

// The product wrapped to T, and whether it wrapped.
template <typename T>
std::pair<T, bool> OverflowSafeMultiply(T x, T y) {
  static_assert(std::is_integral_v<T>);
  T product;
  const bool overflow = __builtin_mul_overflow(x, y, &product);
  return {product, overflow};
}

// x + y, or nullopt when it does not fit.
template <typename T>
std::optional<T> OverflowSafeAdd(T x, T y) {
  static_assert(std::is_integral_v<T>);
  T sum;
  if (__builtin_add_overflow(x, y, &sum)) return std::nullopt;
  return sum;
}

// x - y, or nullopt when it does not fit.
template <typename T>
std::optional<T> OverflowSafeSub(T x, T y) {
  static_assert(std::is_integral_v<T>);
  T difference;
  if (__builtin_sub_overflow(x, y, &difference)) return std::nullopt;
  return difference;
}

// The product of non-negative factors; the greatest int64 when it does not fit, or when a factor is
// negative (an unbounded size is). Zero factors give 0 only if the others are non-negative.
inline int64_t SaturatingProduct(absl::Span<const int64_t> factors) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  int64_t product = 1;
  bool zero = false;
  for (const int64_t factor : factors) {
    if (factor < 0) return kMax;
    if (factor == 0) {
      zero = true;
    } else if (__builtin_mul_overflow(product, factor, &product)) {
      product = kMax;
    }
  }
  return zero ? 0 : product;
}

// Whether x is a valid value of the integer type `type`. False for types that are not integers.
inline bool FitsInIntegralType(int64_t x, PrimitiveType type) {
  const auto fits_signed = [x](int bits) {
    return x >= -(int64_t{1} << (bits - 1)) && x < int64_t{1} << (bits - 1);
  };
  const auto fits_unsigned = [x](int bits) { return x >= 0 && x < int64_t{1} << bits; };
  switch (type) {
    case S1:
      return fits_signed(1);
    case S2:
      return fits_signed(2);
    case S4:
      return fits_signed(4);
    case S8:
      return fits_signed(8);
    case S16:
      return fits_signed(16);
    case S32:
      return fits_signed(32);
    case S64:
      return true;
    case U1:
      return fits_unsigned(1);
    case U2:
      return fits_unsigned(2);
    case U4:
      return fits_unsigned(4);
    case U8:
      return fits_unsigned(8);
    case U16:
      return fits_unsigned(16);
    case U32:
      return fits_unsigned(32);
    case U64:
      return x >= 0;
    default:
      return false;
  }
}

}  // namespace xla

#endif  // XLA_OVERFLOW_UTIL_H_
