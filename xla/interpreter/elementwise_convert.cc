// SPDX-License-Identifier: Apache-2.0
// Conversions: between element types and to and from the wide types of kernels, by
// xla/element_convert.h; with stochastic rounding.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "xla/element_convert.h"
#include "xla/interpreter/elementwise.h"
#include "xla/interpreter/elementwise_loops.h"
#include "xla/kernels/random/stochastic_rounding.h"
#include "xla/kernels/sort/total_order.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::interpreter {
namespace {

using ConvertFunction = ElementwiseKernel::ConvertFunction;
using WideFunction = ElementwiseKernel::WideFunction;

template <int kFrom, int kTo>
void Convert(int64_t n, const void* from, void* to) {
  ConvertElements(static_cast<PrimitiveType>(kFrom), from, static_cast<PrimitiveType>(kTo), to, n);
}

// The type that elements of type T are computed in.
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

template <int kType>
void TotalOrderKeys(int64_t n, const void* from, void* to) {
  kernels::TotalOrderKeys(static_cast<PrimitiveType>(kType), /*descending=*/false, n, from,
                          static_cast<int64_t*>(to));
}

// Converts from storage to storage.
void ConvertStored(const KernelParameters& p, int64_t n, const void* const* in, void* out) {
  ConvertElements(static_cast<PrimitiveType>(p.i0), in[0], static_cast<PrimitiveType>(p.i1), out,
                  n);
}

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

template <typename Float, typename Random, typename Int>
void StochasticIntegerLoop(const KernelParameters& p, int64_t n, const void* const* in, void* out) {
  const Float* a = static_cast<const Float*>(in[0]);
  const Random* random = static_cast<const Random*>(in[1]);
  Int* r = static_cast<Int*>(out);
  const Int low = static_cast<Int>(p.i0), high = static_cast<Int>(p.i1);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = kernels::StochasticInteger<Int>(a[i], random[i], p.random_bits, low, high, p.d0, p.d1);
  }
}

// To a floating-point type of p.i0 mantissa bits whose smallest normal number is 2^p.i1. The store
// handles overflow.
template <typename Float, typename Random, typename Result>
void StochasticFloatLoop(const KernelParameters& p, int64_t n, const void* const* in, void* out) {
  const Float* a = static_cast<const Float*>(in[0]);
  const Random* random = static_cast<const Random*>(in[1]);
  Result* r = static_cast<Result*>(out);
  const int mantissa = static_cast<int>(p.i0), smallest = static_cast<int>(p.i1);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = static_cast<Result>(
        kernels::StochasticFloat(a[i], random[i], p.random_bits, mantissa, smallest));
  }
}

template <typename Float, typename Random>
WideFunction StochasticTo(WideType to) {
  switch (to) {
    case WideType::kI32:
      return StochasticIntegerLoop<Float, Random, int32_t>;
    case WideType::kU32:
      return StochasticIntegerLoop<Float, Random, uint32_t>;
    case WideType::kI64:
      return StochasticIntegerLoop<Float, Random, int64_t>;
    case WideType::kU64:
      return StochasticIntegerLoop<Float, Random, uint64_t>;
    case WideType::kF32:
      return StochasticFloatLoop<Float, Random, float>;
    case WideType::kF64:
      return StochasticFloatLoop<Float, Random, double>;
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
          return Convert<t, primitive_util::NativeToPrimitiveType<WideOf<T>>()>;
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
          return Convert<primitive_util::NativeToPrimitiveType<WideOf<T>>(), t>;
        }
      },
      type);
}

ConvertFunction TotalOrderKeyFunction(PrimitiveType type) {
  return primitive_util::FloatingPointTypeSwitch<ConvertFunction>(
      [](auto t) -> ConvertFunction { return TotalOrderKeys<t>; }, type);
}

void ElementwiseKernel::ResolveConvert(PrimitiveType from, PrimitiveType to) {
  parameters_.i0 = from;
  parameters_.i1 = to;
  function_ = ConvertStored;
  for (Port* port : {&operands_[0], &result_}) {
    *port = {nullptr, port->storage_bytes, port->storage_bytes};
  }
}

bool ElementwiseKernel::ResolveStochasticConvert(PrimitiveType from, PrimitiveType random,
                                                 PrimitiveType to) {
  if (!primitive_util::IsFloatingPointType(from) ||
      !primitive_util::IsUnsignedIntegralType(random)) {
    return false;
  }
  if (primitive_util::IsIntegralType(to)) {
    SetBounds(to, &parameters_);
  } else if (primitive_util::IsFloatingPointType(to)) {
    parameters_.i0 = primitive_util::SignificandWidth(to) - 1;
    parameters_.i1 = primitive_util::UnderflowExponent(to) - 1;
  } else {
    return false;
  }
  parameters_.random_bits = primitive_util::BitWidth(random);
  const WideType wide_to = WideTypeOf(to);
  const bool is_double = WideTypeOf(from) == WideType::kF64;
  if (random == U64) {
    function_ = is_double ? StochasticTo<double, uint64_t>(wide_to)
                          : StochasticTo<float, uint64_t>(wide_to);
  } else {
    function_ = is_double ? StochasticTo<double, uint32_t>(wide_to)
                          : StochasticTo<float, uint32_t>(wide_to);
  }
  return function_ != nullptr;
}

}  // namespace xla::interpreter
