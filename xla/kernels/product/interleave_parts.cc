// SPDX-License-Identifier: Apache-2.0
// For each instruction set.
#include "xla/kernels/product/interleave_parts.h"

#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/interleave_parts.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Part>
HWY_INLINE void InterleaveRowsOf(int64_t units, int64_t columns, const Part* HWY_RESTRICT from,
                                 const int64_t* offsets, int64_t unit_stride,
                                 uint32_t* HWY_RESTRICT panel, int64_t width) {
  constexpr int kParts = sizeof(uint32_t) / sizeof(Part), kBits = 8 * sizeof(Part);
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<Part, decltype(d)> parts;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t u = 0; u < units; ++u, from += unit_stride, panel += width) {
    int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      const auto part = [&](int p) HWY_ATTR {
        return hn::PromoteTo(d, hn::LoadU(parts, from + offsets[p] + j));
      };
      auto unit = hn::Or(part(0), hn::ShiftLeft<kBits>(part(1)));
      if constexpr (kParts == 4) {
        unit = hn::Or(unit, hn::Or(hn::ShiftLeft<16>(part(2)), hn::ShiftLeft<24>(part(3))));
      }
      hn::StoreU(unit, d, panel + j);
    }
    for (; j < columns; ++j) {
      uint32_t unit = 0;
      for (int p = 0; p < kParts; ++p)
        unit |= static_cast<uint32_t>(from[offsets[p] + j]) << (kBits * p);
      panel[j] = unit;
    }
  }
}

void InterleavePairs(int64_t units, int64_t columns, const uint16_t* from, const int64_t* offsets,
                     int64_t unit_stride, uint32_t* panel, int64_t width) {
  InterleaveRowsOf(units, columns, from, offsets, unit_stride, panel, width);
}
void InterleaveQuads(int64_t units, int64_t columns, const uint8_t* from, const int64_t* offsets,
                     int64_t unit_stride, uint32_t* panel, int64_t width) {
  InterleaveRowsOf(units, columns, from, offsets, unit_stride, panel, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(InterleavePairs);
HWY_EXPORT(InterleaveQuads);

}  // namespace

void InterleaveParts(int64_t units, int64_t columns, const uint16_t* from, const int64_t* offsets,
                     int64_t unit_stride, uint32_t* panel, int64_t width) {
  HWY_DYNAMIC_DISPATCH(InterleavePairs)(units, columns, from, offsets, unit_stride, panel, width);
}
void InterleaveParts(int64_t units, int64_t columns, const uint8_t* from, const int64_t* offsets,
                     int64_t unit_stride, uint32_t* panel, int64_t width) {
  HWY_DYNAMIC_DISPATCH(InterleaveQuads)(units, columns, from, offsets, unit_stride, panel, width);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
