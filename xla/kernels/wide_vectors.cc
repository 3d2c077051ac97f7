// SPDX-License-Identifier: Apache-2.0
// Conversion of f16, bf16 and integers of 8 bits by the machine's instructions.
#include <algorithm>
#include <cstdint>

#include "xla/kernels/simd_targets.h"
#include "xla/kernels/wide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/wide_vectors.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns how many numbers it converted: whole vectors.
int64_t F16Vectors(const uint16_t* from, int64_t count, float* to) {
  int64_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from) + i)),
               d, to + i);
  }
#else
  (void)from, (void)count, (void)to;
#endif
  return i;
}

int64_t NarrowF16Vectors(const float* from, int64_t count, uint16_t* to) {
  int64_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, from + i)), half,
               reinterpret_cast<hwy::float16_t*>(to) + i);
  }
#else
  (void)from, (void)count, (void)to;
#endif
  return i;
}

int64_t BF16Vectors(const uint16_t* from, int64_t count, float* to) {
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(half, from + i)));
    hn::StoreU(wide, d, reinterpret_cast<uint32_t*>(to) + i);
  }
  return i;
}

// As MiniFloat::Round.
int64_t NarrowBF16Vectors(const float* from, int64_t count, uint16_t* to) {
  const hn::ScalableTag<uint32_t> d;
  const hn::RebindToSigned<decltype(d)> ints;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto wide = hn::LoadU(d, reinterpret_cast<const uint32_t*>(from) + i);
    const auto upper = hn::ShiftRight<16>(wide);
    const auto rounded = hn::ShiftRight<16>(
        hn::Add(hn::Add(wide, hn::Set(d, 0x7fff)), hn::And(upper, hn::Set(d, 1))));
    const auto nan = hn::Or(hn::And(upper, hn::Set(d, 0x8000)), hn::Set(d, 0x7fc0));
    const auto magnitude = hn::BitCast(ints, hn::And(wide, hn::Set(d, 0x7fffffff)));
    const auto is_nan = hn::RebindMask(d, hn::Gt(magnitude, hn::Set(ints, 0x7f800000)));
    hn::StoreU(hn::TruncateTo(half, hn::IfThenElse(is_nan, nan, rounded)), half, to + i);
  }
  return i;
}

template <typename T>
int64_t ByteVectors(const T* from, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> ints;
  const hn::Rebind<T, decltype(d)> bytes;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(bytes, from + i))), d, to + i);
  return i;
}
int64_t S8Vectors(const int8_t* from, int64_t count, float* to) {
  return ByteVectors(from, count, to);
}
int64_t U8Vectors(const uint8_t* from, int64_t count, float* to) {
  return ByteVectors(from, count, to);
}

// Short rows: `widen` converts whole vectors, and the rest is converted as one.
template <typename T, class Widen>
HWY_INLINE void WidenRowsBy(Widen widen, int64_t rows, int64_t columns, const T* from,
                            int64_t from_stride, float* to, int64_t to_stride) {
  constexpr int64_t kMostLanes = 16;
  for (int64_t i = 0; i < rows; ++i, from += from_stride, to += to_stride) {
    const int64_t done = widen(from, columns, to);
    if (done == columns) continue;
    T rest[kMostLanes] = {};
    float wide[kMostLanes];
    std::copy(from + done, from + columns, rest);
    widen(rest, kMostLanes, wide);
    std::copy_n(wide, columns - done, to + done);
  }
}
void BF16Rows(int64_t rows, int64_t columns, const void* from, int64_t from_stride, float* to,
              int64_t to_stride) {
  WidenRowsBy(BF16Vectors, rows, columns, static_cast<const uint16_t*>(from), from_stride, to,
              to_stride);
}
void S8Rows(int64_t rows, int64_t columns, const void* from, int64_t from_stride, float* to,
            int64_t to_stride) {
  WidenRowsBy(S8Vectors, rows, columns, static_cast<const int8_t*>(from), from_stride, to,
              to_stride);
}
void U8Rows(int64_t rows, int64_t columns, const void* from, int64_t from_stride, float* to,
            int64_t to_stride) {
  WidenRowsBy(U8Vectors, rows, columns, static_cast<const uint8_t*>(from), from_stride, to,
              to_stride);
}
WidenRows RowsOf(PrimitiveType type) {
  return type == BF16 ? &BF16Rows : type == S8 ? &S8Rows : type == U8 ? &U8Rows : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {
HWY_EXPORT(F16Vectors);
HWY_EXPORT(NarrowF16Vectors);
HWY_EXPORT(BF16Vectors);
HWY_EXPORT(NarrowBF16Vectors);
HWY_EXPORT(S8Vectors);
HWY_EXPORT(U8Vectors);
HWY_EXPORT(RowsOf);
}  // namespace

int64_t WidenF16(const void* from, int64_t count, float* to) {
  return HWY_DYNAMIC_DISPATCH(F16Vectors)(static_cast<const uint16_t*>(from), count, to);
}

int64_t NarrowF16(const float* from, int64_t count, void* to) {
  return HWY_DYNAMIC_DISPATCH(NarrowF16Vectors)(from, count, static_cast<uint16_t*>(to));
}

int64_t WidenBF16(const void* from, int64_t count, float* to) {
  return HWY_DYNAMIC_DISPATCH(BF16Vectors)(static_cast<const uint16_t*>(from), count, to);
}

int64_t NarrowBF16(const float* from, int64_t count, void* to) {
  return HWY_DYNAMIC_DISPATCH(NarrowBF16Vectors)(from, count, static_cast<uint16_t*>(to));
}

int64_t WidenS8(const void* from, int64_t count, float* to) {
  return HWY_DYNAMIC_DISPATCH(S8Vectors)(static_cast<const int8_t*>(from), count, to);
}

int64_t WidenU8(const void* from, int64_t count, float* to) {
  return HWY_DYNAMIC_DISPATCH(U8Vectors)(static_cast<const uint8_t*>(from), count, to);
}

WidenRows GetWidenRows(PrimitiveType type) { return HWY_DYNAMIC_DISPATCH(RowsOf)(type); }

}  // namespace xla::kernels
#endif  // HWY_ONCE
