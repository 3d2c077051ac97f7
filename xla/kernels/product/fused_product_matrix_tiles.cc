// SPDX-License-Identifier: Apache-2.0
// Tiles of products of bf16 and int8 by AMX, whose registers hold matrices: 16 rows of 64 bytes,
// that is 16 by 16 sums, or 16 by 16 units of an operand. One instruction multiplies two of them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "xla/base/machine.h"
#include "xla/kernels/by_need.h"
#include "xla/kernels/product/fused_product.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define XLA_MATRIX_TARGET __attribute__((target("amx-tile,amx-bf16,amx-int8")))

namespace xla::kernels {
namespace {

constexpr int64_t kSide = 16;  // rows of a register, and units or sums of a row
constexpr int64_t kUnitBytes = 4, kRowBytes = kSide * kUnitBytes;
// Four registers of sums, two of each operand.
constexpr int64_t kMatrixRows = 2 * kSide, kMatrixColumns = 2 * kSide;

// Rows that are read after those of a tile, with any contents, are in the panel of B, which follows
// the block of A in the memory of a worker.
static_assert((kMatrixRows - 1) * kProductRowStride <= kProductDepth * kMaxPanelColumns);

// The operand of ldtilecfg.
struct alignas(64) Configuration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

constexpr Configuration FullRegisters() {
  constexpr int kRegisters = 8;
  Configuration configuration;
  for (int i = 0; i < kRegisters; ++i) {
    configuration.row_bytes[i] = static_cast<uint16_t>(kRowBytes);
    configuration.rows[i] = static_cast<uint8_t>(kSide);
  }
  return configuration;
}

constexpr Configuration kFullRegisters = FullRegisters();

XLA_MATRIX_TARGET void Begin() { _tile_loadconfig(&kFullRegisters); }
XLA_MATRIX_TARGET void End() { _tile_release(); }

// The compiler does not know that loads of registers read memory.
inline void FinishStores() { __asm__ volatile("" ::: "memory"); }

// Registers 0 to 3 += rows of units (4, 5) times columns of units (6, 7), 16 units of each. Strides
// are in bytes. All tiles of a panel read its columns, which stay in the first-level cache if the
// rows, of which there are more than it holds, pass it by.
template <typename Acc, bool kTwoRows, bool kTwoColumns>
XLA_MATRIX_TARGET inline void MultiplyAdd(const uint32_t* a, int64_t a_stride, const uint32_t* b,
                                          int64_t b_stride) {
  constexpr bool kPairs = std::is_same_v<Acc, float>;
  const auto* const next_a = reinterpret_cast<const char*>(a) + kSide * a_stride;
  _tile_stream_loadd(4, a, a_stride);
  _tile_loadd(6, b, b_stride);
  if constexpr (kPairs) {
    _tile_dpbf16ps(0, 4, 6);
  } else {
    _tile_dpbssd(0, 4, 6);
  }
  if constexpr (kTwoColumns) {
    _tile_loadd(7, b + kSide, b_stride);
    if constexpr (kPairs) {
      _tile_dpbf16ps(1, 4, 7);
    } else {
      _tile_dpbssd(1, 4, 7);
    }
  }
  if constexpr (kTwoRows) {
    _tile_stream_loadd(5, next_a, a_stride);
    if constexpr (kPairs) {
      _tile_dpbf16ps(2, 5, 6);
    } else {
      _tile_dpbssd(2, 5, 6);
    }
  }
  if constexpr (kTwoRows && kTwoColumns) {
    if constexpr (kPairs) {
      _tile_dpbf16ps(3, 5, 7);
    } else {
      _tile_dpbssd(3, 5, 7);
    }
  }
}

template <bool kTwoRows, bool kTwoColumns, typename Acc>
XLA_MATRIX_TARGET inline void LoadSums(const Acc* c, int64_t ldc) {
  const int64_t stride = ldc * kUnitBytes;
  _tile_loadd(0, c, stride);
  if constexpr (kTwoColumns) _tile_loadd(1, c + kSide, stride);
  if constexpr (kTwoRows) _tile_loadd(2, c + kSide * ldc, stride);
  if constexpr (kTwoRows && kTwoColumns) _tile_loadd(3, c + kSide * ldc + kSide, stride);
}

template <bool kTwoRows, bool kTwoColumns, typename Acc>
XLA_MATRIX_TARGET inline void StoreSums(Acc* c, int64_t ldc) {
  const int64_t stride = ldc * kUnitBytes;
  _tile_stored(0, c, stride);
  if constexpr (kTwoColumns) _tile_stored(1, c + kSide, stride);
  if constexpr (kTwoRows) _tile_stored(2, c + kSide * ldc, stride);
  if constexpr (kTwoRows && kTwoColumns) _tile_stored(3, c + kSide * ldc + kSide, stride);
}

// The last units of a sum, fewer than a register holds, with zeros after them.
template <typename Acc, bool kTwoRows, bool kTwoColumns>
XLA_MATRIX_TARGET void MultiplyRest(int64_t rows, int64_t depth, const uint32_t* a,
                                    const uint32_t* b, int64_t ldb) {
  alignas(64) uint32_t a_rest[kMatrixRows * kSide] = {};
  alignas(64) uint32_t b_rest[kSide * kMatrixColumns] = {};
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(a + r * kProductRowStride, depth, a_rest + r * kSide);
  for (int64_t k = 0; k < depth; ++k)
    std::copy_n(b + k * ldb, kMatrixColumns, b_rest + k * kMatrixColumns);
  FinishStores();
  MultiplyAdd<Acc, kTwoRows, kTwoColumns>(a_rest, kRowBytes, b_rest, kMatrixColumns * kUnitBytes);
}

template <typename Acc, bool kTwoRows, bool kTwoColumns>
XLA_MATRIX_TARGET void SumTile(int64_t rows, int64_t columns, int64_t depth, const uint32_t* a,
                               const uint32_t* b, int64_t ldb, Acc* c, int64_t ldc,
                               bool accumulate) {
  constexpr int64_t kRows = kTwoRows ? kMatrixRows : kSide,
                    kColumns = kTwoColumns ? kMatrixColumns : kSide;
  const bool is_full = rows == kRows && columns == kColumns;
  alignas(64) Acc partial[kRows * kColumns];
  Acc* const sums = is_full ? c : partial;
  const int64_t stride = is_full ? ldc : kColumns;
  if (accumulate) {
    if (!is_full) {
      std::memset(partial, 0, sizeof(partial));
      for (int64_t r = 0; r < rows; ++r) std::copy_n(c + r * ldc, columns, partial + r * kColumns);
    }
    FinishStores();
    LoadSums<kTwoRows, kTwoColumns>(sums, stride);
  } else {
    FinishStores();
    _tile_zero(0);
    if constexpr (kTwoColumns) _tile_zero(1);
    if constexpr (kTwoRows) _tile_zero(2);
    if constexpr (kTwoRows && kTwoColumns) _tile_zero(3);
  }
  int64_t k = 0;
  for (; k + kSide <= depth; k += kSide) {
    MultiplyAdd<Acc, kTwoRows, kTwoColumns>(a + k, kProductRowStride * kUnitBytes, b + k * ldb,
                                            ldb * kUnitBytes);
  }
  if (k < depth) MultiplyRest<Acc, kTwoRows, kTwoColumns>(rows, depth - k, a + k, b + k * ldb, ldb);
  StoreSums<kTwoRows, kTwoColumns>(sums, stride);
  if (is_full) return;
  for (int64_t r = 0; r < rows; ++r) std::copy_n(partial + r * kColumns, columns, c + r * ldc);
}

template <typename Acc>
void MatrixTile(int64_t rows, int64_t columns, int64_t depth, const uint32_t* a, const uint32_t* b,
                int64_t ldb, Acc* c, int64_t ldc, bool accumulate) {
  const auto tile =
      rows > kSide ? (columns > kSide ? &SumTile<Acc, true, true> : &SumTile<Acc, true, false>)
                   : (columns > kSide ? &SumTile<Acc, false, true> : &SumTile<Acc, false, false>);
  tile(rows, columns, depth, a, b, ldb, c, ldc, accumulate);
}

template <typename Acc>
constexpr ProductKernels<uint32_t, Acc> MatrixKernels() {
  ProductKernels<uint32_t, Acc> kernels = {kMatrixRows, kMatrixColumns, &MatrixTile<Acc>};
  kernels.begin = &Begin;
  kernels.end = &End;
  kernels.rows_at_a_time = kSide;
  return kernels;
}

constexpr ProductKernels<uint32_t, float> kPairs[] = {MatrixKernels<float>()};
constexpr ProductKernels<uint32_t, uint32_t> kQuads[] = {MatrixKernels<uint32_t>()};
XLA_BY_NEED(HALVES, matrix_pairs, kPairs);
XLA_BY_NEED(INTEGERS, matrix_quads, kQuads);

}  // namespace

ProductKernels<uint32_t, float> MatrixPairKernels() {
  const auto kernels = XLA_LINKED(HALVES, matrix_pairs, kPairs);
  if (kernels.empty() || !MachineOfThread().amx) return {0, 0, nullptr};
  return kernels[0];
}

ProductKernels<uint32_t, uint32_t> MatrixQuadKernels() {
  const auto kernels = XLA_LINKED(INTEGERS, matrix_quads, kQuads);
  if (kernels.empty() || !MachineOfThread().amx) return {0, 0, nullptr};
  return kernels[0];
}

}  // namespace xla::kernels

#else

namespace xla::kernels {
ProductKernels<uint32_t, float> MatrixPairKernels() { return {0, 0, nullptr}; }
ProductKernels<uint32_t, uint32_t> MatrixQuadKernels() { return {0, 0, nullptr}; }
}  // namespace xla::kernels

#endif
