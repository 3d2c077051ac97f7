// SPDX-License-Identifier: Apache-2.0
// MiniFloat: one template for every floating-point format narrower than float (half, bfloat16,
// float8, float6, float4).
#ifndef XLA_TYPES_MINI_FLOAT_H_
#define XLA_TYPES_MINI_FLOAT_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

namespace xla {

// How the format uses the codes at the ends of its range.
enum class MiniFloatKind {
  kIeee,        // infinities, NaNs, signed zero; overflow gives infinity
  kFn,          // no infinity; the all-ones magnitude is NaN; overflow gives NaN
  kFnuz,        // no infinity, no negative zero; the code of -0 is the one NaN; overflow gives NaN
  kFiniteOnly,  // no infinity, no NaN: overflow and infinity saturate, NaN becomes a zero
  kScale,       // no sign, no zero, no mantissa (powers of two); all-ones is NaN, as is anything
                // negative
};

namespace mini_float_internal {

template <typename Wide>
struct WideTraits;
template <>
struct WideTraits<float> {
  using Bits = uint32_t;
  static constexpr int kMantissaBits = 23, kBias = 127;
};
template <>
struct WideTraits<double> {
  using Bits = uint64_t;
  static constexpr int kMantissaBits = 52, kBias = 1023;
};

// A double that rounds to any format narrower than float as `value` itself does: bits below the
// uppermost 43 are dropped, except for a sticky last bit that is set if any of them was.
constexpr double StickyDouble(uint64_t value) {
  if (value >> 53) {
    const uint64_t dropped = value & 0x7ff;
    value = (value & ~uint64_t{0x7ff}) | (dropped != 0 ? 0x800 : 0);
  }
  return static_cast<double>(value);
}

// condition ? a : b, written so that compilers do not emit a branch, which would prevent
// vectorization of loops.
constexpr int32_t Select(bool condition, int32_t a, int32_t b) {
  const int32_t mask = -static_cast<int32_t>(condition);
  return (a & mask) | (b & ~mask);
}

}  // namespace mini_float_internal

// Other libraries' types that stand for the same format, such as Eigen::half: convertible in both
// directions. Specialized in xla/types.h.
template <typename T>
struct ForeignMiniFloat {
  using Native = void;
};

// A floating-point number of `kBits` bits: sign, `kExponent` exponent bits, `kMantissa` mantissa
// bits, exponent bias `kBias`. The object is its code, in the low bits of one or two bytes.
// Conversion from float and from double rounds once, to nearest even; conversion to float and
// double is exact. Arithmetic computes in float and rounds. NaN converts to the quiet NaN of the
// same sign; payloads are not carried over.
template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
class MiniFloat {
 public:
  using Bits = std::conditional_t<(kBits > 8), uint16_t, uint8_t>;
  static constexpr int kTotalBits = kBits;
  static constexpr int kExponentBits = kExponent;
  static constexpr int kMantissaBits = kMantissa;
  static constexpr int kExponentBias = kBias;
  static constexpr MiniFloatKind kFloatKind = kKind;
  static constexpr bool kHasSign = kKind != MiniFloatKind::kScale;
  static constexpr bool kHasInfinity = kKind == MiniFloatKind::kIeee;
  static constexpr bool kHasNaN = kKind != MiniFloatKind::kFiniteOnly;
  static constexpr bool kHasZero = kKind != MiniFloatKind::kScale;
  static constexpr bool kHasNegativeZero = kHasSign && kKind != MiniFloatKind::kFnuz;

  static constexpr Bits kSignMask = kHasSign ? Bits(1u << (kBits - 1)) : Bits(0);
  static constexpr Bits kMagnitudeMask = Bits((1u << (kHasSign ? kBits - 1 : kBits)) - 1);
  static constexpr Bits kInfinityBits = Bits(((1u << kExponent) - 1) << kMantissa);
  static constexpr Bits kMaxBits = kKind == MiniFloatKind::kIeee ? Bits(kInfinityBits - 1)
                                   : kKind == MiniFloatKind::kFn || kKind == MiniFloatKind::kScale
                                       ? Bits(kMagnitudeMask - 1)
                                       : kMagnitudeMask;
  static constexpr Bits kQuietNaNBits =
      kKind == MiniFloatKind::kIeee
          ? Bits(kInfinityBits | (1u << (kMantissa > 0 ? kMantissa - 1 : 0)))
      : kKind == MiniFloatKind::kFnuz       ? kSignMask
      : kKind == MiniFloatKind::kFiniteOnly ? kSignMask
                                            : kMagnitudeMask;

  constexpr MiniFloat() = default;
  explicit constexpr MiniFloat(float value) : bits_(Round(value)) {}
  explicit constexpr MiniFloat(double value) : bits_(Round(value)) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  explicit constexpr MiniFloat(T value) : bits_(FromInteger(value)) {}
  template <int b, int e, int m, int o, MiniFloatKind k>
  explicit constexpr MiniFloat(MiniFloat<b, e, m, o, k> value)
      : bits_(Round(static_cast<float>(value))) {}
  template <
      typename T,
      std::enable_if_t<std::is_same_v<typename ForeignMiniFloat<T>::Native, MiniFloat>, int> = 0>
  constexpr MiniFloat(const T& value)  // NOLINT: the same format
      : bits_(std::bit_cast<Bits>(value)) {}
  constexpr MiniFloat(const MiniFloat&) = default;
  constexpr MiniFloat& operator=(const MiniFloat&) = default;

  static constexpr MiniFloat FromBits(Bits bits) {
    MiniFloat result;
    result.bits_ = bits;
    return result;
  }
  // As ml_dtypes and Eigen spell it.
  static constexpr MiniFloat FromRep(Bits bits) { return FromBits(bits); }
  constexpr Bits bits() const { return bits_; }
  constexpr Bits rep() const { return bits_; }

  // Implicit for half and bfloat16, as Eigen's and ml_dtypes' are: they mix with float and double.
  explicit(kBits != 16) constexpr operator float() const { return Widen<float>(bits_); }
  explicit constexpr operator double() const { return Widen<double>(bits_); }
  explicit constexpr operator long double() const { return Widen<double>(bits_); }
  template <
      typename T,
      std::enable_if_t<std::is_same_v<typename ForeignMiniFloat<T>::Native, MiniFloat>, int> = 0>
  operator T() const {
    return std::bit_cast<T>(bits_);
  }
  explicit constexpr operator bool() const { return !IsZeroBits(bits_); }
  template <typename T,
            std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  explicit constexpr operator T() const {
    return static_cast<T>(Widen<float>(bits_));
  }

  constexpr MiniFloat operator-() const {
    if constexpr (kKind == MiniFloatKind::kScale) return FromBits(kQuietNaNBits);
    if constexpr (kKind == MiniFloatKind::kFnuz) {
      if ((bits_ & kMagnitudeMask) == 0) return *this;  // zero and NaN have no negation
    }
    return FromBits(bits_ ^ kSignMask);
  }
  constexpr MiniFloat operator+() const { return *this; }
  friend constexpr MiniFloat operator+(MiniFloat a, MiniFloat b) {
    return MiniFloat(float(a) + float(b));
  }
  friend constexpr MiniFloat operator-(MiniFloat a, MiniFloat b) {
    return MiniFloat(float(a) - float(b));
  }
  friend constexpr MiniFloat operator*(MiniFloat a, MiniFloat b) {
    return MiniFloat(float(a) * float(b));
  }
  friend constexpr MiniFloat operator/(MiniFloat a, MiniFloat b) {
    return MiniFloat(float(a) / float(b));
  }
  constexpr MiniFloat& operator++() { return *this = MiniFloat(float(*this) + 1.0f); }
  constexpr MiniFloat& operator--() { return *this = MiniFloat(float(*this) - 1.0f); }
  constexpr MiniFloat operator++(int) {
    const MiniFloat old = *this;
    ++*this;
    return old;
  }
  constexpr MiniFloat operator--(int) {
    const MiniFloat old = *this;
    --*this;
    return old;
  }
  constexpr MiniFloat& operator+=(MiniFloat b) { return *this = *this + b; }
  constexpr MiniFloat& operator-=(MiniFloat b) { return *this = *this - b; }
  constexpr MiniFloat& operator*=(MiniFloat b) { return *this = *this * b; }
  constexpr MiniFloat& operator/=(MiniFloat b) { return *this = *this / b; }
  friend constexpr bool operator==(MiniFloat a, MiniFloat b) { return float(a) == float(b); }
  friend constexpr bool operator!=(MiniFloat a, MiniFloat b) { return float(a) != float(b); }
  friend constexpr bool operator<(MiniFloat a, MiniFloat b) { return float(a) < float(b); }
  friend constexpr bool operator<=(MiniFloat a, MiniFloat b) { return float(a) <= float(b); }
  friend constexpr bool operator>(MiniFloat a, MiniFloat b) { return float(a) > float(b); }
  friend constexpr bool operator>=(MiniFloat a, MiniFloat b) { return float(a) >= float(b); }

  friend std::ostream& operator<<(std::ostream& os, MiniFloat v) { return os << float(v); }

  // Access to the codes.
  static constexpr bool IsNaNBits(Bits b) {
    if constexpr (kKind == MiniFloatKind::kIeee) return (b & kMagnitudeMask) > kInfinityBits;
    if constexpr (kKind == MiniFloatKind::kFn) return (b & kMagnitudeMask) == kMagnitudeMask;
    if constexpr (kKind == MiniFloatKind::kFnuz) return b == kSignMask;
    if constexpr (kKind == MiniFloatKind::kScale) return b == kMagnitudeMask;
    return false;
  }
  static constexpr bool IsInfBits(Bits b) {
    return kHasInfinity && (b & kMagnitudeMask) == kInfinityBits;
  }
  static constexpr bool IsZeroBits(Bits b) {
    if constexpr (!kHasZero) return false;
    if constexpr (kKind == MiniFloatKind::kFnuz) return b == 0;
    return (b & kMagnitudeMask) == 0;
  }

  // The code nearest to `value`, ties to even.
  template <typename Wide>
  static constexpr Bits Round(Wide value);
  // The value of a code, exact in float and double.
  template <typename Wide>
  static constexpr Wide Widen(Bits code);

 private:
  template <typename T>
  static constexpr Bits FromInteger(T value) {
    if constexpr (std::is_signed_v<T>) {
      if (value < 0) {
        return Round(
            -mini_float_internal::StickyDouble(uint64_t{0} - static_cast<uint64_t>(value)));
      }
    }
    return Round(mini_float_internal::StickyDouble(static_cast<uint64_t>(value)));
  }
  template <typename Wide>
  static constexpr Bits RoundGeneric(Wide value);
  static constexpr Bits RoundFloat(float value);
  static constexpr float WidenFloat(Bits code);
  template <typename Wide>
  static constexpr Wide WidenScale(Bits code);

  Bits bits_ = 0;
};

template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
template <typename Wide>
constexpr auto MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>::RoundGeneric(Wide value)
    -> Bits {
  using Traits = mini_float_internal::WideTraits<Wide>;
  using W = typename Traits::Bits;
  constexpr int kWideMantissa = Traits::kMantissaBits;
  constexpr int kWideBits = sizeof(W) * 8;
  constexpr W kWideInfinity = (W{1} << (kWideBits - 1)) - (W{1} << kWideMantissa);
  constexpr int kMinExponent = kHasZero ? 1 - kBias : -kBias;  // of normal numbers

  const W wide = std::bit_cast<W>(value);
  const W magnitude = wide & ~(W{1} << (kWideBits - 1));
  const bool negative = wide != magnitude;
  Bits sign = negative ? kSignMask : Bits(0);

  if (magnitude > kWideInfinity) {
    if constexpr (kKind == MiniFloatKind::kFnuz) return kQuietNaNBits;
    // The format has no NaN: as in ml_dtypes, NaN becomes negative zero and -NaN positive zero.
    if constexpr (kKind == MiniFloatKind::kFiniteOnly) return Bits(kQuietNaNBits ^ sign);
    return Bits(kQuietNaNBits | sign);
  }
  constexpr auto kOverflow = [](Bits s) {
    if constexpr (kKind == MiniFloatKind::kIeee) return Bits(kInfinityBits | s);
    if constexpr (kKind == MiniFloatKind::kFiniteOnly) return Bits(kMaxBits | s);
    if constexpr (kKind == MiniFloatKind::kFnuz) return kQuietNaNBits;
    return Bits(kQuietNaNBits | s);
  };
  if (magnitude == kWideInfinity) return kOverflow(sign);
  if constexpr (kKind == MiniFloatKind::kScale) {
    if (negative || magnitude == 0) return kQuietNaNBits;
  }

  const int wide_exponent = static_cast<int>(magnitude >> kWideMantissa);
  int exponent = wide_exponent - Traits::kBias;
  W significand = magnitude & ((W{1} << kWideMantissa) - 1);
  if (wide_exponent == 0) {
    exponent = 1 - Traits::kBias;
    if constexpr (kKind == MiniFloatKind::kScale) {
      // The format has no subnormal codes: normalize the leading bit.
      while (!(significand >> kWideMantissa)) {
        significand <<= 1;
        --exponent;
      }
    }
  } else {
    significand |= W{1} << kWideMantissa;
  }
  if constexpr (kKind == MiniFloatKind::kScale) {
    // The code is the exponent; from 1.5 * 2^exponent on, the next one is taken.
    if (exponent < kMinExponent) return 0;
    // As in ml_dtypes and XLA, what is greater than the least code is at least the next one.
    if (exponent == kMinExponent) return significand == W{1} << kWideMantissa ? 0 : 1;
    const uint32_t code = static_cast<uint32_t>(exponent - kMinExponent);
    const uint32_t rounded_code =
        code + static_cast<uint32_t>((significand >> (kWideMantissa - 1)) & 1);
    return rounded_code > kMaxBits ? kOverflow(0) : Bits(rounded_code);
  }
  const int below = exponent < kMinExponent ? kMinExponent - exponent : 0;
  const int shift = kWideMantissa - kMantissa + below;
  W rounded = 0;
  if (shift <= kWideMantissa + 1) {
    const W half_less_one = (W{1} << (shift - 1)) - 1;
    rounded = (significand + half_less_one + ((significand >> shift) & 1)) >> shift;
  }
  // A normal significand still has its leading bit, which counts one exponent step.
  uint32_t code = static_cast<uint32_t>(rounded);
  if (below == 0) code += static_cast<uint32_t>(exponent - kMinExponent) << kMantissa;
  if (code > kMaxBits) return kOverflow(sign);
  if constexpr (kKind == MiniFloatKind::kFnuz) {
    if (code == 0) return 0;
  }
  return Bits(code | sign);
}

template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
template <typename Wide>
constexpr Wide MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>::WidenScale(Bits code) {
  // 2^(code - 127), of which 2^-127 is a subnormal float.
  const uint32_t wide = code == kMagnitudeMask ? 0x7fc00000u
                        : code == 0            ? 0x00400000u
                                               : uint32_t{code} << 23;
  return static_cast<Wide>(std::bit_cast<float>(wide));
}

// The conversions from and to float are straight-line code on signed integers (which every vector
// unit compares), so that compilers turn loops of them into vector code.
template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
constexpr auto MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>::RoundFloat(float value)
    -> Bits {
  using mini_float_internal::Select;
  constexpr int32_t kShift = 23 - kMantissa;
  constexpr int32_t kMinNormal = (128 - kBias) << 23;
  // A float whose last bit weighs as much as the least subnormal: adding it lets the addition
  // itself round.
  constexpr int32_t kMagic = (127 + 1 - kBias - kMantissa + 23) << 23;
  constexpr int32_t kOverflow = kKind == MiniFloatKind::kIeee         ? kInfinityBits
                                : kKind == MiniFloatKind::kFiniteOnly ? kMaxBits
                                                                      : kQuietNaNBits;
  const int32_t wide = std::bit_cast<int32_t>(value);
  const int32_t magnitude = wide & 0x7fffffff;
  // Of a NaN this overflows no int32: the greatest magnitude is 2^31 - 1, which is cut to that of
  // infinity first.
  const int32_t capped = Select(magnitude > 0x7f800000, 0x7f800000, magnitude);
  const int32_t sign = (wide >> (32 - kBits)) & kSignMask;
  const int32_t normal =
      ((capped + ((1 << (kShift - 1)) - 1) + ((capped >> kShift) & 1)) >> kShift) -
      ((127 - kBias) << kMantissa);
  const int32_t subnormal =
      std::bit_cast<int32_t>(std::bit_cast<float>(capped) + std::bit_cast<float>(kMagic)) - kMagic;
  int32_t code = Select(capped < kMinNormal, subnormal, normal);
  code = Select(code > kMaxBits, kOverflow, code);
  if constexpr (kKind == MiniFloatKind::kFnuz) {
    // Zero and NaN are unsigned; infinity and NaN have overflowed to NaN above.
    const int32_t signed_code = code | sign;
    return Bits(Select(code == 0, 0, signed_code));
  }
  if constexpr (kKind == MiniFloatKind::kFiniteOnly) {
    // The format has no NaN: as in ml_dtypes, NaN becomes negative zero and -NaN positive zero.
    code = Select(magnitude > 0x7f800000, kSignMask, code);
    return Bits(code ^ sign);
  }
  code = Select(magnitude > 0x7f800000, kQuietNaNBits, code);
  return Bits(code | sign);
}

template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
constexpr float MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>::WidenFloat(Bits code) {
  using mini_float_internal::Select;
  constexpr int32_t kMinNormal = (128 - kBias) << 23;
  const int32_t magnitude = code & kMagnitudeMask;
  const uint32_t sign = static_cast<uint32_t>(code & kSignMask) << (32 - kBits);
  const int32_t shifted = magnitude << (23 - kMantissa);
  const int32_t normal = shifted + ((127 - kBias) << 23);
  // The least normal number with the subnormal's bits as mantissa, less the least normal number.
  // (Of other codes, any float.)
  const int32_t subnormal = std::bit_cast<int32_t>(
      std::bit_cast<float>((shifted & 0x007fffff) | kMinNormal) - std::bit_cast<float>(kMinNormal));
  int32_t wide = Select(magnitude < (1 << kMantissa), subnormal, normal);
  if constexpr (kKind == MiniFloatKind::kIeee) {
    // Half's NaN keeps its payload, as in hardware; float8's becomes the quiet NaN, as in
    // ml_dtypes.
    const int32_t nan = kBits == 16 ? shifted | 0x7f800000 : 0x7fc00000;
    wide = Select(magnitude > kInfinityBits, nan, wide);
    wide = Select(magnitude == kInfinityBits, 0x7f800000, wide);
  }
  if constexpr (kKind == MiniFloatKind::kFn)
    wide = Select(magnitude == kMagnitudeMask, 0x7fc00000, wide);
  if constexpr (kKind == MiniFloatKind::kFnuz) wide = Select(code == kSignMask, 0x7fc00000, wide);
  return std::bit_cast<float>(static_cast<uint32_t>(wide) | sign);
}

template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
template <typename Wide>
constexpr auto MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>::Round(Wide value) -> Bits {
  if constexpr (!std::is_same_v<Wide, float> || kKind == MiniFloatKind::kScale) {
    return RoundGeneric(value);
  } else if constexpr (kBits == 16 && kExponent == 8) {
    // bfloat16: float's own exponents, so that the upper half of the bits, rounded, is the code.
    const uint32_t wide = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (wide + 0x7fffu + ((wide >> 16) & 1)) >> 16;
    const uint32_t nan = ((wide >> 16) & 0x8000u) | kQuietNaNBits;
    return Bits((wide & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
  } else {
    return RoundFloat(value);
  }
}

template <int kBits, int kExponent, int kMantissa, int kBias, MiniFloatKind kKind>
template <typename Wide>
constexpr Wide MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>::Widen(Bits code) {
  if constexpr (kKind == MiniFloatKind::kScale) {
    return WidenScale<Wide>(code);
  } else if constexpr (kBits == 16 && kExponent == 8) {
    return static_cast<Wide>(std::bit_cast<float>(uint32_t{code} << 16));
  } else {
    return static_cast<Wide>(WidenFloat(code));
  }
}

template <typename T>
struct IsMiniFloat : std::false_type {};
template <int b, int e, int m, int o, MiniFloatKind k>
struct IsMiniFloat<MiniFloat<b, e, m, o, k>> : std::true_type {};
template <typename T>
inline constexpr bool is_mini_float_v = IsMiniFloat<T>::value;

// Found by argument-dependent lookup, as for Eigen's and ml_dtypes' types.
template <int b, int e, int m, int o, MiniFloatKind k>
constexpr bool isnan(MiniFloat<b, e, m, o, k> v) {
  return MiniFloat<b, e, m, o, k>::IsNaNBits(v.bits());
}
// Formats that convert explicitly can be compared with numbers all the same. (The 16-bit ones
// convert implicitly.)
template <int b, int e, int m, int o, MiniFloatKind k, typename T,
          std::enable_if_t<b != 16 && std::is_arithmetic_v<T>, int> = 0>
constexpr bool operator==(MiniFloat<b, e, m, o, k> x, T y) {
  return static_cast<double>(x) == static_cast<double>(y);
}
template <int b, int e, int m, int o, MiniFloatKind k>
constexpr bool isinf(MiniFloat<b, e, m, o, k> v) {
  return MiniFloat<b, e, m, o, k>::IsInfBits(v.bits());
}
template <int b, int e, int m, int o, MiniFloatKind k>
constexpr bool isfinite(MiniFloat<b, e, m, o, k> v) {
  return !isnan(v) && !isinf(v);
}
template <int b, int e, int m, int o, MiniFloatKind k>
constexpr bool signbit(MiniFloat<b, e, m, o, k> v) {
  return (v.bits() & MiniFloat<b, e, m, o, k>::kSignMask) != 0;
}
template <int b, int e, int m, int o, MiniFloatKind k>
constexpr MiniFloat<b, e, m, o, k> abs(MiniFloat<b, e, m, o, k> v) {
  return signbit(v) ? -v : v;
}

// Functions of <cmath>, computed in float and rounded.
#define XLA_MINI_FLOAT_UNARY(name)                                     \
  template <int b, int e, int m, int o, MiniFloatKind k>               \
  MiniFloat<b, e, m, o, k> name(MiniFloat<b, e, m, o, k> v) {          \
    return MiniFloat<b, e, m, o, k>(std::name(static_cast<float>(v))); \
  }
XLA_MINI_FLOAT_UNARY(acos)
XLA_MINI_FLOAT_UNARY(acosh)
XLA_MINI_FLOAT_UNARY(asin)
XLA_MINI_FLOAT_UNARY(asinh)
XLA_MINI_FLOAT_UNARY(atan)
XLA_MINI_FLOAT_UNARY(atanh)
XLA_MINI_FLOAT_UNARY(cbrt)
XLA_MINI_FLOAT_UNARY(ceil)
XLA_MINI_FLOAT_UNARY(cos)
XLA_MINI_FLOAT_UNARY(cosh)
XLA_MINI_FLOAT_UNARY(erf)
XLA_MINI_FLOAT_UNARY(erfc)
XLA_MINI_FLOAT_UNARY(exp)
XLA_MINI_FLOAT_UNARY(exp2)
XLA_MINI_FLOAT_UNARY(expm1)
XLA_MINI_FLOAT_UNARY(fabs)
XLA_MINI_FLOAT_UNARY(floor)
XLA_MINI_FLOAT_UNARY(log)
XLA_MINI_FLOAT_UNARY(log10)
XLA_MINI_FLOAT_UNARY(log1p)
XLA_MINI_FLOAT_UNARY(log2)
XLA_MINI_FLOAT_UNARY(rint)
XLA_MINI_FLOAT_UNARY(round)
XLA_MINI_FLOAT_UNARY(sin)
XLA_MINI_FLOAT_UNARY(sinh)
XLA_MINI_FLOAT_UNARY(sqrt)
XLA_MINI_FLOAT_UNARY(tan)
XLA_MINI_FLOAT_UNARY(tanh)
XLA_MINI_FLOAT_UNARY(trunc)
#undef XLA_MINI_FLOAT_UNARY
#define XLA_MINI_FLOAT_BINARY(name)                                                           \
  template <int b, int e, int m, int o, MiniFloatKind k>                                      \
  MiniFloat<b, e, m, o, k> name(MiniFloat<b, e, m, o, k> x, MiniFloat<b, e, m, o, k> y) {     \
    return MiniFloat<b, e, m, o, k>(std::name(static_cast<float>(x), static_cast<float>(y))); \
  }
XLA_MINI_FLOAT_BINARY(atan2)
XLA_MINI_FLOAT_BINARY(fmax)
XLA_MINI_FLOAT_BINARY(fmin)
XLA_MINI_FLOAT_BINARY(fmod)
XLA_MINI_FLOAT_BINARY(pow)
XLA_MINI_FLOAT_BINARY(copysign)
#undef XLA_MINI_FLOAT_BINARY
template <int b, int e, int m, int o, MiniFloatKind k>
MiniFloat<b, e, m, o, k> max(MiniFloat<b, e, m, o, k> x, MiniFloat<b, e, m, o, k> y) {
  return x < y ? y : x;
}
template <int b, int e, int m, int o, MiniFloatKind k>
MiniFloat<b, e, m, o, k> min(MiniFloat<b, e, m, o, k> x, MiniFloat<b, e, m, o, k> y) {
  return y < x ? y : x;
}

template <typename H, int b, int e, int m, int o, MiniFloatKind k>
H AbslHashValue(H state, MiniFloat<b, e, m, o, k> v) {
  // Equal values have equal hashes: -0 equals +0.
  const auto bits = v ? v.bits() : typename MiniFloat<b, e, m, o, k>::Bits(0);
  return H::combine(std::move(state), bits);
}

}  // namespace xla

template <int kBits, int kExponent, int kMantissa, int kBias, xla::MiniFloatKind kKind>
class std::numeric_limits<xla::MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>> {
  using T = xla::MiniFloat<kBits, kExponent, kMantissa, kBias, kKind>;
  // floor(n * log10(2)) for small n of either sign.
  static constexpr int FloorLog10Of2ToThe(int n) {
    return n >= 0 ? n * 30103 / 100000 : -((-n * 30103 + 99999) / 100000);
  }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = T::kHasSign;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = T::kHasInfinity;
  static constexpr bool has_quiet_NaN = T::kHasNaN;
  static constexpr bool has_signaling_NaN = kKind == xla::MiniFloatKind::kIeee;
  static constexpr std::float_denorm_style has_denorm =
      kMantissa > 0 ? std::denorm_present : std::denorm_absent;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = kMantissa + 1;
  static constexpr int digits10 = FloorLog10Of2ToThe(kMantissa);
  static constexpr int max_digits10 = FloorLog10Of2ToThe(digits) + 2;
  // The smallest normal number is 2^(min_exponent - 1), the largest lies below 2^max_exponent.
  static constexpr int min_exponent = (T::kHasZero ? 1 - kBias : -kBias) + 1;
  static constexpr int max_exponent = (T::kMaxBits >> kMantissa) - kBias + 1;
  static constexpr int min_exponent10 = -FloorLog10Of2ToThe(1 - min_exponent);
  static constexpr int max_exponent10 = FloorLog10Of2ToThe(max_exponent);

  static constexpr T(min)() {
    return T::FromBits(T::kHasZero ? typename T::Bits(1u << kMantissa) : 0);
  }
  static constexpr T(max)() { return T::FromBits(T::kMaxBits); }
  static constexpr T lowest() {
    return T::FromBits(T::kHasSign ? typename T::Bits(T::kMaxBits | T::kSignMask)
                                   : typename T::Bits(0));
  }
  static constexpr T epsilon() { return T(static_cast<float>(1.0 / (1 << kMantissa))); }
  static constexpr T round_error() { return T(0.5f); }
  static constexpr T infinity() {
    // As in ml_dtypes: the greatest number where there is no NaN either.
    if constexpr (kKind == xla::MiniFloatKind::kFiniteOnly) return (max)();
    return T::FromBits(T::kHasInfinity ? T::kInfinityBits : T::kQuietNaNBits);
  }
  static constexpr T quiet_NaN() { return T::FromBits(T::kQuietNaNBits); }
  static constexpr T signaling_NaN() {
    if constexpr (has_signaling_NaN && kMantissa > 1)
      return T::FromBits(T::kInfinityBits | (1u << (kMantissa - 2)));
    return quiet_NaN();
  }
  static constexpr T denorm_min() { return T::kHasZero ? T::FromBits(1) : (min)(); }
};

#endif  // XLA_TYPES_MINI_FLOAT_H_
