// SPDX-License-Identifier: Apache-2.0
// Widening and narrowing of runs of elements.
#include "xla/kernels/wide.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/types/span.h"
#include "xla/kernels/by_need.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

template <typename Wide, typename T>
constexpr bool IsConvertible() {
  if constexpr (is_complex_v<Wide>) {
    // Complex arithmetic takes complex numbers and their parts.
    return is_complex_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
  } else {
    return is_integer_v<T> || std::is_same_v<T, bool>;
  }
}

template <typename Wide, typename T>
inline Wide Widen(T value) {
  if constexpr (is_complex_v<Wide>) {
    using Part = typename Wide::value_type;
    if constexpr (is_complex_v<T>) {
      return Wide(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else {
      return Wide(static_cast<Part>(value), Part(0));
    }
  } else {
    return static_cast<Wide>(value);
  }
}

template <typename T, typename Wide>
inline T Narrow(Wide value) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
  } else if constexpr (is_complex_v<Wide>) {
    return static_cast<T>(value.real());
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != Wide(0);
  } else if constexpr (is_integer_v<T> && std::is_floating_point_v<Wide>) {
    if (std::isnan(value)) return T(0);
    // The limits are compared as floats: the upper one rounds up to a power of two.
    if (value >= static_cast<Wide>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (value <= static_cast<Wide>(std::numeric_limits<T>::lowest()))
      return std::numeric_limits<T>::lowest();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <typename Wide, typename T>
void Load(const void* src, int64_t stride, int64_t count, Wide* dst) {
  const T* in = static_cast<const T*>(src);
  if (stride == 1) {
    if constexpr (std::is_same_v<Wide, T>) {
      std::memcpy(static_cast<void*>(dst), in, count * sizeof(T));
    } else {
      int64_t i = 0;
      if constexpr (std::is_same_v<Wide, float> && std::is_same_v<T, half>)
        i = WidenF16(in, count, dst);
      if constexpr (std::is_same_v<Wide, float> && std::is_same_v<T, bfloat16>)
        i = WidenBF16(in, count, dst);
      if constexpr (std::is_same_v<Wide, float> && std::is_same_v<T, int8_t>)
        i = WidenS8(in, count, dst);
      if constexpr (std::is_same_v<Wide, float> && std::is_same_v<T, uint8_t>)
        i = WidenU8(in, count, dst);
      for (; i < count; ++i) dst[i] = Widen<Wide>(in[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) dst[i] = Widen<Wide>(in[i * stride]);
}

template <typename Wide, typename T>
void Store(const Wide* src, int64_t count, void* dst, int64_t stride) {
  T* out = static_cast<T*>(dst);
  if (stride == 1) {
    if constexpr (std::is_same_v<Wide, T>) {
      std::memcpy(static_cast<void*>(out), src, count * sizeof(T));
    } else {
      int64_t i = 0;
      if constexpr (std::is_same_v<Wide, float> && std::is_same_v<T, half>)
        i = NarrowF16(src, count, out);
      if constexpr (std::is_same_v<Wide, float> && std::is_same_v<T, bfloat16>)
        i = NarrowBF16(src, count, out);
      for (; i < count; ++i) out[i] = Narrow<T>(src[i]);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) out[i * stride] = Narrow<T>(src[i]);
}

template <typename Wide>
struct WideFunctions {
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  WideLoad<Wide> load = nullptr;
  WideStore<Wide> store = nullptr;
};

// By need: the conversions between floats and all but the usual types.
template <typename Wide, PrimitiveType... types>
constexpr WideFunctions<Wide> kFunctions[] = {
    {types, &Load<Wide, primitive_util::NativeTypeOf<types>>,
     &Store<Wide, primitive_util::NativeTypeOf<types>>}...};
template <typename Wide>
constexpr auto& kHalves = kFunctions<Wide, F16, BF16>;
template <typename Wide>
constexpr auto& kSmalls = kFunctions<Wide, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN,
                                     F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU>;
template <typename Wide>
constexpr auto& kIntegers =
    kFunctions<Wide, PRED, S1, S2, S4, S8, S16, S32, S64, U1, U2, U4, U8, U16, U32, U64>;
XLA_BY_NEED(HALVES, wide_f32_halves, kHalves<float>);
XLA_BY_NEED(HALVES, wide_f64_halves, kHalves<double>);
XLA_BY_NEED(SMALLS, wide_f32_smalls, kSmalls<float>);
XLA_BY_NEED(SMALLS, wide_f64_smalls, kSmalls<double>);
XLA_BY_NEED(INTEGERS, wide_f32_integers, kIntegers<float>);
XLA_BY_NEED(INTEGERS, wide_f64_integers, kIntegers<double>);

// Returns the functions that are linked by need for a type.
absl::Span<const WideFunctions<float>> FunctionsByNeed(PrimitiveType type, float) {
  if (type == F16 || type == BF16) return XLA_LINKED(HALVES, wide_f32_halves, kHalves<float>);
  if (primitive_util::IsFloatingPointType(type))
    return XLA_LINKED(SMALLS, wide_f32_smalls, kSmalls<float>);
  return XLA_LINKED(INTEGERS, wide_f32_integers, kIntegers<float>);
}
absl::Span<const WideFunctions<double>> FunctionsByNeed(PrimitiveType type, double) {
  if (type == F16 || type == BF16) return XLA_LINKED(HALVES, wide_f64_halves, kHalves<double>);
  if (primitive_util::IsFloatingPointType(type))
    return XLA_LINKED(SMALLS, wide_f64_smalls, kSmalls<double>);
  return XLA_LINKED(INTEGERS, wide_f64_integers, kIntegers<double>);
}

// Null for conversions that make no sense.
template <typename Wide>
WideFunctions<Wide> FunctionsOf(PrimitiveType type) {
  if (!primitive_util::IsArrayType(type)) return {};
  if constexpr (std::is_floating_point_v<Wide>) {
    if (type == F32) return {F32, &Load<Wide, float>, &Store<Wide, float>};
    if (type == F64) return {F64, &Load<Wide, double>, &Store<Wide, double>};
    for (const WideFunctions<Wide>& functions : FunctionsByNeed(type, Wide())) {
      if (functions.type == type) return functions;
    }
    return {};
  } else {
    return primitive_util::ArrayTypeSwitch<WideFunctions<Wide>>(
        [](auto constant) -> WideFunctions<Wide> {
          using T = primitive_util::NativeTypeOf<constant>;
          if constexpr (IsConvertible<Wide, T>()) return {constant, Load<Wide, T>, Store<Wide, T>};
          return {};
        },
        type);
  }
}

}  // namespace

template <typename Wide>
WideLoad<Wide> GetWideLoad(PrimitiveType type) {
  return FunctionsOf<Wide>(type).load;
}

template <typename Wide>
WideStore<Wide> GetWideStore(PrimitiveType type) {
  return FunctionsOf<Wide>(type).store;
}

#define XLA_INSTANTIATE_WIDE(Wide)                          \
  template WideLoad<Wide> GetWideLoad<Wide>(PrimitiveType); \
  template WideStore<Wide> GetWideStore<Wide>(PrimitiveType);
XLA_INSTANTIATE_WIDE(float)
XLA_INSTANTIATE_WIDE(double)
XLA_INSTANTIATE_WIDE(uint32_t)
XLA_INSTANTIATE_WIDE(uint64_t)
XLA_INSTANTIATE_WIDE(complex64)
XLA_INSTANTIATE_WIDE(complex128)
#undef XLA_INSTANTIATE_WIDE

}  // namespace xla::kernels
