// SPDX-License-Identifier: Apache-2.0
// Associative operations on runs of wide elements.
#include "xla/interpreter/wide_ops.h"

#include <cstdint>
#include <type_traits>

#include "xla/types.h"

namespace xla::interpreter {
namespace {

// Unsigned arithmetic wraps; signed overflow would be undefined.
struct Add {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};
struct Multiply {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else if constexpr (is_complex_v<T>) {
      return T(a.real() * b.real() - a.imag() * b.imag(),
               a.real() * b.imag() + a.imag() * b.real());
    } else {
      return a * b;
    }
  }
};
// NaN is propagated: a != a holds only for NaN.
struct Maximum {
  template <typename T>
  static T Apply(T a, T b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};
struct Minimum {
  template <typename T>
  static T Apply(T a, T b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};
struct And {
  template <typename T>
  static T Apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T Apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T Apply(T a, T b) {
    return a ^ b;
  }
};

constexpr int64_t kLanes = 16;

// Inner loops of constant length, which compilers turn into vector code.
template <typename T, typename Op>
void Combine(T* __restrict acc, const T* __restrict x, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) acc[i + l] = Op::Apply(acc[i + l], x[i + l]);
  }
  for (; i < count; ++i) acc[i] = Op::Apply(acc[i], x[i]);
}

template <typename T, typename Op>
T Fold(const T* x, int64_t count) {
  if (count < 2 * kLanes) {
    T result = x[0];
    for (int64_t i = 1; i < count; ++i) result = Op::Apply(result, x[i]);
    return result;
  }
  T lanes[kLanes];
  for (int64_t l = 0; l < kLanes; ++l) lanes[l] = x[l];
  int64_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Op::Apply(lanes[l], x[i + l]);
  }
  for (int64_t l = 0; i < count; ++i, ++l) lanes[l] = Op::Apply(lanes[l], x[i]);
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t l = 0; l < width; ++l) lanes[l] = Op::Apply(lanes[l], lanes[l + width]);
  }
  return lanes[0];
}

template <typename T, typename Op>
inline constexpr WideOps<T> kOps = {Combine<T, Op>, Fold<T, Op>, Op::template Apply<T>};

}  // namespace

template <typename Wide>
const WideOps<Wide>* GetWideOps(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
      return &kOps<Wide, Add>;
    case HloOpcode::kMultiply:
      return &kOps<Wide, Multiply>;
    case HloOpcode::kMaximum:
      if constexpr (!is_complex_v<Wide>) return &kOps<Wide, Maximum>;
      return nullptr;
    case HloOpcode::kMinimum:
      if constexpr (!is_complex_v<Wide>) return &kOps<Wide, Minimum>;
      return nullptr;
    case HloOpcode::kAnd:
      if constexpr (std::is_integral_v<Wide>) return &kOps<Wide, And>;
      return nullptr;
    case HloOpcode::kOr:
      if constexpr (std::is_integral_v<Wide>) return &kOps<Wide, Or>;
      return nullptr;
    case HloOpcode::kXor:
      if constexpr (std::is_integral_v<Wide>) return &kOps<Wide, Xor>;
      return nullptr;
    default:
      return nullptr;
  }
}

template const WideOps<float>* GetWideOps<float>(HloOpcode);
template const WideOps<double>* GetWideOps<double>(HloOpcode);
template const WideOps<int32_t>* GetWideOps<int32_t>(HloOpcode);
template const WideOps<uint32_t>* GetWideOps<uint32_t>(HloOpcode);
template const WideOps<int64_t>* GetWideOps<int64_t>(HloOpcode);
template const WideOps<uint64_t>* GetWideOps<uint64_t>(HloOpcode);
template const WideOps<complex64>* GetWideOps<complex64>(HloOpcode);
template const WideOps<complex128>* GetWideOps<complex128>(HloOpcode);

}  // namespace xla::interpreter
