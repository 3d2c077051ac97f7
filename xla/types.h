// SPDX-License-Identifier: Apache-2.0
// The native C++ type of every XLA element type that the language lacks: half, bfloat16, float8 and
// narrower, 1 to 4 bit integers, complex.
#ifndef XLA_TYPES_H_
#define XLA_TYPES_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "xla/types/int_n.h"
#include "xla/types/mini_float.h"

namespace xla {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// The numbers are: bits, exponent bits, mantissa bits, exponent bias.
using half = MiniFloat<16, 5, 10, 15, MiniFloatKind::kIeee>;
using bfloat16 = MiniFloat<16, 8, 7, 127, MiniFloatKind::kIeee>;
using float8_e3m4 = MiniFloat<8, 3, 4, 3, MiniFloatKind::kIeee>;
using float8_e4m3 = MiniFloat<8, 4, 3, 7, MiniFloatKind::kIeee>;
using float8_e4m3fn = MiniFloat<8, 4, 3, 7, MiniFloatKind::kFn>;
using float8_e4m3fnuz = MiniFloat<8, 4, 3, 8, MiniFloatKind::kFnuz>;
using float8_e4m3b11fnuz = MiniFloat<8, 4, 3, 11, MiniFloatKind::kFnuz>;
using float8_e5m2 = MiniFloat<8, 5, 2, 15, MiniFloatKind::kIeee>;
using float8_e5m2fnuz = MiniFloat<8, 5, 2, 16, MiniFloatKind::kFnuz>;
using float8_e8m0fnu = MiniFloat<8, 8, 0, 127, MiniFloatKind::kScale>;
using float6_e2m3fn = MiniFloat<6, 2, 3, 1, MiniFloatKind::kFiniteOnly>;
using float6_e3m2fn = MiniFloat<6, 3, 2, 3, MiniFloatKind::kFiniteOnly>;
using float4_e2m1fn = MiniFloat<4, 2, 1, 1, MiniFloatKind::kFiniteOnly>;

using s1 = IntN<1, true>;
using s2 = IntN<2, true>;
using s4 = IntN<4, true>;
using u1 = IntN<1, false>;
using u2 = IntN<2, false>;
using u4 = IntN<4, false>;

template <typename T>
struct is_complex : std::false_type {};
template <typename T>
struct is_complex<std::complex<T>> : std::true_type {};
template <typename T>
inline constexpr bool is_complex_v = is_complex<T>::value;

// float, double and every narrower format.
template <typename T>
inline constexpr bool is_real_float_v = std::is_floating_point_v<T> || is_mini_float_v<T>;

// Every integer including 1 to 4 bit ones; not bool.
template <typename T>
inline constexpr bool is_integer_v =
    (std::is_integral_v<T> && !std::is_same_v<T, bool>) || is_intN_v<T>;

template <typename T>
inline constexpr bool is_specialized_floating_point_v =
    std::numeric_limits<T>::is_specialized && !std::numeric_limits<T>::is_integer;
template <typename T>
inline constexpr bool is_specialized_integral_v =
    std::numeric_limits<T>::is_specialized&& std::numeric_limits<T>::is_integer;

}  // namespace xla

// Names under which XLA's users know the narrow floats.
namespace tsl {
using xla::bfloat16;
using xla::float4_e2m1fn;
using xla::float6_e2m3fn;
using xla::float6_e3m2fn;
using xla::float8_e3m4;
using xla::float8_e4m3;
using xla::float8_e4m3b11fnuz;
using xla::float8_e4m3fn;
using xla::float8_e4m3fnuz;
using xla::float8_e5m2;
using xla::float8_e5m2fnuz;
using xla::float8_e8m0fnu;
}  // namespace tsl

#endif  // XLA_TYPES_H_
