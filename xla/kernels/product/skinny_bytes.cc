// SPDX-License-Identifier: Apache-2.0
// Products of few rows by a matrix of bytes, for each instruction set: sums of products of pairs of
// 16-bit numbers, which are exact.
#include <cstdint>
#include <type_traits>

#include "xla/kernels/product/skinny_product.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/product/skinny_bytes.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns `count` bytes as 16-bit numbers in the low halves of lanes; the other halves are zero.
template <class D, typename W>
HWY_INLINE hn::VFromD<hn::RebindToUnsigned<D>> LoadHalves(D d, const W* from, int64_t count) {
  const hn::RebindToUnsigned<D> bits;
  const hn::Rebind<W, D> bytes;
  const auto narrow =
      count == hn::MaxLanes(d)
          ? hn::LoadU(bytes, from)
          : hn::MaskedLoad(hn::FirstN(bytes, static_cast<size_t>(count)), bytes, from);
  const auto wide = hn::BitCast(bits, hn::PromoteTo(d, narrow));
  return std::is_signed_v<W> ? hn::And(wide, hn::Set(bits, 0xffff)) : wide;
}

// Returns sum + the products of both numbers of the pairs.
template <class D>
HWY_INLINE hn::Vec<D> AddProducts(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<int16_t, D> halves;
  auto unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(halves, a), hn::BitCast(halves, b), sum,
                                       unused);
#else
  (void)d;
  const auto low_a = hn::ShiftRight<16>(hn::ShiftLeft<16>(a));
  const auto low_b = hn::ShiftRight<16>(hn::ShiftLeft<16>(b));
  const auto high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(sum, hn::Add(hn::Mul(low_a, low_b), high));
#endif
}

// Rows of x at some k: pairs of numbers, the first in the low half.
template <int kRows, int kPairs>
struct RowPairs {
  int32_t pairs[kRows][kPairs];
};

// Adds to one vector of sums for each row. The matrix has 2 * kPairs rows, or without kWhole one
// less. Elements of it after the first `count` are taken as zero.
template <int kRows, int kPairs, bool kWhole, class D, typename W>
HWY_INLINE void StreamVector(D d, int64_t count, const hn::Vec<D> (*factors)[kPairs],
                             const W* HWY_RESTRICT w, int64_t ldw, int32_t* HWY_RESTRICT sums,
                             int64_t sum_stride) {
  hn::Vec<D> row[kPairs];
#pragma GCC unroll 8
  for (int k = 0; k < kPairs; ++k) {
    auto pair = LoadHalves(d, w + 2 * k * ldw, count);
    if (kWhole || k + 1 < kPairs)
      pair = hn::Or(pair, hn::ShiftLeft<16>(LoadHalves(d, w + (2 * k + 1) * ldw, count)));
    row[k] = hn::BitCast(d, pair);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    auto sum = hn::LoadU(d, sums + r * sum_stride);
#pragma GCC unroll 8
    for (int k = 0; k < kPairs; ++k) sum = AddProducts(d, factors[r][k], row[k], sum);
    hn::StoreU(sum, d, sums + r * sum_stride);
  }
}

template <int kRows, int kPairs, bool kWhole, class D, typename W>
HWY_INLINE int64_t StreamColumns(D d, int64_t j, int64_t columns, const RowPairs<kRows, kPairs>& x,
                                 const W* w, int64_t ldw, int32_t* sums, int64_t sum_stride) {
  constexpr int64_t kLanes = hn::MaxLanes(d);
  hn::Vec<D> factors[kRows][kPairs];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int k = 0; k < kPairs; ++k) factors[r][k] = hn::Set(d, x.pairs[r][k]);
  }
  for (; j + kLanes <= columns; j += kLanes)
    StreamVector<kRows, kPairs, kWhole>(d, kLanes, factors, w + j, ldw, sums + j, sum_stride);
#if HWY_TARGET <= HWY_AVX3  // loads of a part of a vector touch no memory beyond it
  if (j < columns) {
    StreamVector<kRows, kPairs, kWhole>(d, columns - j, factors, w + j, ldw, sums + j, sum_stride);
    j = columns;
  }
#endif
  return j;
}

template <typename W, int kRows, int kPairs, bool kWhole>
HWY_INLINE void StreamStep(int64_t columns, const int16_t* x, int64_t x_stride, const W* w,
                           int64_t ldw, int32_t* sums, int64_t sum_stride) {
  RowPairs<kRows, kPairs> rows;
  for (int r = 0; r < kRows; ++r) {
    for (int k = 0; k < kPairs; ++k) {
      const int16_t* const at = x + r * x_stride + 2 * k;
      const bool has_second = kWhole || k + 1 < kPairs;
      rows.pairs[r][k] = static_cast<uint16_t>(at[0]) | (has_second ? at[1] * (1 << 16) : 0);
    }
  }
  const int64_t done = StreamColumns<kRows, kPairs, kWhole>(hn::ScalableTag<int32_t>(), 0, columns,
                                                            rows, w, ldw, sums, sum_stride);
  StreamColumns<kRows, kPairs, kWhole>(hn::CappedTag<int32_t, 1>(), done, columns, rows, w, ldw,
                                       sums, sum_stride);
}

template <typename W, int kRows>
void StreamRows(int64_t columns, int64_t depth, const int16_t* x, int64_t x_stride, const W* w,
                int64_t ldw, uint32_t* sums, int64_t sum_stride) {
  constexpr int kPairs = 4;
  auto* const to = reinterpret_cast<int32_t*>(sums);
  int64_t k = 0;
  for (; k + 2 * kPairs <= depth; k += 2 * kPairs)
    StreamStep<W, kRows, kPairs, true>(columns, x + k, x_stride, w + k * ldw, ldw, to, sum_stride);
  for (; k + 2 <= depth; k += 2)
    StreamStep<W, kRows, 1, true>(columns, x + k, x_stride, w + k * ldw, ldw, to, sum_stride);
  if (k < depth)
    StreamStep<W, kRows, 1, false>(columns, x + k, x_stride, w + k * ldw, ldw, to, sum_stride);
}

// Reads kColumns columns of the matrix at a time.
template <typename W, int kRows, int kColumns>
HWY_INLINE void DotStep(int64_t depth, const int16_t* HWY_RESTRICT x, int64_t x_stride,
                        const W* HWY_RESTRICT w, int64_t ldw, uint32_t* HWY_RESTRICT sums,
                        int64_t sum_stride) {
  int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<int16_t> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const hn::Rebind<W, decltype(d)> bytes;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<decltype(wide)>;
  V sum[kRows][kColumns], other[kRows][kColumns];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) sum[r][c] = other[r][c] = hn::Zero(wide);
  }
  for (; k + kLanes <= depth; k += kLanes) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const auto column = hn::PromoteTo(d, hn::LoadU(bytes, w + c * ldw + k));
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        sum[r][c] = hn::ReorderWidenMulAccumulate(wide, hn::LoadU(d, x + r * x_stride + k), column,
                                                  sum[r][c], other[r][c]);
      }
    }
  }
#if HWY_TARGET <= HWY_AVX3  // loads of a part of a vector touch no memory beyond it
  if (k < depth) {
    const auto count = static_cast<size_t>(depth - k);
    const auto part = hn::FirstN(d, count);
    for (int c = 0; c < kColumns; ++c) {
      const auto column =
          hn::PromoteTo(d, hn::MaskedLoad(hn::FirstN(bytes, count), bytes, w + c * ldw + k));
      for (int r = 0; r < kRows; ++r) {
        const auto row = hn::MaskedLoad(part, d, x + r * x_stride + k);
        sum[r][c] = hn::ReorderWidenMulAccumulate(wide, row, column, sum[r][c], other[r][c]);
      }
    }
    k = depth;
  }
#endif
#endif
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      uint32_t total = 0;
#if HWY_TARGET != HWY_SCALAR
      const auto lanes = hn::SumOfLanes(wide, hn::Add(sum[r][c], other[r][c]));
      total = static_cast<uint32_t>(hn::GetLane(lanes));
#endif
      for (int64_t i = k; i < depth; ++i)
        total += static_cast<uint32_t>(x[r * x_stride + i] * w[c * ldw + i]);
      sums[r * sum_stride + c] = total;
    }
  }
}

template <typename W, int kRows>
void DotRows(int64_t columns, int64_t depth, const int16_t* x, int64_t x_stride, const W* w,
             int64_t ldw, uint32_t* sums, int64_t sum_stride) {
  constexpr int kColumns = kRows <= 2 ? 4 : 2;  // as sums stay in registers
  int64_t j = 0;
  for (; j + kColumns <= columns; j += kColumns)
    DotStep<W, kRows, kColumns>(depth, x, x_stride, w + j * ldw, ldw, sums + j, sum_stride);
  for (; j < columns; ++j)
    DotStep<W, kRows, 1>(depth, x, x_stride, w + j * ldw, ldw, sums + j, sum_stride);
}

template <typename W>
void Stream(int64_t rows, int64_t columns, int64_t depth, const int16_t* x, int64_t x_stride,
            const W* w, int64_t ldw, uint32_t* sums, int64_t sum_stride) {
  constexpr decltype(&StreamRows<W, 1>) kTable[] = {&StreamRows<W, 1>, &StreamRows<W, 2>,
                                                    &StreamRows<W, 3>, &StreamRows<W, 4>};
  kTable[rows - 1](columns, depth, x, x_stride, w, ldw, sums, sum_stride);
}

template <typename W>
void Dots(int64_t rows, int64_t columns, int64_t depth, const int16_t* x, int64_t x_stride,
          const W* w, int64_t ldw, uint32_t* sums, int64_t sum_stride) {
  constexpr decltype(&DotRows<W, 1>) kTable[] = {&DotRows<W, 1>, &DotRows<W, 2>, &DotRows<W, 3>,
                                                 &DotRows<W, 4>};
  kTable[rows - 1](columns, depth, x, x_stride, w, ldw, sums, sum_stride);
}

SkinnyKernels<uint32_t, int8_t> SkinnySignedBytes() { return {&Stream<int8_t>, &Dots<int8_t>}; }
SkinnyKernels<uint32_t, uint8_t> SkinnyBytes() { return {&Stream<uint8_t>, &Dots<uint8_t>}; }

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(SkinnySignedBytes);
HWY_EXPORT(SkinnyBytes);

}  // namespace

template <>
SkinnyKernels<uint32_t, int8_t> FusedSkinnyKernels<uint32_t, int8_t>() {
  return HWY_DYNAMIC_DISPATCH(SkinnySignedBytes)();
}
template <>
SkinnyKernels<uint32_t, uint8_t> FusedSkinnyKernels<uint32_t, uint8_t>() {
  return HWY_DYNAMIC_DISPATCH(SkinnyBytes)();
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
