// SPDX-License-Identifier: Apache-2.0
// Conversions: between element types, and between stored elements and the wide types of the
// kernels.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "xla/interpreter/elementwise.h"
#include "xla/interpreter/elementwise_loops.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla {
namespace {

using ConvertFunction = ElementwiseKernel::ConvertFunction;
using WideFunction = ElementwiseKernel::WideFunction;

template <typename From, typename To>
void CastLoop(int64_t n, const void* from, void* to) {
  const From* a = static_cast<const From*>(from);
  To* r = static_cast<To*>(to);
  for (int64_t i = 0; i < n; ++i) r[i] = static_cast<To>(a[i]);
}

// The C++ type of a wide type that narrower elements are computed in.
template <typename T>
using WideOf = std::conditional_t<
    is_mini_float_v<T>, float,
    std::conditional_t<is_integer_v<T>,
                       std::conditional_t<std::numeric_limits<T>::is_signed, int32_t, uint32_t>,
                       T>>;
template <typename T>
constexpr bool kIsWide =
    std::is_same_v<T, bool> || is_complex_v<T> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> ||
    std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>;

template <typename T>
void TotalOrderKeys(int64_t n, const void* from, void* to) {
  const T* a = static_cast<const T*>(from);
  int64_t* r = static_cast<int64_t*>(to);
  for (int64_t i = 0; i < n; ++i) {
    int64_t magnitude;
    bool negative;
    if constexpr (std::is_floating_point_v<T>) {
      using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
      const Bits bits = std::bit_cast<Bits>(a[i]);
      magnitude = static_cast<int64_t>(bits & (~Bits{0} >> 1));
      negative = bits >> (sizeof(T) * 8 - 1) != 0;
    } else {
      magnitude = a[i].bits() & T::kMagnitudeMask;
      negative = (a[i].bits() & T::kSignMask) != 0;
    }
    r[i] = negative ? -1 - magnitude : magnitude;
  }
}

// One conversion between wide types. Floating point to integers: towards zero, saturating at the
// bounds of the element's own type (parameters), NaN to 0. Integers wrap. Complex to real keeps the
// real part.
template <typename From, typename To>
void ConvertLoop(const KernelParameters& p, int64_t n, const void* const* in, void* out) {
  const From* a = static_cast<const From*>(in[0]);
  To* r = static_cast<To*>(out);
  if constexpr (is_complex_v<From> && is_complex_v<To>) {
    using Part = typename To::value_type;
    for (int64_t i = 0; i < n; ++i)
      r[i] = To(static_cast<Part>(a[i].real()), static_cast<Part>(a[i].imag()));
  } else if constexpr (is_complex_v<To>) {
    for (int64_t i = 0; i < n; ++i) r[i] = To(static_cast<typename To::value_type>(a[i]));
  } else if constexpr (std::is_same_v<To, bool>) {
    for (int64_t i = 0; i < n; ++i) r[i] = a[i] != From(0);
  } else if constexpr (is_complex_v<From>) {
    for (int64_t i = 0; i < n; ++i) {
      const auto part = a[i].real();
      const void* const parts[] = {&part};
      ConvertLoop<typename From::value_type, To>(p, 1, parts, r + i);
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const To low = static_cast<To>(p.i0), high = static_cast<To>(p.i1);
    const double low_value = p.d0, high_value = p.d1;
    for (int64_t i = 0; i < n; ++i) {
      const double value = a[i];
      // Compared first: the cast is defined only inside the bounds.
      if (value > low_value && value < high_value) {
        r[i] = static_cast<To>(value);
      } else {
        r[i] = value != value ? To{0} : value <= low_value ? low : high;
      }
    }
  } else {
    XLA_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) r[i] = static_cast<To>(a[i]);
  }
}

template <typename From>
WideFunction ConvertTo(WideType to) {
  switch (to) {
    case WideType::kPred:
      return ConvertLoop<From, bool>;
    case WideType::kI32:
      return ConvertLoop<From, int32_t>;
    case WideType::kU32:
      return ConvertLoop<From, uint32_t>;
    case WideType::kI64:
      return ConvertLoop<From, int64_t>;
    case WideType::kU64:
      return ConvertLoop<From, uint64_t>;
    case WideType::kF32:
      return ConvertLoop<From, float>;
    case WideType::kF64:
      return ConvertLoop<From, double>;
    case WideType::kC64:
      return ConvertLoop<From, complex64>;
    case WideType::kC128:
      return ConvertLoop<From, complex128>;
  }
  return nullptr;
}

WideFunction ConvertBetween(WideType from, WideType to) {
  switch (from) {
    case WideType::kPred:
      return ConvertTo<bool>(to);
    case WideType::kI32:
      return ConvertTo<int32_t>(to);
    case WideType::kU32:
      return ConvertTo<uint32_t>(to);
    case WideType::kI64:
      return ConvertTo<int64_t>(to);
    case WideType::kU64:
      return ConvertTo<uint64_t>(to);
    case WideType::kF32:
      return ConvertTo<float>(to);
    case WideType::kF64:
      return ConvertTo<double>(to);
    case WideType::kC64:
      return ConvertTo<complex64>(to);
    case WideType::kC128:
      return ConvertTo<complex128>(to);
  }
  return nullptr;
}

// 64-bit integers to a double from which one rounding gives the nearest narrow float.
struct ToStickyDouble {
  double operator()(int64_t a) const {
    const double magnitude = mini_float_internal::StickyDouble(
        a < 0 ? uint64_t{0} - static_cast<uint64_t>(a) : static_cast<uint64_t>(a));
    return a < 0 ? -magnitude : magnitude;
  }
  double operator()(uint64_t a) const { return mini_float_internal::StickyDouble(a); }
};

// Bounds of an integral element type, as integers and as doubles (64-bit maxima round up, which the
// comparison wants).
void SetBounds(PrimitiveType type, KernelParameters* p) {
  const int bits = primitive_util::BitWidth(type);
  if (primitive_util::IsSignedIntegralType(type)) {
    p->i0 = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1));
    p->i1 = ~p->i0;
    p->d0 = static_cast<double>(p->i0);
    p->d1 = static_cast<double>(p->i1);
  } else {
    p->i0 = 0;
    const uint64_t high = ~uint64_t{0} >> (64 - bits);
    p->i1 = static_cast<int64_t>(high);
    p->d0 = 0;
    p->d1 = static_cast<double>(high);
  }
}

// Rounds up with the probability of the fraction: when it, as an unsigned integer of the random
// number's width, is larger than the random number.
template <typename Float, typename Random, typename Int>
void StochasticLoop(const KernelParameters& p, int64_t n, const void* const* in, void* out) {
  const Float* a = static_cast<const Float*>(in[0]);
  const Random* random = static_cast<const Random*>(in[1]);
  Int* r = static_cast<Int*>(out);
  const int random_bits = static_cast<int>(sizeof(Random) * 8);
  const Int low = static_cast<Int>(p.i0), high = static_cast<Int>(p.i1);
  for (int64_t i = 0; i < n; ++i) {
    const double value = a[i];
    if (!(value > p.d0 && value < p.d1)) {
      r[i] = value != value ? Int{0} : value <= p.d0 ? low : high;
      continue;
    }
    const double magnitude = std::fabs(value);
    const double whole = std::trunc(magnitude);
    const double fraction = magnitude - whole;
    // A fraction below 1 has a fixed-point form of random_bits bits; a double's 53 bits hold it as
    // far as they go.
    const auto fixed = static_cast<Random>(std::ldexp(fraction, random_bits));
    double rounded = whole;
    if (random[i] < fixed) rounded += 1;
    if (value < 0) rounded = -rounded;
    r[i] = rounded <= p.d0 ? low : rounded >= p.d1 ? high : static_cast<Int>(rounded);
  }
}

template <typename Float, typename Random>
WideFunction StochasticTo(WideType to) {
  switch (to) {
    case WideType::kI32:
      return StochasticLoop<Float, Random, int32_t>;
    case WideType::kU32:
      return StochasticLoop<Float, Random, uint32_t>;
    case WideType::kI64:
      return StochasticLoop<Float, Random, int64_t>;
    case WideType::kU64:
      return StochasticLoop<Float, Random, uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

ConvertFunction LoadFunction(PrimitiveType type) {
  return primitive_util::ArrayTypeSwitch<ConvertFunction>(
      [](auto t) -> ConvertFunction {
        using T = primitive_util::NativeTypeOf<t>;
        if constexpr (kIsWide<T>) {
          return nullptr;
        } else {
          return CastLoop<T, WideOf<T>>;
        }
      },
      type);
}

ConvertFunction StoreFunction(PrimitiveType type) {
  return primitive_util::ArrayTypeSwitch<ConvertFunction>(
      [](auto t) -> ConvertFunction {
        using T = primitive_util::NativeTypeOf<t>;
        if constexpr (kIsWide<T>) {
          return nullptr;
        } else {
          return CastLoop<WideOf<T>, T>;
        }
      },
      type);
}

ConvertFunction StoreFromDoubleFunction(PrimitiveType type) {
  return primitive_util::ArrayTypeSwitch<ConvertFunction>(
      [](auto t) -> ConvertFunction {
        using T = primitive_util::NativeTypeOf<t>;
        if constexpr (is_mini_float_v<T>) {
          return CastLoop<double, T>;
        } else {
          return nullptr;
        }
      },
      type);
}

ConvertFunction TotalOrderKeyFunction(PrimitiveType type) {
  return primitive_util::FloatingPointTypeSwitch<ConvertFunction>(
      [](auto t) -> ConvertFunction { return TotalOrderKeys<primitive_util::NativeTypeOf<t>>; },
      type);
}

bool ElementwiseKernel::ResolveConvert(PrimitiveType from, PrimitiveType to) {
  const WideType wide_from = WideTypeOf(from), wide_to = WideTypeOf(to);
  if (primitive_util::IsIntegralType(to)) SetBounds(to, &parameters_);
  const bool to_narrow_float = StoreFromDoubleFunction(to) != nullptr;
  if (!to_narrow_float || wide_from == WideType::kF32 || wide_from == WideType::kC64 ||
      wide_from == WideType::kPred) {
    function_ = ConvertBetween(wide_from, wide_to);
    return function_ != nullptr;
  }
  // Not through float, which would round twice.
  result_.convert = StoreFromDoubleFunction(to);
  result_.wide_bytes = sizeof(double);
  switch (wide_from) {
    case WideType::kI64:
      function_ = UnaryLoop<int64_t, double, ToStickyDouble>;
      break;
    case WideType::kU64:
      function_ = UnaryLoop<uint64_t, double, ToStickyDouble>;
      break;
    default:
      function_ = ConvertBetween(wide_from, WideType::kF64);
      break;
  }
  return true;
}

bool ElementwiseKernel::ResolveStochasticConvert(PrimitiveType from, PrimitiveType random,
                                                 PrimitiveType to) {
  if (!primitive_util::IsFloatingPointType(from) || !primitive_util::IsIntegralType(to))
    return false;
  SetBounds(to, &parameters_);
  const WideType wide_to = WideTypeOf(to);
  const bool is_double = WideTypeOf(from) == WideType::kF64;
  // Random numbers are compared in their own width.
  switch (random) {
    case U64:
      function_ = is_double ? StochasticTo<double, uint64_t>(wide_to)
                            : StochasticTo<float, uint64_t>(wide_to);
      break;
    case U32:
      function_ = is_double ? StochasticTo<double, uint32_t>(wide_to)
                            : StochasticTo<float, uint32_t>(wide_to);
      break;
    case U16:
      operands_[1].convert = nullptr;
      function_ = StochasticTo<float, uint16_t>(wide_to);
      break;
    case U8:
      operands_[1].convert = nullptr;
      function_ = StochasticTo<float, uint8_t>(wide_to);
      break;
    default:
      return false;
  }
  return function_ != nullptr;
}

}  // namespace xla
