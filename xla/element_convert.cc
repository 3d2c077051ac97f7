// SPDX-License-Identifier: Apache-2.0
// Bulk conversion of elements: each narrow type to and from the wide types.
#include "xla/element_convert.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "xla/base/check.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

// Compilers vectorize loops of a constant length regardless of their cost model.
constexpr int64_t kBlock = 32;

template <typename From, typename To, typename F>
void ForEach(const From* source, To* destination, int64_t count, F f) {
  int64_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    // Through local arrays: source and destination may be the same memory.
    From in[kBlock];
    To out[kBlock];
    std::memcpy(static_cast<void*>(in), source + i, sizeof(in));
    for (int64_t j = 0; j < kBlock; ++j) out[j] = f(in[j]);
    std::memcpy(static_cast<void*>(destination + i), out, sizeof(out));
  }
  for (; i < count; ++i) destination[i] = f(source[i]);
}

// The type through which T is converted: as CarrierTypeOf, but 32-bit integers where they represent
// every value, because they vectorize better.
template <typename T>
using Wide = std::conditional_t<
    is_complex_v<T> || std::is_same_v<T, double>, T,
    std::conditional_t<
        is_real_float_v<T>, float,
        std::conditional_t<
            std::is_same_v<T, bool>, int32_t,
            std::conditional_t<
                std::numeric_limits<T>::is_signed,
                std::conditional_t<(std::numeric_limits<T>::digits < 32), int32_t, int64_t>,
                std::conditional_t<(std::numeric_limits<T>::digits <= 32), uint32_t, uint64_t>>>>>;

PrimitiveType WideTypeOf(PrimitiveType type) {
  const PrimitiveType carrier = CarrierTypeOf(type);
  if (carrier == S64 && type != S64) return S32;
  if (carrier == U64 && type != U64) return U32;
  return carrier;
}

template <typename To, typename Float>
To FloatToInteger(Float value) {
  using Limits = std::numeric_limits<To>;
  if (value != value) return static_cast<To>(0);
  // The upper limit plus one is a power of two: exact, unlike the limit itself.
  const Float end = std::ldexp(static_cast<Float>(1), Limits::digits);
  if (value >= end) return (Limits::max)();
  const Float low = Limits::is_signed ? -end : static_cast<Float>(0);
  if (value <= low) return Limits::lowest();
  return static_cast<To>(static_cast<Wide<To>>(value));
}

template <typename To, typename From>
To ConvertOne(From value) {
  if constexpr (is_complex_v<From>) {
    if constexpr (is_complex_v<To>) {
      using Part = typename To::value_type;
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else if constexpr (std::is_same_v<To, bool>) {
      return value.real() != 0 || value.imag() != 0;
    } else {
      return ConvertOne<To>(value.real());
    }
  } else if constexpr (is_complex_v<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && is_integer_v<To>) {
    return FloatToInteger<To>(value);
  } else {
    // One rounding in each case: C++ rounds integers to float and double to nearest, and so does
    // MiniFloat.
    return static_cast<To>(value);
  }
}

// Calls f with the wide type's constant.
template <typename F>
void SwitchOnWide(PrimitiveType wide, F f) {
  using primitive_util::PrimitiveTypeConstant;
  switch (wide) {
    case S32:
      return f(PrimitiveTypeConstant<S32>());
    case U32:
      return f(PrimitiveTypeConstant<U32>());
    case S64:
      return f(PrimitiveTypeConstant<S64>());
    case U64:
      return f(PrimitiveTypeConstant<U64>());
    case F32:
      return f(PrimitiveTypeConstant<F32>());
    case F64:
      return f(PrimitiveTypeConstant<F64>());
    case C64:
      return f(PrimitiveTypeConstant<C64>());
    default:
      return f(PrimitiveTypeConstant<C128>());
  }
}

void Widen(PrimitiveType from, const char* source, char* destination, int64_t count) {
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto type) {
        using T = primitive_util::NativeTypeOf<type>;
        using W = Wide<T>;
        ForEach(reinterpret_cast<const T*>(source), reinterpret_cast<W*>(destination), count,
                [](T value) { return static_cast<W>(value); });
      },
      from);
}

void Narrow(PrimitiveType wide, const char* source, PrimitiveType to, char* destination,
            int64_t count) {
  SwitchOnWide(wide, [&](auto wide_type) {
    using W = primitive_util::NativeTypeOf<wide_type>;
    primitive_util::ArrayTypeSwitch<void>(
        [&](auto type) {
          using T = primitive_util::NativeTypeOf<type>;
          ForEach(reinterpret_cast<const W*>(source), reinterpret_cast<T*>(destination), count,
                  [](W value) { return ConvertOne<T>(value); });
        },
        to);
  });
}

}  // namespace

PrimitiveType CarrierTypeOf(PrimitiveType type) {
  if (primitive_util::IsComplexType(type) || type == F64) return type;
  if (primitive_util::IsFloatingPointType(type)) return F32;
  return primitive_util::IsUnsignedIntegralType(type) ? U64 : S64;
}

void ConvertElements(PrimitiveType from, const void* source, PrimitiveType to, void* destination,
                     int64_t count) {
  XLA_CHECK(primitive_util::IsArrayType(from) && primitive_util::IsArrayType(to));
  if (count == 0) return;  // the pointers may be null
  const char* in = static_cast<const char*>(source);
  char* out = static_cast<char*>(destination);
  const int64_t in_bytes = primitive_util::ByteWidth(from);
  const int64_t out_bytes = primitive_util::ByteWidth(to);
  if (from == to) {
    std::memmove(out, in, count * in_bytes);
    return;
  }
  const PrimitiveType wide = WideTypeOf(from);
  if (wide == from) return Narrow(wide, in, to, out, count);
  if (wide == to) return Widen(from, in, out, count);
  // In chunks that fit into the first-level cache.
  constexpr int64_t kPiece = 16 * kBlock;
  alignas(64) char buffer[kPiece * sizeof(int64_t)];
  for (int64_t i = 0; i < count; i += kPiece) {
    const int64_t n = std::min(kPiece, count - i);
    Widen(from, in + i * in_bytes, buffer, n);
    Narrow(wide, buffer, to, out + i * out_bytes, n);
  }
}

void ConvertSpan(absl::Span<const half> source, absl::Span<float> destination) {
  XLA_CHECK(source.size() == destination.size());
  Widen(F16, reinterpret_cast<const char*>(source.data()),
        reinterpret_cast<char*>(destination.data()), source.size());
}
void ConvertSpan(absl::Span<const bfloat16> source, absl::Span<float> destination) {
  XLA_CHECK(source.size() == destination.size());
  Widen(BF16, reinterpret_cast<const char*>(source.data()),
        reinterpret_cast<char*>(destination.data()), source.size());
}
void ConvertSpan(absl::Span<const float> source, absl::Span<half> destination) {
  XLA_CHECK(source.size() == destination.size());
  Narrow(F32, reinterpret_cast<const char*>(source.data()), F16,
         reinterpret_cast<char*>(destination.data()), source.size());
}
void ConvertSpan(absl::Span<const float> source, absl::Span<bfloat16> destination) {
  XLA_CHECK(source.size() == destination.size());
  Narrow(F32, reinterpret_cast<const char*>(source.data()), BF16,
         reinterpret_cast<char*>(destination.data()), source.size());
}

void NormalizeSubByteElements(PrimitiveType type, void* data, int64_t count) {
  if (!primitive_util::IsSubByteNonPredType(type)) return;
  const int unused = 8 - primitive_util::BitWidth(type);
  auto* bytes = static_cast<uint8_t*>(data);
  if (primitive_util::IsSignedIntegralType(type)) {
    for (int64_t i = 0; i < count; ++i) {
      const auto raised = static_cast<int8_t>(static_cast<uint8_t>(bytes[i] << unused));
      bytes[i] = static_cast<uint8_t>(raised >> unused);
    }
    return;
  }
  const auto mask = static_cast<uint8_t>(0xFF >> unused);
  for (int64_t i = 0; i < count; ++i) bytes[i] &= mask;
}

}  // namespace xla
