// SPDX-License-Identifier: Apache-2.0
// Blocks of products, and how they are divided among threads. (Goto and van de Geijn, Anatomy of
// high-performance matrix multiplication, 2008.)
#include "xla/blas/product.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/matrix.h"
#include "xla/blas/product_packing.h"
#include "xla/blas/small_product.h"
#include "xla/blas/workspace.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/util.h"

namespace xla::blas {
namespace {

using kernels::kProductDepth;
using kernels::kProductRowStride;

// Products that take less without packing: if A is by columns, or else has to be copied.
constexpr double kSmallProducts = 40000, kSmallProductsOfRows = 4000;
// Products worth the time that threads take to start: some 50 microseconds.
constexpr double kParallelProducts = 1 << 20;

// A product as the tiles have it: vectors run along contiguous elements of C, which are its columns
// there. `rows` is n by k, `panels` k by m.
template <typename T>
struct TileProduct {
  int64_t rows, columns, depth;
  Matrix<const T> row_operand, panel_operand;
  T alpha, beta;
  T* c;
  int64_t ldc;
};

template <typename T>
const kernels::ProductKernels<Part<T>, Part<T>>& Tiles() {
  static const auto tiles = kernels::FusedKernels<Part<T>>();
  return tiles;
}

template <typename T>
constexpr int64_t kPanelBytes =
    kProductDepth* kernels::kMaxPanelColumns* static_cast<int64_t>(sizeof(Part<T>));

// Rows that a block of packed rows holds.
template <typename T>
int64_t MostRows(int64_t tile_rows) {
  const int64_t row_bytes = kProductRowStride * static_cast<int64_t>(sizeof(Part<T>));
  return (kWorkspaceBytes - kPanelBytes<T>) / row_bytes / tile_rows * tile_rows;
}

// Rows [row_begin, row_end) of the tiles' C, at most MostRows of them, and columns [column_begin,
// column_end).
template <typename T>
void MultiplyBlock(const TileProduct<T>& p, int64_t row_begin, int64_t row_end,
                   int64_t column_begin, int64_t column_end, char* workspace) {
  using P = Part<T>;
  const auto& tiles = Tiles<T>();
  const PackingKernels<T>& packing = GetPackingKernels<T>();
  P* const panel_memory = reinterpret_cast<P*>(workspace);
  P* const packed_rows = reinterpret_cast<P*>(workspace + kPanelBytes<T>);
  const int64_t rows = row_end - row_begin, width = tiles.columns / kParts<T>;
  constexpr int64_t kDepth = kProductDepth / kParts<T>;
  const int64_t ldc = p.ldc * kParts<T>;
  const bool in_place = !kIsComplex<T> && p.panel_operand.column_stride == 1;
  if (p.beta != T(0) && p.beta != T(1)) {
    ScaleMatrix<T>(column_end - column_begin, rows, p.beta,
                   {p.c + column_begin + row_begin * p.ldc, 1, p.ldc});
  }
  for (int64_t k0 = 0; k0 < p.depth; k0 += kDepth) {
    const int64_t depth = std::min(kDepth, p.depth - k0), units = depth * kParts<T>;
    const bool accumulate = k0 > 0 || p.beta != T(0);
    packing.pack_rows(p.row_operand.From(row_begin, k0), rows, depth, p.alpha, kProductRowStride,
                      packed_rows);
    for (int64_t j = column_begin; j < column_end; j += width) {
      const int64_t columns = std::min(width, column_end - j);
      const Matrix<const T> from = p.panel_operand.From(k0, j);
      P* const c = reinterpret_cast<P*>(p.c + j + row_begin * p.ldc);
      const P* panel = panel_memory;
      int64_t ldb = tiles.columns, i = 0;
      if (in_place && columns == width && rows <= tiles.rows) {
        panel = reinterpret_cast<const P*>(from.data);
        ldb = from.row_stride;
      } else if (in_place && columns == width) {
        tiles.copying_tile(depth, packed_rows, reinterpret_cast<const P*>(from.data),
                           from.row_stride, c, ldc, accumulate, panel_memory);
        i = tiles.rows;
      } else {
        packing.pack_panel(from, depth, columns, tiles.columns, panel_memory);
      }
      for (; i < rows; i += tiles.rows) {
        tiles.tile(std::min(tiles.rows, rows - i), columns * kParts<T>, units,
                   packed_rows + i * kProductRowStride, panel, ldb, c + i * ldc, ldc, accumulate);
      }
    }
  }
}

}  // namespace

template <typename T>
void ScaleMatrix(int64_t m, int64_t n, T beta, const Matrix<T>& c) {
  if (c.row_stride != 1 && c.column_stride == 1) return ScaleMatrix(n, m, beta, c.Transposed());
  if (beta == T(1)) return;
  for (int64_t j = 0; j < n; ++j) {
    T* const column = c.At(0, j);
    if (beta == T(0)) {
      for (int64_t i = 0; i < m; ++i) column[i * c.row_stride] = T(0);
    } else {
      for (int64_t i = 0; i < m; ++i)
        column[i * c.row_stride] = Multiplied(beta, column[i * c.row_stride]);
    }
  }
}

template <typename T>
void Multiply(const ProductSize& size, T alpha, const Matrix<const T>& a, const Matrix<const T>& b,
              T beta, const Matrix<T>& c, BlasThreads* threads) {
  if (size.m <= 0 || size.n <= 0) return;
  if (size.k <= 0 || alpha == T(0)) return ScaleMatrix(size.m, size.n, beta, c);
  if (c.row_stride != 1) {
    if (size.m > 1 || c.column_stride == 1) {
      return Multiply<T>({size.n, size.m, size.k}, alpha, b.Transposed(), a.Transposed(), beta,
                         c.Transposed(), threads);
    }
  }
  const double products = size.products() * (kIsComplex<T> ? 4 : 1);
  const bool by_columns = a.row_stride == 1 && !a.conjugate;
  char* const workspace = products <= (by_columns ? kSmallProducts : kSmallProductsOfRows)
                              ? nullptr
                              : ThreadWorkspace();
  if (workspace == nullptr) return GetSmallProduct<T>()(size, alpha, a, b, beta, c);

  const TileProduct<T> product = {size.n, size.m, size.k, b.Transposed(), a.Transposed(),
                                  alpha,  beta,   c.data, c.column_stride};
  const auto& tiles = Tiles<T>();
  const int64_t most_rows = MostRows<T>(tiles.rows), width = tiles.columns / kParts<T>;
  const int64_t row_tiles = CeilOfRatio(size.n, tiles.rows), panels = CeilOfRatio(size.m, width);
  int64_t row_blocks = CeilOfRatio(size.n, most_rows), column_blocks = 1;
  const bool parallel = threads != nullptr && products >= kParallelProducts;
  if (parallel) {
    // Enough for workers to end together. A block has four panels at least, so that rows are not
    // packed for nothing.
    const int64_t wanted = 4 * threads->workers();
    column_blocks =
        std::clamp<int64_t>(CeilOfRatio(wanted, row_blocks), 1, std::max<int64_t>(panels / 4, 1));
    if (row_blocks * column_blocks < wanted)
      row_blocks = std::min(CeilOfRatio(wanted, column_blocks), row_tiles);
  }
  const auto run = [&](int64_t task) {
    const int64_t row_block = task % row_blocks, column_block = task / row_blocks;
    const auto row_at = [&](int64_t block) {
      return std::min(size.n, row_tiles * block / row_blocks * tiles.rows);
    };
    const auto column_at = [&](int64_t block) {
      return std::min(size.m, panels * block / column_blocks * width);
    };
    char* const memory = parallel ? ThreadWorkspace() : workspace;
    const int64_t r0 = row_at(row_block), r1 = row_at(row_block + 1);
    const int64_t c0 = column_at(column_block), c1 = column_at(column_block + 1);
    if (memory == nullptr) {
      GetSmallProduct<T>()({c1 - c0, r1 - r0, size.k}, alpha, a.From(c0, 0), b.From(0, r0), beta,
                           c.From(c0, r0));
    } else {
      MultiplyBlock(product, r0, r1, c0, c1, memory);
    }
  };
  RunOn(parallel ? threads : nullptr, row_blocks * column_blocks, run);
}

#define XLA_INSTANTIATE(T)                                                                         \
  template void Multiply<T>(const ProductSize&, T, const Matrix<const T>&, const Matrix<const T>&, \
                            T, const Matrix<T>&, BlasThreads*);                                    \
  template void ScaleMatrix<T>(int64_t, int64_t, T, const Matrix<T>&);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(std::complex<float>)
XLA_INSTANTIATE(std::complex<double>)
#undef XLA_INSTANTIATE

}  // namespace xla::blas
