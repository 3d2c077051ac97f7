// SPDX-License-Identifier: Apache-2.0
// Numbers as the type of lanes of xla/cpu/codegen/math_*.h: the functions of the generated code,
// run natively.
#ifndef TESTS_CPU_MATH_NATIVE_H_
#define TESTS_CPU_MATH_NATIVE_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::cpu::math {

struct NativeMask {
  bool v;
  friend NativeMask operator&(NativeMask a, NativeMask b) { return {a.v && b.v}; }
  friend NativeMask operator|(NativeMask a, NativeMask b) { return {a.v || b.v}; }
  friend NativeMask operator!(NativeMask a) { return {!a.v}; }
};

template <class T>
struct NativeInt {
  using Unsigned = std::make_unsigned_t<T>;
  T v;
  friend NativeInt operator+(NativeInt a, NativeInt b) {
    return {static_cast<T>(static_cast<Unsigned>(a.v) + static_cast<Unsigned>(b.v))};
  }
  friend NativeInt operator-(NativeInt a, NativeInt b) {
    return {static_cast<T>(static_cast<Unsigned>(a.v) - static_cast<Unsigned>(b.v))};
  }
  friend NativeInt operator&(NativeInt a, NativeInt b) { return {a.v & b.v}; }
  friend NativeInt operator^(NativeInt a, NativeInt b) { return {a.v ^ b.v}; }
  friend NativeMask operator<(NativeInt a, NativeInt b) { return {a.v < b.v}; }
};

template <class T>
struct Native {
  using Int = NativeInt<std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  T v;
  friend Native operator+(Native a, Native b) { return {a.v + b.v}; }
  friend Native operator-(Native a, Native b) { return {a.v - b.v}; }
  friend Native operator*(Native a, Native b) { return {a.v * b.v}; }
  friend Native operator/(Native a, Native b) { return {a.v / b.v}; }
  friend Native operator-(Native a) { return {-a.v}; }
  friend NativeMask operator<(Native a, Native b) { return {a.v < b.v}; }
  friend NativeMask operator<=(Native a, Native b) { return {a.v <= b.v}; }
  friend NativeMask operator>(Native a, Native b) { return {a.v > b.v}; }
  friend NativeMask operator>=(Native a, Native b) { return {a.v >= b.v}; }
  friend NativeMask operator==(Native a, Native b) { return {a.v == b.v}; }
  friend NativeMask operator!=(Native a, Native b) { return {a.v != b.v}; }
};

using Float = Native<float>;
using Double = Native<double>;

template <class T>
Native<T> Like(Native<T>, double value) {
  return {static_cast<T>(value)};
}
template <class T>
NativeInt<T> LikeInt(NativeInt<T>, int64_t value) {
  return {static_cast<T>(value)};
}
// As on machines without fused multiply-add, which round twice.
inline bool rounds_fma_twice = false;

template <class T>
Native<T> Fma(Native<T> a, Native<T> b, Native<T> c) {
  return {rounds_fma_twice ? a.v * b.v + c.v : std::fma(a.v, b.v, c.v)};
}
template <class T>
bool HasExactFma(Native<T>) {
  return !rounds_fma_twice;
}
// As on machines whose products underflow as fast as others do.
inline bool underflows_fast = false;

template <class T>
bool UnderflowsSlowly(Native<T>) {
  return !underflows_fast;
}
template <class T>
Native<T> Abs(Native<T> x) {
  return {std::fabs(x.v)};
}
template <class T>
Native<T> Sqrt(Native<T> x) {
  return {std::sqrt(x.v)};
}
template <class T>
Native<T> RoundEven(Native<T> x) {
  return {std::nearbyint(x.v)};
}
template <class T>
Native<T> Truncate(Native<T> x) {
  return {std::trunc(x.v)};
}
template <class T>
Native<T> CopySign(Native<T> magnitude, Native<T> sign) {
  return {std::copysign(magnitude.v, sign.v)};
}
template <class T>
T Select(NativeMask condition, T a, T b) {
  return condition.v ? a : b;
}
template <class T>
typename Native<T>::Int Bits(Native<T> x) {
  return {std::bit_cast<decltype(Native<T>::Int::v)>(x.v)};
}
inline Float FromBits(NativeInt<int32_t> i) { return {std::bit_cast<float>(i.v)}; }
inline Double FromBits(NativeInt<int64_t> i) { return {std::bit_cast<double>(i.v)}; }
inline Float ToFloat(NativeInt<int32_t> i) { return {static_cast<float>(i.v)}; }
template <class T>
NativeInt<T> Shl(NativeInt<T> a, int bits) {
  return {static_cast<T>(static_cast<std::make_unsigned_t<T>>(a.v) << bits)};
}
template <class T>
NativeInt<T> Shr(NativeInt<T> a, int bits) {
  return {a.v >> bits};
}
inline Double Widen(Float x) { return {static_cast<double>(x.v)}; }
inline Float Narrow(Double x) { return {static_cast<float>(x.v)}; }
inline NativeInt<int32_t> NarrowInt(NativeInt<int64_t> i) { return {static_cast<int32_t>(i.v)}; }

template <class T, class Then>
Native<T> WhereAny(NativeMask where, Native<T> otherwise, Then then) {
  return where.v ? then() : otherwise;
}

template <class T>
Native<T> PerLane(NativeMask where, HloOpcode opcode, Native<T> x, Native<T> otherwise) {
  if (!where.v) return otherwise;
  if (opcode == HloOpcode::kSin) return {std::sin(x.v)};
  if (opcode == HloOpcode::kCos) return {std::cos(x.v)};
  return {std::tan(x.v)};
}

template <class T>
Native<T> PerLane(NativeMask where, HloOpcode, Native<T> x, Native<T> y, Native<T> otherwise) {
  return where.v ? Native<T>{std::fmod(x.v, y.v)} : otherwise;
}

}  // namespace xla::cpu::math

#endif  // TESTS_CPU_MATH_NATIVE_H_
