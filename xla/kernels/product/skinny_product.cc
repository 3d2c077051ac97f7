// SPDX-License-Identifier: Apache-2.0
// Products of few rows, for each instruction set.
#include "xla/kernels/product/skinny_product.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/skinny_product.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Loads a vector of the matrix, widened.
template <class D, typename W>
HWY_INLINE hn::Vec<D> LoadWide(D d, const W* from) {
  if constexpr (std::is_same_v<W, hn::TFromD<D>>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<W, Bf16Bits>) {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<uint16_t, D> half;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(
                              bits, hn::LoadU(half, reinterpret_cast<const uint16_t*>(from)))));
  } else {
    const hn::RebindToSigned<D> ints;
    const hn::Rebind<W, D> narrow;
    return hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(narrow, from)));
  }
}

// Whether loads of a part of a vector of W touch no memory beyond it.
template <typename T, typename W>
constexpr bool kLoadsParts = HWY_TARGET <= HWY_AVX3 ||
                             (HWY_TARGET == HWY_AVX2 && std::is_same_v<T, W>);

// Loads the first `count` elements of a vector of the matrix, widened, and zeros.
template <class D, typename W>
HWY_INLINE hn::Vec<D> LoadWidePart(D d, const W* from, int64_t count) {
  const auto n = static_cast<size_t>(count);
  if constexpr (std::is_same_v<W, hn::TFromD<D>>) {
    return hn::MaskedLoad(hn::FirstN(d, n), d, from);
  } else if constexpr (std::is_same_v<W, Bf16Bits>) {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<uint16_t, D> half;
    const auto part =
        hn::MaskedLoad(hn::FirstN(half, n), half, reinterpret_cast<const uint16_t*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, part)));
  } else {
    const hn::RebindToSigned<D> ints;
    const hn::Rebind<W, D> narrow;
    return hn::ConvertTo(d,
                         hn::PromoteTo(ints, hn::MaskedLoad(hn::FirstN(narrow, n), narrow, from)));
  }
}

// Reads kDepth rows of the matrix at a time.
template <typename T, typename W, int kRows, int kDepth>
HWY_INLINE void StreamStep(int64_t columns, const T* HWY_RESTRICT x, int64_t x_stride,
                           const W* HWY_RESTRICT w, int64_t ldw, T* HWY_RESTRICT sums,
                           int64_t sum_stride) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<decltype(d)>;
  V factors[kRows][kDepth];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int k = 0; k < kDepth; ++k) factors[r][k] = hn::Set(d, x[r * x_stride + k]);
  }
  int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    V row[kDepth];
#pragma GCC unroll 8
    for (int k = 0; k < kDepth; ++k) row[k] = LoadWide(d, w + k * ldw + j);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      V sum = hn::LoadU(d, sums + r * sum_stride + j);
#pragma GCC unroll 8
      for (int k = 0; k < kDepth; ++k) sum = hn::MulAdd(factors[r][k], row[k], sum);
      hn::StoreU(sum, d, sums + r * sum_stride + j);
    }
  }
  if constexpr (kLoadsParts<T, W>) {
    if (j < columns) {
      V row[kDepth];
#pragma GCC unroll 8
      for (int k = 0; k < kDepth; ++k) row[k] = LoadWidePart(d, w + k * ldw + j, columns - j);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        V sum = hn::LoadU(d, sums + r * sum_stride + j);
#pragma GCC unroll 8
        for (int k = 0; k < kDepth; ++k) sum = hn::MulAdd(factors[r][k], row[k], sum);
        hn::StoreU(sum, d, sums + r * sum_stride + j);
      }
      return;
    }
  }
  const hn::CappedTag<T, 1> one;
  for (; j < columns; ++j) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      auto sum = hn::LoadU(one, sums + r * sum_stride + j);
#pragma GCC unroll 8
      for (int k = 0; k < kDepth; ++k) {
        sum = hn::MulAdd(hn::Set(one, x[r * x_stride + k]), LoadWide(one, w + k * ldw + j), sum);
      }
      hn::StoreU(sum, one, sums + r * sum_stride + j);
    }
  }
}

template <typename T, typename W, int kRows>
void StreamRows(int64_t columns, int64_t depth, const T* x, int64_t x_stride, const W* w,
                int64_t ldw, T* sums, int64_t sum_stride) {
  constexpr int kDepth = kRows <= 2 ? 8 : 4;
  int64_t k = 0;
  for (; k + kDepth <= depth; k += kDepth)
    StreamStep<T, W, kRows, kDepth>(columns, x + k, x_stride, w + k * ldw, ldw, sums, sum_stride);
  for (; k < depth; ++k)
    StreamStep<T, W, kRows, 1>(columns, x + k, x_stride, w + k * ldw, ldw, sums, sum_stride);
}

#if HWY_TARGET == HWY_SCALAR
template <class D>
HWY_INLINE void StoreSums(D, const hn::Vec<D>* v, hn::TFromD<D>* sums) {
  for (int c = 0; c < 4; ++c) sums[c] = hn::GetLane(v[c]);
}
template <class D>
HWY_INLINE hn::Vec<D> SumsOfLanes(D, const hn::Vec<D>* v) {
  return v[0];
}
#else
// Sums the lanes of blocks of kBlock lanes.
template <int kBlock, class D>
HWY_INLINE auto SumOfBlocks(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) <= kBlock) {
    return v;
  } else {
    const hn::Half<D> half;
    return SumOfBlocks<kBlock>(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// Adds lanes of the vectors of a block's lanes, so that lane i of each block is a partial sum of
// vector i.
template <class D>
HWY_INLINE hn::Vec<D> BlocksOfSums(D d, const hn::Vec<D>* v) {
  const auto pair = [&](int i) {
    return hn::Add(hn::InterleaveLower(d, v[i], v[i + 1]), hn::InterleaveUpper(d, v[i], v[i + 1]));
  };
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return pair(0);
  } else {
    const hn::RepartitionToWide<D> wide;
    const auto a = hn::BitCast(wide, pair(0)), b = hn::BitCast(wide, pair(2));
    return hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, a, b)),
                   hn::BitCast(d, hn::InterleaveUpper(wide, a, b)));
  }
}

// Sums each of four vectors' lanes.
template <class D>
HWY_INLINE void StoreSums(D d, const hn::Vec<D>* v, hn::TFromD<D>* sums) {
  constexpr int kBlock = 16 / sizeof(hn::TFromD<D>);
  const hn::CappedTag<hn::TFromD<D>, kBlock> block;
#pragma GCC unroll 8
  for (int i = 0; i < 4; i += kBlock)
    hn::StoreU(SumOfBlocks<kBlock>(d, BlocksOfSums(d, v + i)), block, sums + i);
}

// Sums the lanes of as many vectors as there are lanes: lane i is the sum of vector i.
template <class D>
HWY_INLINE hn::Vec<D> SumsOfLanes(D d, const hn::Vec<D>* v) {
  constexpr int kBlock = 16 / sizeof(hn::TFromD<D>), kBlocks = hn::MaxLanes(d) / kBlock;
  if constexpr (kBlocks == 1) {
    return BlocksOfSums(d, v);
  } else {
    // Of two vectors, the sums of neighboring blocks.
    const auto pair = [&](int i) {
      const auto a = BlocksOfSums(d, v + i * kBlock), b = BlocksOfSums(d, v + (i + 1) * kBlock);
      return hn::Add(hn::OddEvenBlocks(b, a), hn::SwapAdjacentBlocks(hn::OddEvenBlocks(a, b)));
    };
    if constexpr (kBlocks == 2) {
      return pair(0);
    } else {
      static_assert(kBlocks == 4);
      const auto low = pair(0), high = pair(2);
      return hn::Add(hn::ConcatLowerLower(d, high, low), hn::ConcatUpperUpper(d, high, low));
    }
  }
}
#endif

// The most sums that stay in registers beside what is multiplied.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kSumsOfDots = 16;
#else
constexpr int kSumsOfDots = 8;
#endif

// Stores the sums of the lanes, and adds the products of what is left from k on.
template <typename T, typename W, int kRows, int kColumns, int kUnroll, class V>
HWY_INLINE void FinishDots(const V (&sum)[kRows][kColumns][kUnroll], int64_t k, int64_t depth,
                           const T* HWY_RESTRICT x, int64_t x_stride, const W* HWY_RESTRICT w,
                           int64_t ldw, T* HWY_RESTRICT sums, int64_t sum_stride) {
  const hn::ScalableTag<T> d;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    V total[kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      total[c] = sum[r][c][0];
#pragma GCC unroll 8
      for (int u = 1; u < kUnroll; ++u) total[c] = hn::Add(total[c], sum[r][c][u]);
    }
    T* const result = sums + r * sum_stride;
    if constexpr (kColumns == 4) {
      StoreSums(d, total, result);
    } else {
      *result = hn::GetLane(hn::SumOfLanes(d, total[0]));
    }
    const hn::CappedTag<T, 1> one;
    for (int64_t i = k; i < depth; ++i) {
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c)
        result[c] += x[r * x_stride + i] * hn::GetLane(LoadWide(one, w + c * ldw + i));
    }
  }
}

// Reads kColumns columns of the matrix at a time: one or four.
template <typename T, typename W, int kRows, int kColumns>
HWY_INLINE void DotStep(int64_t depth, const T* HWY_RESTRICT x, int64_t x_stride,
                        const W* HWY_RESTRICT w, int64_t ldw, T* HWY_RESTRICT sums,
                        int64_t sum_stride) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr int kUnroll = std::max(1, kSumsOfDots / (kRows * 4));
  using V = hn::Vec<decltype(d)>;
  V sum[kRows][kColumns][kUnroll];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
#pragma GCC unroll 8
      for (int u = 0; u < kUnroll; ++u) sum[r][c][u] = hn::Zero(d);
    }
  }
  int64_t k = 0;
  for (; k + kUnroll * kLanes <= depth; k += kUnroll * kLanes) {
#pragma GCC unroll 8
    for (int u = 0; u < kUnroll; ++u) {
      V row[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) row[r] = hn::LoadU(d, x + r * x_stride + k + u * kLanes);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) {
        const V column = LoadWide(d, w + c * ldw + k + u * kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) sum[r][c][u] = hn::MulAdd(row[r], column, sum[r][c][u]);
      }
    }
  }
  for (; k + kLanes <= depth; k += kLanes) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const V column = LoadWide(d, w + c * ldw + k);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
        sum[r][c][0] = hn::MulAdd(hn::LoadU(d, x + r * x_stride + k), column, sum[r][c][0]);
    }
  }
  if (kLoadsParts<T, W> && k < depth) {
    V row[kRows];
    for (int r = 0; r < kRows; ++r) row[r] = LoadWidePart(d, x + r * x_stride + k, depth - k);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const V column = LoadWidePart(d, w + c * ldw + k, depth - k);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[r][c][0] = hn::MulAdd(row[r], column, sum[r][c][0]);
    }
    k = depth;
  }
  FinishDots<T, W>(sum, k, depth, x, x_stride, w, ldw, sums, sum_stride);
}

// Multiplies a short row by as many columns as a vector has lanes, whose sums take longer than
// their products.
template <typename T, typename W>
HWY_INLINE void ShortDotStep(int64_t depth, const T* HWY_RESTRICT x, const W* HWY_RESTRICT w,
                             int64_t ldw, T* HWY_RESTRICT sums) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> sum[kLanes];
#pragma GCC unroll 16
  for (int64_t c = 0; c < kLanes; ++c) sum[c] = hn::Zero(d);
  int64_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    const auto row = hn::LoadU(d, x + k);
#pragma GCC unroll 16
    for (int64_t c = 0; c < kLanes; ++c)
      sum[c] = hn::MulAdd(row, LoadWide(d, w + c * ldw + k), sum[c]);
  }
  if (kLoadsParts<T, W> && k < depth) {
    const auto row = LoadWidePart(d, x + k, depth - k);
#pragma GCC unroll 16
    for (int64_t c = 0; c < kLanes; ++c)
      sum[c] = hn::MulAdd(row, LoadWidePart(d, w + c * ldw + k, depth - k), sum[c]);
    k = depth;
  }
  hn::StoreU(SumsOfLanes(d, sum), d, sums);
  const hn::CappedTag<T, 1> one;
  for (; k < depth; ++k) {
    for (int64_t c = 0; c < kLanes; ++c)
      sums[c] += x[k] * hn::GetLane(LoadWide(one, w + c * ldw + k));
  }
}

// Whether the sums of lanes take longer than their products.
template <typename T>
bool IsShortDot(int64_t depth) {
  return depth < 8 * int64_t{hn::MaxLanes(hn::ScalableTag<T>())};
}

// Returns the first column that is left.
template <typename T, typename W>
int64_t ShortDots(int64_t columns, int64_t depth, const T* x, const W* w, int64_t ldw, T* sums) {
  int64_t j = 0;
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  for (; j + kLanes <= columns; j += kLanes)
    ShortDotStep<T, W>(depth, x, w + j * ldw, ldw, sums + j);
  return j;
}

template <typename T, typename W, int kRows>
void DotRows(int64_t columns, int64_t depth, const T* x, int64_t x_stride, const W* w, int64_t ldw,
             T* sums, int64_t sum_stride) {
  int64_t j = 0;
  if (kRows == 1 && IsShortDot<T>(depth)) j = ShortDots<T, W>(columns, depth, x, w, ldw, sums);
  for (; j + 4 <= columns; j += 4)
    DotStep<T, W, kRows, 4>(depth, x, x_stride, w + j * ldw, ldw, sums + j, sum_stride);
  for (; j < columns; ++j)
    DotStep<T, W, kRows, 1>(depth, x, x_stride, w + j * ldw, ldw, sums + j, sum_stride);
}

template <typename T, typename W>
void Stream(int64_t rows, int64_t columns, int64_t depth, const T* x, int64_t x_stride, const W* w,
            int64_t ldw, T* sums, int64_t sum_stride) {
  constexpr decltype(&StreamRows<T, W, 1>) kTable[] = {&StreamRows<T, W, 1>, &StreamRows<T, W, 2>,
                                                       &StreamRows<T, W, 3>, &StreamRows<T, W, 4>};
  kTable[rows - 1](columns, depth, x, x_stride, w, ldw, sums, sum_stride);
}

template <typename T, typename W>
void Dots(int64_t rows, int64_t columns, int64_t depth, const T* x, int64_t x_stride, const W* w,
          int64_t ldw, T* sums, int64_t sum_stride) {
  constexpr decltype(&DotRows<T, W, 1>) kTable[] = {&DotRows<T, W, 1>, &DotRows<T, W, 2>,
                                                    &DotRows<T, W, 3>, &DotRows<T, W, 4>};
  kTable[rows - 1](columns, depth, x, x_stride, w, ldw, sums, sum_stride);
}

template <typename T, typename W>
SkinnyKernels<T, W> SkinnyOf() {
  return {&Stream<T, W>, &Dots<T, W>};
}

SkinnyKernels<float> SkinnyF32() { return SkinnyOf<float, float>(); }
SkinnyKernels<double> SkinnyF64() { return SkinnyOf<double, double>(); }
SkinnyKernels<float, Bf16Bits> SkinnyBF16() { return SkinnyOf<float, Bf16Bits>(); }
SkinnyKernels<float, int8_t> SkinnyS8() { return SkinnyOf<float, int8_t>(); }

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(SkinnyF32);
HWY_EXPORT(SkinnyF64);
HWY_EXPORT(SkinnyBF16);
HWY_EXPORT(SkinnyS8);

}  // namespace

template <>
SkinnyKernels<float> FusedSkinnyKernels<float, float>() {
  return HWY_DYNAMIC_DISPATCH(SkinnyF32)();
}
template <>
SkinnyKernels<double> FusedSkinnyKernels<double, double>() {
  return HWY_DYNAMIC_DISPATCH(SkinnyF64)();
}
template <>
SkinnyKernels<float, Bf16Bits> FusedSkinnyKernels<float, Bf16Bits>() {
  return HWY_DYNAMIC_DISPATCH(SkinnyBF16)();
}
template <>
SkinnyKernels<float, int8_t> FusedSkinnyKernels<float, int8_t>() {
  return HWY_DYNAMIC_DISPATCH(SkinnyS8)();
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
