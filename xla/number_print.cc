// SPDX-License-Identifier: Apache-2.0
// The text of single numbers.
//
// printf's %g with a given precision is digits of the exactly rounded value, in one of two
// notations. For float and double the shortest digits that read back (std::to_chars) decide most
// cases at once: up to digits10 of them, they are the digits that %.{digits10}g prints, because no
// two decimals of digits10 digits lie within one rounding interval of a normal number; with
// max_digits10 of them, they are those of %.{max_digits10}g. Otherwise, and for subnormal numbers,
// std::to_chars with a precision gives the digits.
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "xla/base/check.h"
#include "xla/literal_print.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla {
namespace {

// A decimal number d.ddd * 10^exponent without trailing zeros.
struct Decimal {
  char digits[24];
  int count;
  int exponent;
};

// Reads what std::to_chars writes in scientific notation.
Decimal ParseScientific(const char* begin, const char* end) {
  Decimal decimal;
  decimal.count = 0;
  const char* p = begin;
  for (; *p != 'e'; ++p) {
    if (*p != '.') decimal.digits[decimal.count++] = *p;
  }
  ++p;
  const bool negative = *p++ == '-';
  int exponent = 0;
  for (; p != end; ++p) exponent = exponent * 10 + (*p - '0');
  decimal.exponent = negative ? -exponent : exponent;
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') --decimal.count;
  return decimal;
}

template <typename T>
Decimal ShortestDigits(T magnitude) {
  char text[40];
  const auto result =
      std::to_chars(text, text + sizeof(text), magnitude, std::chars_format::scientific);
  return ParseScientific(text, result.ptr);
}

template <typename T>
Decimal RoundedDigits(T magnitude, int count) {
  char text[40];
  const auto result =
      std::to_chars(text, text + sizeof(text), magnitude, std::chars_format::scientific, count - 1);
  return ParseScientific(text, result.ptr);
}

// As %.{precision}g writes it.
void AppendDecimal(std::string* out, bool negative, const Decimal& decimal, int precision) {
  char text[48];
  char* p = text;
  if (negative) *p++ = '-';
  const char* digits = decimal.digits;
  const int count = decimal.count;
  int exponent = decimal.exponent;
  const auto put = [&](const char* from, int n) {
    std::memcpy(p, from, n);
    p += n;
  };
  if (exponent < -4 || exponent >= precision) {
    *p++ = digits[0];
    if (count > 1) {
      *p++ = '.';
      put(digits + 1, count - 1);
    }
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    exponent = std::abs(exponent);
    if (exponent >= 100) *p++ = static_cast<char>('0' + exponent / 100);
    *p++ = static_cast<char>('0' + exponent / 10 % 10);
    *p++ = static_cast<char>('0' + exponent % 10);
  } else if (exponent < 0) {
    put("0.000", 1 - exponent);
    put(digits, count);
  } else if (count <= exponent + 1) {
    put(digits, count);
    for (int i = count; i <= exponent; ++i) *p++ = '0';
  } else {
    put(digits, exponent + 1);
    *p++ = '.';
    put(digits + exponent + 1, count - exponent - 1);
  }
  out->append(text, p - text);
}

void AppendZeroOrInfinity(std::string* out, bool negative, bool zero) {
  if (negative) out->push_back('-');
  out->append(zero ? "0" : "inf");
}

void AppendNaN(std::string* out, bool negative, uint64_t payload, uint64_t default_payload) {
  out->append(negative ? "-nan" : "nan");
  if (payload == default_payload) return;
  char text[20];
  const auto result = std::to_chars(text, text + sizeof(text), payload, 16);
  out->append("(0x").append(text, result.ptr - text).push_back(')');
}

template <typename T, typename Bits>
void AppendNative(std::string* out, T value) {
  using Limits = std::numeric_limits<T>;
  constexpr int kMantissaBits = Limits::digits - 1;
  const Bits bits = std::bit_cast<Bits>(value);
  const bool negative = bits >> (sizeof(Bits) * 8 - 1);
  if (value != value) {
    const Bits payload = bits & ((Bits{1} << kMantissaBits) - 1);
    return AppendNaN(out, negative, payload, Bits{1} << (kMantissaBits - 1));
  }
  const T magnitude = negative ? -value : value;
  if (magnitude == 0 || magnitude > (Limits::max)())
    return AppendZeroOrInfinity(out, negative, magnitude == 0);
  // Small whole numbers are common, and cheap.
  if (magnitude < 1000 && magnitude == static_cast<T>(static_cast<int>(magnitude))) {
    return AppendInteger(out, static_cast<int64_t>(value));
  }
  if (magnitude < (Limits::min)()) {
    const Decimal few = RoundedDigits(magnitude, Limits::digits10);
    std::string few_text;
    AppendDecimal(&few_text, false, few, Limits::digits10);
    T back = 0;
    std::from_chars(few_text.data(), few_text.data() + few_text.size(), back);
    if (back == magnitude) return AppendDecimal(out, negative, few, Limits::digits10);
    return AppendDecimal(out, negative, RoundedDigits(magnitude, Limits::max_digits10),
                         Limits::max_digits10);
  }
  const Decimal shortest = ShortestDigits(magnitude);
  if (shortest.count <= Limits::digits10)
    return AppendDecimal(out, negative, shortest, Limits::digits10);
  if (shortest.count == Limits::max_digits10)
    return AppendDecimal(out, negative, shortest, Limits::max_digits10);
  AppendDecimal(out, negative, RoundedDigits(magnitude, Limits::max_digits10),
                Limits::max_digits10);
}

template <typename T>
void AppendMini(std::string* out, T value) {
  const auto bits = value.bits();
  const bool negative = (bits & T::kSignMask) != 0;
  if (isnan(value)) {
    // Payloads exist only where there are several NaNs.
    constexpr bool kHasPayload = T::kFloatKind == MiniFloatKind::kIeee;
    const uint64_t payload = kHasPayload ? bits & ((1u << T::kMantissaBits) - 1) : 0;
    return AppendNaN(out, negative, payload,
                     kHasPayload ? T::kQuietNaNBits & ((1u << T::kMantissaBits) - 1) : 0);
  }
  const float magnitude = std::fabs(static_cast<float>(value));
  if (magnitude == 0 || isinf(value)) return AppendZeroOrInfinity(out, negative, magnitude == 0);
  constexpr int kDigits = std::numeric_limits<T>::max_digits10;
  AppendDecimal(out, negative, RoundedDigits(magnitude, kDigits), kDigits);
}

}  // namespace

void AppendFloat(std::string* out, float value) { AppendNative<float, uint32_t>(out, value); }
void AppendFloat(std::string* out, double value) { AppendNative<double, uint64_t>(out, value); }
void AppendFloat(std::string* out, half value) { AppendMini(out, value); }
void AppendFloat(std::string* out, bfloat16 value) { AppendMini(out, value); }

void AppendInteger(std::string* out, int64_t value) {
  char text[24];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  out->append(text, result.ptr - text);
}
void AppendInteger(std::string* out, uint64_t value) {
  char text[24];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  out->append(text, result.ptr - text);
}

namespace {

template <typename T>
void AppendComplexParts(std::string* out, std::complex<T> value) {
  out->push_back('(');
  AppendFloat(out, value.real());
  out->append(", ");
  AppendFloat(out, value.imag());
  out->push_back(')');
}

}  // namespace

void AppendComplex(std::string* out, complex64 value) { AppendComplexParts(out, value); }
void AppendComplex(std::string* out, complex128 value) { AppendComplexParts(out, value); }

void AppendElement(std::string* out, PrimitiveType type, const void* element) {
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto each) {
        using T = primitive_util::NativeTypeOf<each>;
        T value;
        std::memcpy(static_cast<void*>(&value), element, sizeof(value));
        if constexpr (std::is_same_v<T, bool>) {
          out->append(value ? "true" : "false");
        } else if constexpr (is_complex_v<T>) {
          AppendComplex(out, value);
        } else if constexpr (std::is_floating_point_v<T>) {
          AppendFloat(out, value);
        } else if constexpr (is_mini_float_v<T>) {
          AppendMini(out, value);
        } else if constexpr (std::numeric_limits<T>::is_signed) {
          AppendInteger(out, static_cast<int64_t>(value));
        } else {
          AppendInteger(out, static_cast<uint64_t>(value));
        }
      },
      type);
}

}  // namespace xla
