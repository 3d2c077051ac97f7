// SPDX-License-Identifier: Apache-2.0
// Widening and narrowing of runs of elements.
#include "xla/kernels/wide.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

template <typename Wide, typename T>
constexpr bool IsConvertible() {
  if constexpr (is_complex_v<Wide>) {
    // Complex arithmetic takes complex numbers and their parts.
    return is_complex_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
  } else if constexpr (std::is_floating_point_v<Wide>) {
    return !is_complex_v<T>;
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

}  // namespace

template <typename Wide>
WideLoad<Wide> GetWideLoad(PrimitiveType type) {
  if (!primitive_util::IsArrayType(type)) return nullptr;
  return primitive_util::ArrayTypeSwitch<WideLoad<Wide>>(
      [](auto constant) -> WideLoad<Wide> {
        using T = primitive_util::NativeTypeOf<constant>;
        if constexpr (IsConvertible<Wide, T>()) return Load<Wide, T>;
        return nullptr;
      },
      type);
}

template <typename Wide>
WideStore<Wide> GetWideStore(PrimitiveType type) {
  if (!primitive_util::IsArrayType(type)) return nullptr;
  return primitive_util::ArrayTypeSwitch<WideStore<Wide>>(
      [](auto constant) -> WideStore<Wide> {
        using T = primitive_util::NativeTypeOf<constant>;
        if constexpr (IsConvertible<Wide, T>()) return Store<Wide, T>;
        return nullptr;
      },
      type);
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
