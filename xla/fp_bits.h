// SPDX-License-Identifier: Apache-2.0
// Signs, magnitudes and NaN payloads of floating-point numbers, and text that keeps them.
#ifndef XLA_FP_BITS_H_
#define XLA_FP_BITS_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "xla/types.h"

namespace xla {

namespace fp_internal {
template <size_t kBytes>
using BitsOfSize = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
template <typename To, typename From>
To Reinterpret(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof(To));
  return to;
}
// The %g form with few digits if these suffice for a double, else with `digits`; "nan(0x1)" with a
// payload.
std::string RoundTripText(double value, int few_digits, int digits, uint64_t payload);
std::string RoundTripText(float value, int few_digits, int digits, uint64_t payload);
}  // namespace fp_internal

// (all ones for negative numbers and else zero, bits of the absolute value). Formats without
// negative zero have the negative numbers one lower, so that these fill the gap.
template <typename T>
auto SignAndMagnitude(T x) {
  using Bits = fp_internal::BitsOfSize<sizeof(T)>;
  Bits bits = fp_internal::Reinterpret<Bits>(x);
  if constexpr (!std::numeric_limits<T>::is_signed) {
    return std::pair<Bits, Bits>(Bits{0}, bits);
  } else {
    // Formats narrower than their bytes have the sign below the highest bit.
    const Bits sign_bit = static_cast<Bits>(fp_internal::Reinterpret<Bits>(T(1)) ^
                                            fp_internal::Reinterpret<Bits>(T(-1)));
    const bool is_negative = (bits & sign_bit) != 0;
    bits = static_cast<Bits>(bits & ~sign_bit);
    if (is_negative && !has_negative_zero_v<T>) {
      // What would be the negative zero is NaN: the lowest of all.
      bits = static_cast<Bits>((bits == 0 ? sign_bit : bits) - 1);
    }
    return std::pair<Bits, Bits>(is_negative ? static_cast<Bits>(-1) : Bits{0}, bits);
  }
}

template <typename T>
auto SignAndMagnitudeToTwosComplement(T sign, T magnitude) {
  static_assert(!std::numeric_limits<T>::is_signed);
  using Signed = std::make_signed_t<T>;
  return static_cast<Signed>(static_cast<Signed>(magnitude) ^ static_cast<Signed>(sign));
}

// Integers in the order of the numbers.
template <typename T>
auto ToSignMagnitude(T input) {
  const auto [sign, magnitude] = SignAndMagnitude(input);
  if constexpr (!std::numeric_limits<T>::is_signed) {
    return magnitude;
  } else {
    return SignAndMagnitudeToTwosComplement(sign, magnitude);
  }
}

// The number of bits in which NaNs of the format may differ; 0 where it has one NaN alone.
template <typename T>
constexpr int NanPayloadBits() {
  return std::numeric_limits<T>::has_signaling_NaN ? std::numeric_limits<T>::digits - 1 : 0;
}
template <typename T>
constexpr uint64_t QuietNanWithoutPayload() {
  constexpr int kBits = NanPayloadBits<T>();
  return kBits > 0 ? uint64_t{1} << (kBits > 0 ? kBits - 1 : 0) : 0;
}
template <typename T>
constexpr uint64_t NanPayloadBitMask() {
  constexpr int kBits = NanPayloadBits<T>();
  return kBits > 0 ? (uint64_t{1} << kBits) - 1 : 0;
}
// Precondition: the payload is not 0 and fits the mask.
template <typename T>
T NanWithSignAndPayload(bool sign, uint64_t nan_payload) {
  static_assert(NanPayloadBits<T>() > 0);
  using Bits = fp_internal::BitsOfSize<sizeof(T)>;
  const Bits sign_bit = static_cast<Bits>(fp_internal::Reinterpret<Bits>(T(1)) ^
                                          fp_internal::Reinterpret<Bits>(T(-1)));
  Bits bits = fp_internal::Reinterpret<Bits>(std::numeric_limits<T>::quiet_NaN());
  bits = static_cast<Bits>(bits & ~sign_bit & ~NanPayloadBitMask<T>());
  bits = static_cast<Bits>(bits | nan_payload | (sign ? sign_bit : Bits{0}));
  return fp_internal::Reinterpret<T>(bits);
}

// Text from which the number, also a NaN, can be read again.
template <typename T, std::enable_if_t<is_specialized_floating_point_v<T>, int> = 0>
std::string RoundTripFpToString(T value) {
  uint64_t payload = 0;
  if constexpr (NanPayloadBits<T>() > 0) {
    if (value != value) {
      const auto bits = fp_internal::Reinterpret<fp_internal::BitsOfSize<sizeof(T)>>(value);
      payload = bits & NanPayloadBitMask<T>();
      if (payload == QuietNanWithoutPayload<T>()) payload = 0;
    }
  }
  constexpr int kDigits = std::numeric_limits<T>::max_digits10;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return fp_internal::RoundTripText(value, std::numeric_limits<T>::digits10, kDigits, payload);
  } else {
    return fp_internal::RoundTripText(static_cast<double>(value), kDigits, kDigits, payload);
  }
}

}  // namespace xla

#endif  // XLA_FP_BITS_H_
