// SPDX-License-Identifier: Apache-2.0
// The text of single numbers.
//
// printf's %g with a given precision prints that many digits of the exactly rounded value, in one
// of two notations. Between about 1e-5 and 1e15 the digits come from one exact product, mantissa
// times power of ten, in 128 bits; outside, std::to_chars gives them.
#include <array>
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
Decimal RoundedDigits(T magnitude, int count) {
  char text[40];
  const auto result =
      std::to_chars(text, text + sizeof(text), magnitude, std::chars_format::scientific, count - 1);
  return ParseScientific(text, result.ptr);
}

// Prints as %.{precision}g does.
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

using Uint128 = unsigned __int128;

constexpr int kMaxPowerOfTen = 28;
constexpr std::array<Uint128, kMaxPowerOfTen + 1> kPowersOfTen = [] {
  std::array<Uint128, kMaxPowerOfTen + 1> powers = {};
  powers[0] = 1;
  for (int i = 1; i <= kMaxPowerOfTen; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// A number mantissa * 2^-shift, times 10^scale so that its whole part has the wanted count of
// digits.
struct Scaled {
  Uint128 product;  // mantissa * 10^scale
  int shift;
  int scale;
  int exponent;  // decimal, of the first digit
};

// Scales mantissa * 2^exponent > 0 (mantissa of at most `mantissa_bits` bits) to `count` digits
// before the point. False if 128 bits do not hold the product exactly.
bool Scale(uint64_t mantissa, int exponent, int mantissa_bits, int count, Scaled* scaled) {
  const int log2 = 63 - __builtin_clzll(mantissa) + exponent;
  // floor(log2 * log10(2)); the decimal exponent is this or one more.
  const int estimate = static_cast<int>((static_cast<int64_t>(log2) * 315653) >> 20);
  const int scale = count - 1 - estimate;
  if (exponent > 0 || exponent < -100 || scale < 1 || scale > kMaxPowerOfTen) return false;
  // log2(10) < 3.33; one bit is kept free, so that twice a difference fits too.
  if (mantissa_bits + (scale * 333 + 99) / 100 > 126) return false;
  *scaled = {mantissa * kPowersOfTen[scale], -exponent, scale, estimate};
  if ((scaled->product >> scaled->shift) >= kPowersOfTen[count]) {
    *scaled = {mantissa * kPowersOfTen[scale - 1], -exponent, scale - 1, estimate + 1};
  }
  return true;
}

// The whole part divided by 10^drop, to nearest, ties to even.
uint64_t RoundScaled(const Scaled& scaled, int drop) {
  const auto whole = static_cast<uint64_t>(scaled.product >> scaled.shift);
  const Uint128 fraction = scaled.product - (static_cast<Uint128>(whole) << scaled.shift);
  if (drop == 0) {
    if (scaled.shift == 0) return whole;
    const Uint128 half = static_cast<Uint128>(1) << (scaled.shift - 1);
    return whole + (fraction > half || (fraction == half && (whole & 1)));
  }
  const auto divisor = static_cast<uint64_t>(kPowersOfTen[drop]);
  const uint64_t quotient = whole / divisor;
  const uint64_t rest = whole % divisor;
  const uint64_t half = divisor / 2;
  return quotient + (rest > half || (rest == half && (fraction != 0 || (quotient & 1))));
}

// `digits` is a whole number of `count` digits, or the power of ten after them.
Decimal MakeDecimal(uint64_t digits, int count, int exponent) {
  Decimal decimal;
  if (digits == static_cast<uint64_t>(kPowersOfTen[count])) {
    digits /= 10;
    ++exponent;
  }
  decimal.exponent = exponent;
  while (digits % 10 == 0) {
    digits /= 10;
    --count;
  }
  decimal.count = count;
  std::to_chars(decimal.digits, decimal.digits + sizeof(decimal.digits), digits);
  return decimal;
}

// Whether the decimal `digits` (times 10^(drop - scale)) is nearer to the scaled number than its
// neighbors are, so that it reads back to it.
template <typename T>
bool ReadsBack(const Scaled& scaled, uint64_t digits, int drop, uint64_t mantissa) {
  const Uint128 decimal = static_cast<Uint128>(digits) * kPowersOfTen[drop] << scaled.shift;
  // The distance of neighbors is 10^scale in these units; below a power of two it is half that.
  const bool below = decimal < scaled.product;
  const Uint128 distance = below ? scaled.product - decimal : decimal - scaled.product;
  const bool power_of_two = mantissa == uint64_t{1} << (std::numeric_limits<T>::digits - 1);
  const Uint128 twice = distance * (below && power_of_two ? 4 : 2);
  const Uint128 gap = kPowersOfTen[scaled.scale];
  return twice < gap || (twice == gap && (mantissa & 1) == 0);
}

// Normal numbers that Scale supports.
template <typename T>
bool AppendQuickly(std::string* out, bool negative, uint64_t mantissa, int exponent) {
  constexpr int kFew = std::numeric_limits<T>::digits10;
  constexpr int kMany = std::numeric_limits<T>::max_digits10;
  Scaled scaled;
  if (!Scale(mantissa, exponent, std::numeric_limits<T>::digits, kMany, &scaled)) return false;
  const uint64_t few = RoundScaled(scaled, kMany - kFew);
  if (ReadsBack<T>(scaled, few, kMany - kFew, mantissa)) {
    AppendDecimal(out, negative, MakeDecimal(few, kFew, scaled.exponent), kFew);
  } else {
    AppendDecimal(out, negative, MakeDecimal(RoundScaled(scaled, 0), kMany, scaled.exponent),
                  kMany);
  }
  return true;
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
  // Whole numbers of digits10 digits print as they are.
  constexpr T kWholeLimit = sizeof(T) == 4 ? static_cast<T>(1e6) : static_cast<T>(1e15);
  if (magnitude < kWholeLimit && magnitude == static_cast<T>(static_cast<int64_t>(magnitude))) {
    return AppendInteger(out, static_cast<int64_t>(value));
  }
  if (magnitude >= (Limits::min)()) {
    const uint64_t mantissa =
        (bits & ((Bits{1} << kMantissaBits) - 1)) | (Bits{1} << kMantissaBits);
    const int biased = static_cast<int>((bits << 1) >> (kMantissaBits + 1));
    if (AppendQuickly<T>(out, negative, mantissa,
                         biased - (Limits::max_exponent - 1) - kMantissaBits))
      return;
  }
  const Decimal few = RoundedDigits(magnitude, Limits::digits10);
  std::string text;
  AppendDecimal(&text, false, few, Limits::digits10);
  T back = 0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  if (back == magnitude) return AppendDecimal(out, negative, few, Limits::digits10);
  AppendDecimal(out, negative, RoundedDigits(magnitude, Limits::max_digits10),
                Limits::max_digits10);
}

template <typename T>
void AppendMini(std::string* out, T value) {
  const auto bits = value.bits();
  const bool negative = (bits & T::kSignMask) != 0;
  if (isnan(value)) {
    // Only types with several NaNs have payloads.
    constexpr bool kHasPayload = T::kFloatKind == MiniFloatKind::kIeee;
    const uint64_t payload = kHasPayload ? bits & ((1u << T::kMantissaBits) - 1) : 0;
    return AppendNaN(out, negative, payload,
                     kHasPayload ? T::kQuietNaNBits & ((1u << T::kMantissaBits) - 1) : 0);
  }
  const float magnitude = std::fabs(static_cast<float>(value));
  if (magnitude == 0 || isinf(value)) return AppendZeroOrInfinity(out, negative, magnitude == 0);
  constexpr int kDigits = std::numeric_limits<T>::max_digits10;
  // The number is normal as a float, except for the smallest ones of bfloat16 and F8E8M0FNU.
  const uint32_t wide = std::bit_cast<uint32_t>(magnitude);
  Scaled scaled;
  if (wide >= 0x00800000u && Scale((wide & 0x007fffffu) | 0x00800000u,
                                   static_cast<int>(wide >> 23) - 150, 24, kDigits, &scaled)) {
    return AppendDecimal(out, negative,
                         MakeDecimal(RoundScaled(scaled, 0), kDigits, scaled.exponent), kDigits);
  }
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
        } else if constexpr (is_intN_v<T>) {
          // The bits above the element's own mean nothing.
          AppendInteger(out, static_cast<int64_t>(T(static_cast<int>(value))));
        } else if constexpr (std::numeric_limits<T>::is_signed) {
          AppendInteger(out, static_cast<int64_t>(value));
        } else {
          AppendInteger(out, static_cast<uint64_t>(value));
        }
      },
      type);
}

}  // namespace xla
