// SPDX-License-Identifier: Apache-2.0
// IntN: integers of 1, 2 and 4 bits, one value in a byte, with arithmetic modulo 2^n.
#ifndef XLA_TYPES_INT_N_H_
#define XLA_TYPES_INT_N_H_

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace xla {

// The byte holds the value itself (sign-extended for signed types), so that a buffer of IntN can be
// read as int8_t or uint8_t. Two's complement: signed 1-bit integers are 0 and -1.
template <int kBits, bool kSigned>
class IntN {
 public:
  static_assert(kBits >= 1 && kBits < 8);
  using Underlying = std::conditional_t<kSigned, int8_t, uint8_t>;
  static constexpr int kTotalBits = kBits;
  // As in ml_dtypes.
  using underlying_type = Underlying;
  static constexpr int bits = kBits;

  constexpr IntN() = default;
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit constexpr IntN(T value) : value_(Wrap(static_cast<int64_t>(value))) {}
  constexpr IntN(const IntN&) = default;
  constexpr IntN& operator=(const IntN&) = default;

  static constexpr IntN lowest() { return IntN(kSigned ? -(1 << (kBits - 1)) : 0); }
  static constexpr IntN highest() {
    return IntN(kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1);
  }

  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  explicit constexpr operator T() const {
    return static_cast<T>(value_);
  }

  constexpr IntN operator-() const { return IntN(-int{value_}); }
  constexpr IntN operator+() const { return *this; }
  constexpr IntN operator~() const { return IntN(~int{value_}); }
  friend constexpr IntN operator+(IntN a, IntN b) { return IntN(a.value_ + b.value_); }
  friend constexpr IntN operator-(IntN a, IntN b) { return IntN(a.value_ - b.value_); }
  friend constexpr IntN operator*(IntN a, IntN b) { return IntN(a.value_ * b.value_); }
  friend constexpr IntN operator/(IntN a, IntN b) { return IntN(a.value_ / b.value_); }
  friend constexpr IntN operator%(IntN a, IntN b) { return IntN(a.value_ % b.value_); }
  friend constexpr IntN operator&(IntN a, IntN b) { return IntN(a.value_ & b.value_); }
  friend constexpr IntN operator|(IntN a, IntN b) { return IntN(a.value_ | b.value_); }
  friend constexpr IntN operator^(IntN a, IntN b) { return IntN(a.value_ ^ b.value_); }
  friend constexpr IntN operator<<(IntN a, int n) {
    return IntN(static_cast<int64_t>(uint64_t(a.value_) << n));
  }
  friend constexpr IntN operator>>(IntN a, int n) { return IntN(a.value_ >> n); }
  constexpr IntN& operator+=(IntN b) { return *this = *this + b; }
  constexpr IntN& operator-=(IntN b) { return *this = *this - b; }
  constexpr IntN& operator*=(IntN b) { return *this = *this * b; }
  constexpr IntN& operator/=(IntN b) { return *this = *this / b; }
  constexpr IntN& operator%=(IntN b) { return *this = *this % b; }
  constexpr IntN& operator&=(IntN b) { return *this = *this & b; }
  constexpr IntN& operator|=(IntN b) { return *this = *this | b; }
  constexpr IntN& operator^=(IntN b) { return *this = *this ^ b; }
  constexpr IntN& operator++() { return *this = IntN(value_ + 1); }
  constexpr IntN& operator--() { return *this = IntN(value_ - 1); }
  constexpr IntN operator++(int) { return std::exchange(*this, IntN(value_ + 1)); }
  constexpr IntN operator--(int) { return std::exchange(*this, IntN(value_ - 1)); }
  friend constexpr bool operator==(IntN a, IntN b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(IntN a, IntN b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(IntN a, IntN b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(IntN a, IntN b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(IntN a, IntN b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(IntN a, IntN b) { return a.value_ >= b.value_; }

  friend std::ostream& operator<<(std::ostream& os, IntN v) { return os << int{v.value_}; }
  template <typename Sink>
  friend void AbslStringify(Sink& sink, IntN v) {
    sink.Append(std::to_string(int{v.value_}));
  }
  template <typename H>
  friend H AbslHashValue(H state, IntN v) {
    return H::combine(std::move(state), v.value_);
  }

 private:
  static constexpr Underlying Wrap(int64_t value) {
    const uint32_t low = static_cast<uint32_t>(value) & ((1u << kBits) - 1);
    if constexpr (kSigned) {
      return static_cast<Underlying>(static_cast<int32_t>(low << (32 - kBits)) >> (32 - kBits));
    }
    return static_cast<Underlying>(low);
  }

  Underlying value_ = 0;
};

template <typename T>
struct IsIntN : std::false_type {};
template <int kBits, bool kSigned>
struct IsIntN<IntN<kBits, kSigned>> : std::true_type {};
template <typename T>
inline constexpr bool is_intN_v = IsIntN<T>::value;

}  // namespace xla

template <int kBits, bool kSigned>
class std::numeric_limits<xla::IntN<kBits, kSigned>> {
  using T = xla::IntN<kBits, kSigned>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = kSigned;
  static constexpr bool is_integer = true;
  static constexpr bool is_exact = true;
  static constexpr bool has_infinity = false;
  static constexpr bool has_quiet_NaN = false;
  static constexpr bool has_signaling_NaN = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = true;
  static constexpr int radix = 2;
  static constexpr int digits = kSigned ? kBits - 1 : kBits;
  static constexpr int digits10 = digits * 30103 / 100000;
  static constexpr int max_digits10 = 0;
  static constexpr T(min)() { return T::lowest(); }
  static constexpr T lowest() { return T::lowest(); }
  static constexpr T(max)() { return T::highest(); }
  static constexpr T epsilon() { return T(); }
  static constexpr T infinity() { return T(); }
  static constexpr T quiet_NaN() { return T(); }
};

#endif  // XLA_TYPES_INT_N_H_
