// SPDX-License-Identifier: Apache-2.0
// Conversion of f16 and bf16 by the machine's instructions.
#include <cstdint>

#include "xla/kernels/simd_targets.h"
#include "xla/kernels/wide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/wide_f16.cc"
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

}  // namespace xla::kernels
#endif  // HWY_ONCE
