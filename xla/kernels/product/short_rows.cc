// SPDX-License-Identifier: Apache-2.0
// Copies rows by vectors, the last one masked, for each instruction set.
#include "xla/kernels/product/short_rows.h"

#include <algorithm>
#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/short_rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void CopyShortRows(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                   int64_t width) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t whole = columns / kLanes * kLanes;
#if HWY_TARGET <= HWY_AVX2  // masked loads touch no memory beyond the mask
  if (width % kLanes == 0 && whole < columns) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(columns - whole));
    const auto zero = hn::Zero(d);
    for (int64_t i = 0; i < rows; ++i, from += from_stride, to += width) {
      int64_t j = 0;
      for (; j < whole; j += kLanes) hn::StoreU(hn::LoadU(d, from + j), d, to + j);
      hn::StoreU(hn::MaskedLoad(mask, d, from + j), d, to + j);
      for (j += kLanes; j < width; j += kLanes) hn::StoreU(zero, d, to + j);
    }
    return;
  }
#endif
  for (int64_t i = 0; i < rows; ++i, from += from_stride, to += width) {
    int64_t j = 0;
    for (; j < whole; j += kLanes) hn::StoreU(hn::LoadU(d, from + j), d, to + j);
    for (; j < columns; ++j) to[j] = from[j];
    std::fill(to + columns, to + width, T(0));
  }
}

void CopyShortRowsU32(int64_t rows, int64_t columns, const void* from, int64_t from_stride,
                      void* to, int64_t width) {
  CopyShortRows(rows, columns, static_cast<const uint32_t*>(from), from_stride,
                static_cast<uint32_t*>(to), width);
}
void CopyShortRowsU64(int64_t rows, int64_t columns, const void* from, int64_t from_stride,
                      void* to, int64_t width) {
  CopyShortRows(rows, columns, static_cast<const uint64_t*>(from), from_stride,
                static_cast<uint64_t*>(to), width);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(CopyShortRowsU32);
HWY_EXPORT(CopyShortRowsU64);

void CopyShortRows32(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                     int64_t width) {
  HWY_DYNAMIC_DISPATCH(CopyShortRowsU32)(rows, columns, from, from_stride, to, width);
}
void CopyShortRows64(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                     int64_t width) {
  HWY_DYNAMIC_DISPATCH(CopyShortRowsU64)(rows, columns, from, from_stride, to, width);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
