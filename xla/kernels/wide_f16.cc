// SPDX-License-Identifier: Apache-2.0
// Conversion of f16 by the machine's instructions.
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

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {
HWY_EXPORT(F16Vectors);
HWY_EXPORT(NarrowF16Vectors);
}  // namespace

int64_t WidenF16(const void* from, int64_t count, float* to) {
  return HWY_DYNAMIC_DISPATCH(F16Vectors)(static_cast<const uint16_t*>(from), count, to);
}

int64_t NarrowF16(const float* from, int64_t count, void* to) {
  return HWY_DYNAMIC_DISPATCH(NarrowF16Vectors)(from, count, static_cast<uint16_t*>(to));
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
