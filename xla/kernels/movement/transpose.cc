// SPDX-License-Identifier: Apache-2.0
// Transposes tiles in registers, for each instruction set.
#include "xla/kernels/movement/transpose.h"

#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/movement/transpose.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The rows and columns that whole tiles cover.
struct Done {
  int64_t rows, columns;
};

#if HWY_TARGET != HWY_SCALAR
// Transposes a matrix of as many rows and columns as the vector has lanes (tag D). First squares of
// 16 bytes a row are transposed within the blocks of the vectors, then the blocks themselves.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void TransposeTile(D d, const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  constexpr int kSquare = 16 / static_cast<int>(sizeof(T)), kBlocks = kLanes / kSquare;
  using V = hn::Vec<D>;
  V v[kLanes];
#pragma GCC unroll 16
  for (int j = 0; j < kLanes; ++j) v[j] = hn::LoadU(d, from + j * from_stride);
#pragma GCC unroll 4
  for (int g = 0; g < kLanes; g += kSquare) {
    if constexpr (kSquare == 4) {
      const hn::Repartition<uint64_t, D> d64;
      const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, v[g], v[g + 1])),
                 high01 = hn::BitCast(d64, hn::InterleaveUpper(d, v[g], v[g + 1])),
                 low23 = hn::BitCast(d64, hn::InterleaveLower(d, v[g + 2], v[g + 3])),
                 high23 = hn::BitCast(d64, hn::InterleaveUpper(d, v[g + 2], v[g + 3]));
      v[g] = hn::BitCast(d, hn::InterleaveLower(d64, low01, low23));
      v[g + 1] = hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23));
      v[g + 2] = hn::BitCast(d, hn::InterleaveLower(d64, high01, high23));
      v[g + 3] = hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23));
    } else {
      const V low = hn::InterleaveLower(d, v[g], v[g + 1]);
      v[g + 1] = hn::InterleaveUpper(d, v[g], v[g + 1]);
      v[g] = low;
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < kSquare; ++c) {
    if constexpr (kBlocks == 1) {
      hn::StoreU(v[c], d, to + c * to_stride);
    } else if constexpr (kBlocks == 2) {
      const V a = v[c], b = v[kSquare + c];
      hn::StoreU(hn::ConcatLowerLower(d, b, a), d, to + c * to_stride);
      hn::StoreU(hn::ConcatUpperUpper(d, b, a), d, to + (kSquare + c) * to_stride);
    } else {
      static_assert(kBlocks == 4);
      const V e = v[c], f = v[kSquare + c], g = v[2 * kSquare + c], h = v[3 * kSquare + c];
      const V eg = hn::ConcatLowerLower(d, g, e), fh = hn::ConcatLowerLower(d, h, f);
      const V eg2 = hn::ConcatUpperUpper(d, g, e), fh2 = hn::ConcatUpperUpper(d, h, f);
      const auto store = [&](int block, V row) HWY_ATTR {
        hn::StoreU(row, d, to + (block * kSquare + c) * to_stride);
      };
      store(0, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(fh), eg));
      store(1, hn::OddEvenBlocks(fh, hn::SwapAdjacentBlocks(eg)));
      store(2, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(fh2), eg2));
      store(3, hn::OddEvenBlocks(fh2, hn::SwapAdjacentBlocks(eg2)));
    }
  }
}

template <class D, typename T = hn::TFromD<D>>
Done TransposeTiles(D d, int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                    int64_t to_stride) {
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t full_rows = rows / kLanes * kLanes, full_columns = columns / kLanes * kLanes;
  // Reads a few lines of the source at a time, which processors prefetch.
  for (int64_t j = 0; j < full_columns; j += kLanes) {
    for (int64_t i = 0; i < full_rows; i += kLanes)
      TransposeTile(d, from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
  }
  return {full_rows, full_columns};
}
#endif  // HWY_TARGET != HWY_SCALAR

template <typename T>
void TransposeRest(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                   int64_t to_stride) {
  Done done = {0, 0};
#if HWY_TARGET != HWY_SCALAR
  if (rows >= 4 && columns >= 4) {
    const hn::CappedTag<T, 16 / sizeof(T)> d;
    done = TransposeTiles(d, rows, columns, from, from_stride, to, to_stride);
  }
#endif
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < done.rows ? done.columns : 0; j < columns; ++j)
      to[i * to_stride + j] = from[j * from_stride + i];
  }
}

template <typename T>
void TransposeAny(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                  int64_t to_stride) {
#if HWY_TARGET == HWY_SCALAR
  TransposeRest(rows, columns, from, from_stride, to, to_stride);
#else
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  const Done done = TransposeTiles(d, rows, columns, from, from_stride, to, to_stride);
  if (done.columns < columns) {
    TransposeRest(done.rows, columns - done.columns, from + done.columns * from_stride, from_stride,
                  to + done.columns, to_stride);
  }
  if (done.rows < rows) {
    TransposeRest(rows - done.rows, columns, from + done.rows, from_stride,
                  to + done.rows * to_stride, to_stride);
  }
#endif
}

void TransposeU32(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                  int64_t to_stride) {
  TransposeAny(rows, columns, static_cast<const uint32_t*>(from), from_stride,
               static_cast<uint32_t*>(to), to_stride);
}
void TransposeU64(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                  int64_t to_stride) {
  TransposeAny(rows, columns, static_cast<const uint64_t*>(from), from_stride,
               static_cast<uint64_t*>(to), to_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(TransposeU32);
HWY_EXPORT(TransposeU64);

void Transpose32(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                 int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeU32)(rows, columns, from, from_stride, to, to_stride);
}
void Transpose64(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                 int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeU64)(rows, columns, from, from_stride, to, to_stride);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
