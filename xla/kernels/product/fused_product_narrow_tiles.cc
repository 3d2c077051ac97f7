// SPDX-License-Identifier: Apache-2.0
// Tiles of products of bf16 and int8 by the dot product instructions of AVX-512, and of int16 by
// those of AVX2, which Highway's instruction sets do not have.
#include <cstdint>
#include <type_traits>
#include <utility>

#include "xla/base/machine.h"
#include "xla/kernels/by_need.h"
#include "xla/kernels/product/fused_product.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define XLA_PAIR_TARGET __attribute__((target("avx512f,avx512bw,avx512bf16")))
#define XLA_QUAD_TARGET __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define XLA_WORD_TARGET __attribute__((target("avx2")))

namespace xla::kernels {
namespace {

constexpr int kNarrowRows = 12;
constexpr int64_t kNarrowLanes = 16, kNarrowColumns = 2 * kNarrowLanes;
// 12 sums, two vectors of B, a broadcast element of A and a product in 16 registers.
constexpr int kWordRows = 6;
constexpr int64_t kWordLanes = 8, kWordColumns = 2 * kWordLanes;

template <int kRows>
XLA_PAIR_TARGET void PairTile(int64_t columns, int64_t depth, const uint32_t* a, const uint32_t* b,
                              int64_t ldb, float* c, int64_t ldc, bool accumulate) {
  __m512 sum[kRows][2];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_ps();
  for (int64_t k = 0; k < depth; ++k) {
    const __m512bh b0 = (__m512bh)_mm512_loadu_si512(b);
    const __m512bh b1 = (__m512bh)_mm512_loadu_si512(b + kNarrowLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512bh factor =
          (__m512bh)_mm512_set1_epi32(static_cast<int>(a[r * kProductRowStride]));
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], factor, b0);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], factor, b1);
    }
    ++a;
    b += ldb;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const int64_t left = columns - v * kNarrowLanes;
      if (left <= 0) break;
      const __mmask16 mask =
          left >= kNarrowLanes ? 0xFFFF : static_cast<__mmask16>((1 << left) - 1);
      float* to = c + r * ldc + v * kNarrowLanes;
      __m512 value = sum[r][v];
      if (accumulate) value = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, to), value);
      _mm512_mask_storeu_ps(to, mask, value);
    }
  }
}

// Also accumulates column sums of b, 128 times of which are subtracted: the bias of a is +128.
template <int kRows>
XLA_QUAD_TARGET void QuadTile(int64_t columns, int64_t depth, const uint32_t* a, const uint32_t* b,
                              int64_t ldb, uint32_t* c, int64_t ldc, bool accumulate) {
  __m512i sum[kRows][2], excess[2];
  const __m512i ones = _mm512_set1_epi8(1);
  excess[0] = excess[1] = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_si512();
  for (int64_t k = 0; k < depth; ++k) {
    const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + kNarrowLanes);
    excess[0] = _mm512_dpbusd_epi32(excess[0], ones, b0);
    excess[1] = _mm512_dpbusd_epi32(excess[1], ones, b1);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i factor = _mm512_set1_epi32(static_cast<int>(a[r * kProductRowStride]));
      sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], factor, b0);
      sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], factor, b1);
    }
    ++a;
    b += ldb;
  }
#pragma GCC unroll 2
  for (int v = 0; v < 2; ++v) {
    const int64_t left = columns - v * kNarrowLanes;
    if (left <= 0) break;
    const __mmask16 mask = left >= kNarrowLanes ? 0xFFFF : static_cast<__mmask16>((1 << left) - 1);
    const __m512i offset = _mm512_slli_epi32(excess[v], 7);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      uint32_t* to = c + r * ldc + v * kNarrowLanes;
      __m512i value = _mm512_sub_epi32(sum[r][v], offset);
      if (accumulate) value = _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, to), value);
      _mm512_mask_storeu_epi32(to, mask, value);
    }
  }
}

// Stores the first `columns` lanes of the sums of a row, or adds them to what is there.
XLA_WORD_TARGET inline void StoreWordSums(int64_t columns, const __m256i (&sum)[2], uint32_t* to,
                                          bool accumulate) {
  if (columns == kWordColumns) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      __m256i* const at = reinterpret_cast<__m256i*>(to + v * kWordLanes);
      _mm256_storeu_si256(at,
                          accumulate ? _mm256_add_epi32(_mm256_loadu_si256(at), sum[v]) : sum[v]);
    }
    return;
  }
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
#pragma GCC unroll 2
  for (int v = 0; v < 2; ++v) {
    const int left = static_cast<int>(columns) - v * kWordLanes;
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(left), lane);
    int* const at = reinterpret_cast<int*>(to + v * kWordLanes);
    _mm256_maskstore_epi32(
        at, mask, accumulate ? _mm256_add_epi32(_mm256_maskload_epi32(at, mask), sum[v]) : sum[v]);
  }
}

template <int kRows>
XLA_WORD_TARGET void WordTile(int64_t columns, int64_t depth, const uint32_t* a, const uint32_t* b,
                              int64_t ldb, uint32_t* c, int64_t ldc, bool accumulate) {
  __m256i sum[kRows][2];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_si256();
  for (int64_t k = 0; k < depth; ++k) {
    const __m256i b0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    const __m256i b1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + kWordLanes));
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m256i factor = _mm256_set1_epi32(static_cast<int>(a[r * kProductRowStride]));
      sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(factor, b0));
      sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(factor, b1));
    }
    ++a;
    b += ldb;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) StoreWordSums(columns, sum[r], c + r * ldc, accumulate);
}

template <int... kRows>
void RunWordTile(std::integer_sequence<int, kRows...>, int64_t rows, int64_t columns, int64_t depth,
                 const uint32_t* a, const uint32_t* b, int64_t ldb, uint32_t* c, int64_t ldc,
                 bool accumulate) {
  static constexpr decltype(&WordTile<1>) kTable[] = {&WordTile<kRows + 1>...};
  kTable[rows - 1](columns, depth, a, b, ldb, c, ldc, accumulate);
}

void RunWordTiles(int64_t rows, int64_t columns, int64_t depth, const uint32_t* a,
                  const uint32_t* b, int64_t ldb, uint32_t* c, int64_t ldc, bool accumulate) {
  RunWordTile(std::make_integer_sequence<int, kWordRows>(), rows, columns, depth, a, b, ldb, c, ldc,
              accumulate);
}

template <typename Acc>
using NarrowTile = void (*)(int64_t columns, int64_t depth, const uint32_t* a, const uint32_t* b,
                            int64_t ldb, Acc* c, int64_t ldc, bool accumulate);

template <typename Acc, int... kRows>
constexpr NarrowTile<Acc> TileOf(int64_t rows, std::integer_sequence<int, kRows...>) {
  if constexpr (std::is_same_v<Acc, float>) {
    constexpr NarrowTile<Acc> kTable[] = {&PairTile<kRows + 1>...};
    return kTable[rows - 1];
  } else {
    constexpr NarrowTile<Acc> kTable[] = {&QuadTile<kRows + 1>...};
    return kTable[rows - 1];
  }
}

template <typename Acc>
void RunTile(int64_t rows, int64_t columns, int64_t depth, const uint32_t* a, const uint32_t* b,
             int64_t ldb, Acc* c, int64_t ldc, bool accumulate) {
  TileOf<Acc>(rows, std::make_integer_sequence<int, kNarrowRows>())(columns, depth, a, b, ldb, c,
                                                                    ldc, accumulate);
}

constexpr decltype(&RunTile<float>) kPairTile[] = {&RunTile<float>};
constexpr decltype(&RunTile<uint32_t>) kQuadTile[] = {&RunTile<uint32_t>};
constexpr decltype(&RunWordTiles) kWordTile[] = {&RunWordTiles};
XLA_BY_NEED(HALVES, pair_tile, kPairTile);
XLA_BY_NEED(INTEGERS, quad_tile, kQuadTile);
XLA_BY_NEED(INTEGERS, word_tile, kWordTile);

}  // namespace

ProductKernels<uint32_t, float> PairKernels() {
  if (const ProductKernels<uint32_t, float> kernels = MatrixPairKernels(); kernels.tile != nullptr)
    return kernels;
  const auto tile = XLA_LINKED(HALVES, pair_tile, kPairTile);
  if (tile.empty() || !MachineOfThread().bf16) return {0, 0, nullptr};
  return {kNarrowRows, kNarrowColumns, tile[0]};
}

ProductKernels<uint32_t, uint32_t> QuadKernels() {
  if (const auto kernels = MatrixQuadKernels(); kernels.tile != nullptr) return kernels;
  const auto tile = XLA_LINKED(INTEGERS, quad_tile, kQuadTile);
  if (tile.empty() || !MachineOfThread().vnni) return {0, 0, nullptr};
  return {kNarrowRows, kNarrowColumns, tile[0]};
}

uint32_t QuadFlip() { return MatrixQuadKernels().tile != nullptr ? 0 : 0x80; }

ProductKernels<uint32_t, uint32_t> WordKernels() {
  const auto tile = XLA_LINKED(INTEGERS, word_tile, kWordTile);
  if (tile.empty() || !MachineOfThread().avx2) return {0, 0, nullptr};
  return {kWordRows, kWordColumns, tile[0]};
}

}  // namespace xla::kernels

#else

namespace xla::kernels {
ProductKernels<uint32_t, float> PairKernels() { return {0, 0, nullptr}; }
ProductKernels<uint32_t, uint32_t> QuadKernels() { return {0, 0, nullptr}; }
uint32_t QuadFlip() { return 0; }
ProductKernels<uint32_t, uint32_t> WordKernels() { return {0, 0, nullptr}; }
}  // namespace xla::kernels

#endif
