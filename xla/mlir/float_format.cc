// SPDX-License-Identifier: Apache-2.0
// Conversion between double and the floating-point types of MLIR.
#include "xla/mlir/float_format.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace xla::mlir {
namespace {

using Wide = unsigned __int128;

constexpr FloatFormat kFormats[kNumFloatKinds] = {
    {"f4E2M1FN", 4, 2, 1, 1, FloatSpecials::kFinite},
    {"f6E2M3FN", 6, 2, 3, 1, FloatSpecials::kFinite},
    {"f6E3M2FN", 6, 3, 2, 3, FloatSpecials::kFinite},
    {"f8E3M4", 8, 3, 4, 3, FloatSpecials::kIeee},
    {"f8E4M3", 8, 4, 3, 7, FloatSpecials::kIeee},
    {"f8E4M3FN", 8, 4, 3, 7, FloatSpecials::kNanOnly},
    {"f8E4M3FNUZ", 8, 4, 3, 8, FloatSpecials::kFnuz},
    {"f8E4M3B11FNUZ", 8, 4, 3, 11, FloatSpecials::kFnuz},
    {"f8E5M2", 8, 5, 2, 15, FloatSpecials::kIeee},
    {"f8E5M2FNUZ", 8, 5, 2, 16, FloatSpecials::kFnuz},
    {"f8E8M0FNU", 8, 8, 0, 127, FloatSpecials::kPower},
    {"bf16", 16, 8, 7, 127, FloatSpecials::kIeee},
    {"f16", 16, 5, 10, 15, FloatSpecials::kIeee},
    {"tf32", 19, 8, 10, 127, FloatSpecials::kIeee},
    {"f32", 32, 8, 23, 127, FloatSpecials::kIeee},
    {"f64", 64, 11, 52, 1023, FloatSpecials::kIeee},
    {"f80", 80, 15, 63, 16383, FloatSpecials::kIeee},
    {"f128", 128, 15, 112, 16383, FloatSpecials::kIeee},
};

Wide Ones(int bits) { return (Wide{1} << bits) - 1; }

// Magnitudes without the sign; f80 without its stored leading one.
Wide Infinity(const FloatFormat& f) { return Ones(f.exponent_bits) << f.mantissa_bits; }

Wide LargestMagnitude(const FloatFormat& f) {
  const Wide all = Ones(f.exponent_bits + f.mantissa_bits);
  switch (f.specials) {
    case FloatSpecials::kIeee:
      return Infinity(f) - 1;
    case FloatSpecials::kNanOnly:
    case FloatSpecials::kPower:
      return all - 1;
    case FloatSpecials::kFnuz:
    case FloatSpecials::kFinite:
      return all;
  }
  return all;
}

FloatBits Compose(FloatKind kind, const FloatFormat& f, bool negative, Wide magnitude) {
  if (kind == FloatKind::kF80) {  // inserts the stored leading one
    const Wide exponent = magnitude >> 63;
    magnitude =
        (magnitude & Ones(63)) | ((exponent != 0 ? Wide{1} : Wide{0}) << 63) | exponent << 64;
  }
  if (negative) magnitude |= Wide{1} << (f.width - 1);
  return {static_cast<uint64_t>(magnitude), static_cast<uint64_t>(magnitude >> 64)};
}

FloatBits Nan(FloatKind kind, const FloatFormat& f, bool negative) {
  switch (f.specials) {
    case FloatSpecials::kIeee:
      return Compose(kind, f, negative, Infinity(f) | Wide{1} << (f.mantissa_bits - 1));
    case FloatSpecials::kNanOnly:
      return Compose(kind, f, negative, Ones(f.exponent_bits + f.mantissa_bits));
    case FloatSpecials::kFnuz:
      return Compose(kind, f, true, 0);
    case FloatSpecials::kPower:
      return Compose(kind, f, false, Ones(8));
    case FloatSpecials::kFinite:
      return Compose(kind, f, negative, LargestMagnitude(f));
  }
  return {};
}

FloatBits Overflow(FloatKind kind, const FloatFormat& f, bool negative) {
  if (f.specials == FloatSpecials::kIeee) return Compose(kind, f, negative, Infinity(f));
  return Nan(kind, f, negative);
}

FloatBits EncodePower(const FloatFormat& f, double value) {
  if (!(value > 0) || std::isinf(value)) {
    return value == 0 ? FloatBits{0, 0} : Nan(FloatKind::kF8E8M0FNU, f, false);
  }
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  // The one bit of precision is always set, so that ties (1.5) round up.
  const int code = exponent - 1 + f.bias + (fraction >= 0.75 ? 1 : 0);
  if (code > 254) return Nan(FloatKind::kF8E8M0FNU, f, false);
  return {static_cast<uint64_t>(std::max(code, 0)), 0};
}

}  // namespace

const FloatFormat& GetFloatFormat(FloatKind kind) { return kFormats[static_cast<int>(kind)]; }

std::optional<FloatKind> FindFloatKind(std::string_view name) {
  for (int i = 0; i < kNumFloatKinds; ++i) {
    if (kFormats[i].name == name) return static_cast<FloatKind>(i);
  }
  return std::nullopt;
}

FloatBits EncodeFloat(FloatKind kind, double value) {
  uint64_t raw;
  std::memcpy(&raw, &value, sizeof(raw));
  if (kind == FloatKind::kF64) return {raw, 0};
  const FloatFormat& f = GetFloatFormat(kind);
  if (f.specials == FloatSpecials::kPower) return EncodePower(f, value);
  const bool negative = raw >> 63 != 0;
  const int exponent_code = static_cast<int>(raw >> 52 & 0x7FF);
  const uint64_t mantissa = raw & ((uint64_t{1} << 52) - 1);
  if (exponent_code == 0x7FF) {
    return mantissa != 0 ? Nan(kind, f, negative) : Overflow(kind, f, negative);
  }
  const bool keeps_sign_of_zero = f.specials != FloatSpecials::kFnuz;
  if (exponent_code == 0 && mantissa == 0)
    return Compose(kind, f, negative && keeps_sign_of_zero, 0);

  // value = significand * 2^(exponent - 52), the significand in [2^52, 2^53).
  uint64_t significand = mantissa;
  int exponent = -1022;
  if (exponent_code != 0) {
    significand |= uint64_t{1} << 52;
    exponent = exponent_code - 1023;
  } else {
    const int shift = __builtin_clzll(significand) - 11;
    significand <<= shift;
    exponent -= shift;
  }
  // The quantum of the result is 2^quantum, that of subnormal numbers at least.
  const int quantum = std::max(exponent, 1 - f.bias) - f.mantissa_bits;
  const int drop = quantum - (exponent - 52);
  Wide rounded;
  if (drop <= 0) {
    rounded = static_cast<Wide>(significand) << -drop;
  } else if (drop > 60) {
    rounded = 0;
  } else {
    rounded = significand >> drop;
    const uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
    const uint64_t half = uint64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
  }
  // Adding the leading one into the exponent serves subnormal results and carries alike.
  const Wide code = static_cast<Wide>(quantum + f.mantissa_bits + f.bias - 1);
  const Wide magnitude = (code << f.mantissa_bits) + rounded;
  if (magnitude > LargestMagnitude(f)) return Overflow(kind, f, negative);
  return Compose(kind, f, negative && (keeps_sign_of_zero || magnitude != 0), magnitude);
}

double DecodeFloat(FloatKind kind, const FloatBits& bits) {
  if (kind == FloatKind::kF64) {
    double value;
    std::memcpy(&value, &bits[0], sizeof(value));
    return value;
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const FloatFormat& f = GetFloatFormat(kind);
  Wide all = static_cast<Wide>(bits[1]) << 64 | bits[0];
  if (f.specials == FloatSpecials::kPower) {
    const int code = static_cast<int>(all & 0xFF);
    return code == 255 ? kNan : std::ldexp(1.0, code - f.bias);
  }
  const bool negative = (all >> (f.width - 1) & 1) != 0;
  all &= Ones(f.width - 1);
  if (kind == FloatKind::kF80) all = (all & Ones(63)) | (all >> 64) << 63;
  const int code = static_cast<int>(all >> f.mantissa_bits);
  const Wide mantissa = all & Ones(f.mantissa_bits);
  if (f.specials == FloatSpecials::kFnuz && negative && all == 0) return kNan;
  if (f.specials == FloatSpecials::kNanOnly && all > LargestMagnitude(f)) {
    return negative ? -kNan : kNan;
  }
  double value;
  if (f.specials == FloatSpecials::kIeee && all >= Infinity(f)) {
    value = mantissa != 0 ? kNan : std::numeric_limits<double>::infinity();
  } else {
    const Wide significand = code == 0 ? mantissa : mantissa | Wide{1} << f.mantissa_bits;
    value =
        std::ldexp(static_cast<double>(significand), std::max(code, 1) - f.bias - f.mantissa_bits);
  }
  return negative ? -value : value;
}

double SmallestPositive(FloatKind kind) {
  const FloatFormat& f = GetFloatFormat(kind);
  const int exponent = f.specials == FloatSpecials::kPower ? -f.bias : 1 - f.bias;
  return std::ldexp(1.0, exponent - f.mantissa_bits);
}

double LargestFinite(FloatKind kind) {
  const FloatFormat& f = GetFloatFormat(kind);
  return DecodeFloat(kind, Compose(kind, f, false, LargestMagnitude(f)));
}

}  // namespace xla::mlir
