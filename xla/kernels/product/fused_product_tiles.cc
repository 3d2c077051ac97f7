// SPDX-License-Identifier: Apache-2.0
// Tiles of products for each instruction set.
#include <cstdint>
#include <type_traits>
#include <utility>

#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/fused_product_tiles.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 24 sums, two vectors of B and a broadcast element of A in 32 registers; 12 in 16.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kTileRows = 12;
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif

template <class D, class V = hn::Vec<D>>
HWY_INLINE V MultiplyAdd(D, V a, V b, V sum) {
  if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
    return hn::MulAdd(a, b, sum);
  } else {
    return hn::Add(sum, hn::Mul(a, b));
  }
}

// Stores c = sum, or c + sum.
template <typename T, int kRows, int kVectors, class V>
HWY_INLINE void StoreTile(int64_t columns, const V (&sum)[kRows][kVectors], T* HWY_RESTRICT c,
                          int64_t ldc, bool accumulate) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  if (columns == kVectors * kLanes) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        T* to = c + r * ldc + v * kLanes;
        hn::StoreU(accumulate ? hn::Add(hn::LoadU(d, to), sum[r][v]) : sum[r][v], d, to);
      }
    }
    return;
  }
  // The last vector of each row is partly outside.
  const int64_t rest = columns - (kVectors - 1) * kLanes;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const auto mask = hn::FirstN(d, static_cast<size_t>(rest));
#endif
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    T* to = c + r * ldc;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors - 1; ++v, to += kLanes)
      hn::StoreU(accumulate ? hn::Add(hn::LoadU(d, to), sum[r][v]) : sum[r][v], d, to);
    const V last = sum[r][kVectors - 1];
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    hn::BlendedStore(accumulate ? hn::Add(hn::MaskedLoad(mask, d, to), last) : last, mask, d, to);
#else
    T lanes[kLanes];
    hn::StoreU(last, d, lanes);
    for (int64_t j = 0; j < rest; ++j) to[j] = accumulate ? to[j] + lanes[j] : lanes[j];
#endif
  }
}

// Computes a tile. With kCopies, rows of B are copied to `panel`. They may be far apart, with many
// of them in the same sets of the first-level cache: they are prefetched to the second level, long
// enough before.
template <typename T, int kRows, int kVectors, bool kCopies = false>
HWY_INLINE void SumTile(int64_t columns, int64_t depth, const T* HWY_RESTRICT a,
                        const T* HWY_RESTRICT b, int64_t ldb, T* HWY_RESTRICT c, int64_t ldc,
                        bool accumulate, T* HWY_RESTRICT panel = nullptr) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<decltype(d)>;
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = hn::Zero(d);
      // C is needed at the end.
      __builtin_prefetch(c + r * ldc + v * kLanes);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    V row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      row[v] = hn::LoadU(d, b + v * kLanes);
      if constexpr (kCopies) {
        constexpr int64_t kAhead = 32;
        constexpr int kSecondLevel = 2;
        __builtin_prefetch(b + kAhead * ldb + v * kLanes, 0, kSecondLevel);
        hn::StoreU(row[v], d, panel + v * kLanes);
      }
    }
    if constexpr (kCopies) panel += kVectors * kLanes;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, a[r * kProductRowStride]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] = MultiplyAdd(d, factor, row[v], sum[r][v]);
    }
    ++a;
    b += ldb;
  }
  StoreTile<T, kRows, kVectors>(columns, sum, c, ldc, accumulate);
}

// Computes a tile of rows in place. Every third row has a pointer; the rows between are at
// multiples of the stride that addresses can hold.
template <typename T, int kRows, int kVectors>
HWY_INLINE void SumRuns(int64_t columns, const TileRun<T>* runs, int64_t count, int64_t shift,
                        int64_t a_stride, const T* HWY_RESTRICT b, int64_t ldb, T* HWY_RESTRICT c,
                        int64_t ldc, bool accumulate) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr int kPointers = (kRows + 2) / 3;
  using V = hn::Vec<decltype(d)>;
  V sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = hn::Zero(d);
      __builtin_prefetch(c + r * ldc + v * kLanes);
    }
  }
  for (int64_t run = 0; run < count; ++run) {
    const T* a[kPointers];
#pragma GCC unroll 4
    for (int p = 0; p < kPointers; ++p) a[p] = runs[run].a + shift + 3 * p * a_stride;
    const T* const end = a[0] + runs[run].length;
    while (a[0] != end) {
      V row[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) row[v] = hn::LoadU(d, b + v * kLanes);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const V factor = hn::Set(d, a[r / 3][r % 3 * a_stride]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sum[r][v] = MultiplyAdd(d, factor, row[v], sum[r][v]);
      }
#pragma GCC unroll 4
      for (int p = 0; p < kPointers; ++p) ++a[p];
      b += ldb;
    }
  }
  StoreTile<T, kRows, kVectors>(columns, sum, c, ldc, accumulate);
}

template <typename T, int kRows>
void TileOfRows(int64_t columns, int64_t depth, const T* a, const T* b, int64_t ldb, T* c,
                int64_t ldc, bool accumulate) {
  if (columns <= static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()))) {
    SumTile<T, kRows, 1>(columns, depth, a, b, ldb, c, ldc, accumulate);
  } else {
    SumTile<T, kRows, 2>(columns, depth, a, b, ldb, c, ldc, accumulate);
  }
}

template <typename T>
using TileFunction = void (*)(int64_t columns, int64_t depth, const T* a, const T* b, int64_t ldb,
                              T* c, int64_t ldc, bool accumulate);

template <typename T, int... kRows>
void TileTable(std::integer_sequence<int, kRows...>, int64_t rows, int64_t columns, int64_t depth,
               const T* a, const T* b, int64_t ldb, T* c, int64_t ldc, bool accumulate) {
  static constexpr TileFunction<T> kTable[] = {&TileOfRows<T, kRows + 1>...};
  kTable[rows - 1](columns, depth, a, b, ldb, c, ldc, accumulate);
}

template <typename T>
void Tile(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, int64_t ldb, T* c,
          int64_t ldc, bool accumulate) {
  TileTable<T>(std::make_integer_sequence<int, kTileRows>(), rows, columns, depth, a, b, ldb, c,
               ldc, accumulate);
}

template <typename T>
void CopyingTile(int64_t depth, const T* a, const T* b, int64_t ldb, T* c, int64_t ldc,
                 bool accumulate, T* panel) {
  constexpr int64_t kColumns = 2 * static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  SumTile<T, kTileRows, 2, true>(kColumns, depth, a, b, ldb, c, ldc, accumulate, panel);
}

template <typename T, int kRows>
void RunsOfRows(int64_t columns, const TileRun<T>* runs, int64_t count, int64_t shift,
                int64_t a_stride, const T* b, int64_t ldb, T* c, int64_t ldc, bool accumulate) {
  if (columns <= static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()))) {
    SumRuns<T, kRows, 1>(columns, runs, count, shift, a_stride, b, ldb, c, ldc, accumulate);
  } else {
    SumRuns<T, kRows, 2>(columns, runs, count, shift, a_stride, b, ldb, c, ldc, accumulate);
  }
}

template <typename T, int... kRows>
void RunsTable(std::integer_sequence<int, kRows...>, int64_t rows, int64_t columns,
               const TileRun<T>* runs, int64_t count, int64_t shift, int64_t a_stride, const T* b,
               int64_t ldb, T* c, int64_t ldc, bool accumulate) {
  static constexpr decltype(&RunsOfRows<T, 1>) kTable[] = {&RunsOfRows<T, kRows + 1>...};
  kTable[rows - 1](columns, runs, count, shift, a_stride, b, ldb, c, ldc, accumulate);
}

template <typename T>
void Runs(int64_t rows, int64_t columns, const TileRun<T>* runs, int64_t count, int64_t shift,
          int64_t a_stride, const T* b, int64_t ldb, T* c, int64_t ldc, bool accumulate) {
  RunsTable<T>(std::make_integer_sequence<int, kTileRows>(), rows, columns, runs, count, shift,
               a_stride, b, ldb, c, ldc, accumulate);
}

template <typename T>
ProductKernels<T, T> TilesOf() {
  return {kTileRows, 2 * static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>())), &Tile<T>};
}

ProductKernels<float, float> TilesF32() {
  ProductKernels<float, float> kernels = TilesOf<float>();
  kernels.runs = &Runs<float>;
  kernels.copying_tile = &CopyingTile<float>;
  return kernels;
}
ProductKernels<double, double> TilesF64() {
  ProductKernels<double, double> kernels = TilesOf<double>();
  kernels.copying_tile = &CopyingTile<double>;
  return kernels;
}
ProductKernels<uint32_t, uint32_t> TilesU32() { return TilesOf<uint32_t>(); }
ProductKernels<uint64_t, uint64_t> TilesU64() { return TilesOf<uint64_t>(); }

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(TilesF32);
HWY_EXPORT(TilesF64);
HWY_EXPORT(TilesU32);
HWY_EXPORT(TilesU64);

}  // namespace

template <>
ProductKernels<float, float> FusedKernels<float>() {
  return HWY_DYNAMIC_DISPATCH(TilesF32)();
}
template <>
ProductKernels<double, double> FusedKernels<double>() {
  return HWY_DYNAMIC_DISPATCH(TilesF64)();
}
template <>
ProductKernels<uint32_t, uint32_t> FusedKernels<uint32_t>() {
  return HWY_DYNAMIC_DISPATCH(TilesU32)();
}
template <>
ProductKernels<uint64_t, uint64_t> FusedKernels<uint64_t>() {
  return HWY_DYNAMIC_DISPATCH(TilesU64)();
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
