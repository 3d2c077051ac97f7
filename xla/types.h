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

}  // namespace xla

// Where Eigen is on the include path, its half and bfloat16 are the native types of F16 and BF16
// too.
#if __has_include("Eigen/Core")
#include "Eigen/Core"  // IWYU pragma: export
#define XLA_HAS_EIGEN 1
namespace xla {
template <>
struct ForeignMiniFloat<Eigen::half> {
  using Native = half;
};
template <>
struct ForeignMiniFloat<Eigen::bfloat16> {
  using Native = bfloat16;
};
}  // namespace xla
#endif

namespace xla {

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
struct is_intN : IsIntN<T> {};

template <typename T>
struct is_specialized_floating_point : std::bool_constant<std::numeric_limits<T>::is_specialized &&
                                                          !std::numeric_limits<T>::is_integer> {};
template <typename T>
inline constexpr bool is_specialized_floating_point_v = is_specialized_floating_point<T>::value;
template <typename T>
struct is_specialized_integral : std::bool_constant<std::numeric_limits<T>::is_specialized &&
                                                    std::numeric_limits<T>::is_integer> {};
template <typename T>
inline constexpr bool is_specialized_integral_v = is_specialized_integral<T>::value;

// Properties of floating-point formats. Types of other libraries, as Eigen's, have a negative zero
// if they have infinities.
template <typename T>
struct has_negative_zero
    : std::bool_constant<is_specialized_floating_point_v<T> && std::numeric_limits<T>::is_signed &&
                         std::numeric_limits<T>::has_infinity> {};
template <int b, int e, int m, int o, MiniFloatKind k>
struct has_negative_zero<MiniFloat<b, e, m, o, k>>
    : std::bool_constant<MiniFloat<b, e, m, o, k>::kHasNegativeZero> {};
template <typename T>
inline constexpr bool has_negative_zero_v = has_negative_zero<T>::value;
template <typename T>
struct has_positive_zero : is_specialized_floating_point<T> {};
template <>
struct has_positive_zero<float8_e8m0fnu> : std::false_type {};
template <typename T>
inline constexpr bool has_positive_zero_v = has_positive_zero<T>::value;
template <typename T>
struct has_positive_or_negative_zero
    : std::bool_constant<has_negative_zero_v<T> || has_positive_zero_v<T>> {};
template <typename T>
inline constexpr bool has_positive_or_negative_zero_v = has_positive_or_negative_zero<T>::value;
template <typename T>
struct exponent_bias : std::integral_constant<int, (has_positive_or_negative_zero_v<T> ? 1 : 0) -
                                                       (std::numeric_limits<T>::min_exponent - 1)> {
};
template <typename T>
inline constexpr int exponent_bias_v = exponent_bias<T>::value;

// std::make_signed and std::make_unsigned for integers of all widths.
template <typename T>
struct make_specialized_unsigned : std::make_unsigned<T> {};
template <int kBits, bool kSigned>
struct make_specialized_unsigned<IntN<kBits, kSigned>> {
  using type = IntN<kBits, false>;
};
template <typename T>
using make_specialized_unsigned_t = typename make_specialized_unsigned<T>::type;
template <typename T>
struct make_specialized_signed : std::make_signed<T> {};
template <int kBits, bool kSigned>
struct make_specialized_signed<IntN<kBits, kSigned>> {
  using type = IntN<kBits, true>;
};
template <typename T>
using make_specialized_signed_t = typename make_specialized_signed<T>::type;

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
using int1 = xla::s1;
using int2 = xla::s2;
using int4 = xla::s4;
using uint1 = xla::u1;
using uint2 = xla::u2;
using uint4 = xla::u4;
}  // namespace tsl

#endif  // XLA_TYPES_H_
