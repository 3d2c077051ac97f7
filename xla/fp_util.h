// SPDX-License-Identifier: Apache-2.0
// Functions on floating-point formats, most of them usable in constant expressions.
#ifndef XLA_FP_UTIL_H_
#define XLA_FP_UTIL_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "xla/types.h"
#include "xla/util.h"

namespace xla {

template <typename T>
constexpr bool IsZero(T x) {
  return x == static_cast<T>(0.0f);
}
template <typename T>
constexpr bool IsSignMinus(T x) {
  return x < 0;
}
template <typename T>
constexpr T Abs(T x) {
  if (IsZero(x)) return x + static_cast<T>(0.0f);  // -0 becomes 0
  return IsSignMinus(x) ? -x : x;
}
template <typename T>
constexpr bool IsNaN(T x) {
  return x != x;
}
template <typename T>
constexpr bool IsInfinite(T x) {
  return Abs(x) == std::numeric_limits<T>::infinity();
}
template <typename T>
constexpr bool IsFinite(T x) {
  return !IsNaN(x) && !IsInfinite(x);
}
template <typename T>
constexpr bool IsNormal(T x) {
  return Abs(x) >= std::numeric_limits<T>::min() && Abs(x) <= std::numeric_limits<T>::max();
}
template <typename T>
constexpr bool IsSubnormal(T x) {
  return Abs(x) > static_cast<T>(0) && Abs(x) < std::numeric_limits<T>::min();
}

// x * radix^n, rounded once.
template <typename T>
constexpr T ScaleBase(T x, int n) {
  static_assert(is_specialized_floating_point_v<T>);
  using Limits = std::numeric_limits<T>;
  while (n > 0 && IsFinite(x) && !IsZero(x)) {
    const int step = std::min(n, Limits::max_exponent - 1);
    x *= IPow(static_cast<T>(Limits::radix), step);
    n -= step;
  }
  for (; n < 0 && IsFinite(x) && !IsZero(x); ++n) {
    const T shifted = x / Limits::radix;
    if (IsSubnormal(shifted)) {
      // The rest in one step: repeated halving would round repeatedly.
      const int scale = n - ((Limits::min_exponent - 1) - (Limits::digits - 1));
      if (scale < 0) return x * static_cast<T>(0);
      return x * ScaleBase(Limits::denorm_min(), scale);
    }
    x = shifted;
  }
  return x;
}

// The exponent of the greatest power of the radix that is at most |x|; nullopt for NaN, the
// greatest int for infinity, the least for zero.
template <typename T>
constexpr std::optional<int> LogBase(T x) {
  if (IsNaN(x)) return std::nullopt;
  if (IsInfinite(x)) return std::numeric_limits<int>::max();
  if (IsZero(x)) return std::numeric_limits<int>::min();
  T rest = Abs(x);
  int exponent = 0;
  for (; rest < static_cast<T>(1); --exponent) rest *= std::numeric_limits<T>::radix;
  for (; rest >= std::numeric_limits<T>::radix; ++exponent) rest /= std::numeric_limits<T>::radix;
  return exponent;
}

enum class RoundingDirection { kRoundTiesToEven, kRoundTowardsZero };

// high + low == value, where high has this many zeros at its end. NaNs where that is impossible.
template <typename DstT, typename SrcT>
constexpr std::pair<DstT, DstT> SplitToFpPair(
    SrcT value, int num_high_trailing_zeros,
    RoundingDirection direction = RoundingDirection::kRoundTiesToEven) {
  using Limits = std::numeric_limits<DstT>;
  constexpr std::pair<DstT, DstT> kError(Limits::quiet_NaN(), Limits::quiet_NaN());
  if (num_high_trailing_zeros < 0 || !IsFinite(value)) return kError;
  if (IsZero(value)) return {static_cast<DstT>(value), static_cast<DstT>(value)};
  if (IsSignMinus(value)) {
    const auto [high, low] =
        SplitToFpPair<DstT, SrcT>(Abs(value), num_high_trailing_zeros, direction);
    return {-high, -low};
  }
  const int exponent = *LogBase(value);
  const int precision =
      Limits::digits - std::max((Limits::min_exponent - 1) - exponent, 0) - num_high_trailing_zeros;
  if (precision < 1) return kError;
  const SrcT scaled = ScaleBase(value, precision - (exponent + 1));
  uint64_t whole = static_cast<uint64_t>(scaled);
  const SrcT fraction = scaled - static_cast<SrcT>(whole);
  if (direction == RoundingDirection::kRoundTiesToEven &&
      (fraction > static_cast<SrcT>(0.5f) ||
       (fraction == static_cast<SrcT>(0.5f) && whole % 2 == 1))) {
    ++whole;
  }
  const SrcT rounded = ScaleBase(static_cast<SrcT>(whole), (exponent + 1) - precision);
  const DstT high = static_cast<DstT>(rounded);
  if (static_cast<SrcT>(high) != rounded) return kError;
  return {high, static_cast<DstT>(value - static_cast<double>(high))};
}

// Rounded to this many significant digits.
template <typename DstT, typename SrcT>
constexpr DstT RoundToPrecision(SrcT value, int precision = std::numeric_limits<DstT>::digits,
                                RoundingDirection direction = RoundingDirection::kRoundTiesToEven) {
  return SplitToFpPair<DstT, SrcT>(value, std::numeric_limits<DstT>::digits - precision, direction)
      .first;
}

// log(2) as the sum of two numbers.
template <typename DstT>
constexpr std::pair<DstT, DstT> Log2FloatPair(int num_high_trailing_zeros) {
  return SplitToFpPair<DstT>(0.693147180559945309417232121458176568, num_high_trailing_zeros);
}

// The distance from |x| to the next greater number, as Goldberg counts it.
template <typename T>
constexpr T GoldbergUlp(T x) {
  using Limits = std::numeric_limits<T>;
  if (IsZero(x) || IsSubnormal(x)) return GoldbergUlp(Limits::min());
  if (IsFinite(x)) return ScaleBase(Limits::epsilon(), *LogBase(x));
  if constexpr (Limits::has_quiet_NaN) return Limits::quiet_NaN();
  if constexpr (Limits::has_infinity) return Limits::infinity();
  return GoldbergUlp(Limits::max());
}

// The number of values between a and b, whose codes are compared.
template <typename T>
int64_t CalculateDistanceInFloats(T a, T b) {
  using Bits = UnsignedIntegerTypeForSizeType<sizeof(T)>;
  const auto place = [](T value) {
    const Bits code = std::bit_cast<Bits>(value);
    constexpr int kBits = [] {
      if constexpr (is_mini_float_v<T>) return T::kTotalBits;
      return static_cast<int>(sizeof(T)) * 8;
    }();
    if constexpr (!std::numeric_limits<T>::is_signed) return uint64_t{code};
    const Bits sign = static_cast<Bits>(Bits{1} << (kBits - 1));
    const uint64_t magnitude = static_cast<Bits>(code & ~sign);
    return (code & sign) != 0 ? uint64_t{0} - magnitude : magnitude;
  };
  return std::abs(static_cast<int64_t>(place(a) - place(b)));
}

// The same; nullopt where only one is NaN or infinite.
template <typename T>
std::optional<int64_t> UlpDistance(T actual, T expected) {
  if (std::isnan(expected) || std::isnan(actual)) {
    return std::isnan(expected) && std::isnan(actual) ? std::optional<int64_t>(0) : std::nullopt;
  }
  if (std::isinf(expected) || std::isinf(actual)) {
    return expected == actual ? std::optional<int64_t>(0) : std::nullopt;
  }
  return CalculateDistanceInFloats(actual, expected);
}

// The upper halves of two floats in one word, and back.
template <typename T>
T PackFloatPairAsBf16(float lower, float upper) {
  static_assert(sizeof(T) == 4);
  return std::bit_cast<T>((std::bit_cast<uint32_t>(lower) >> 16) |
                          (std::bit_cast<uint32_t>(upper) & 0xffff0000u));
}
template <typename T>
std::pair<float, float> UnpackFloatPairAsBf16(T packed) {
  static_assert(sizeof(T) == 4);
  const uint32_t word = std::bit_cast<uint32_t>(packed);
  return {std::bit_cast<float>(word << 16), std::bit_cast<float>(word & 0xffff0000u)};
}

}  // namespace xla

#endif  // XLA_FP_UTIL_H_
