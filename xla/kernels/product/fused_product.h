// SPDX-License-Identifier: Apache-2.0
// The engine of prepared products: blocked multiplication of matrices with fused multiply-add, on
// the scratch memory of the caller.
//
// C[m, n] = sum over k of A[m, k] * B[k, n] for a batch of problems of one size. A is copied a
// block at a time, rows of kProductDepth elements each; B is copied a panel of a few columns at a
// time, also while it is first multiplied, or read in place. (Goto and van de Geijn, Anatomy of
// high-performance matrix multiplication, 2008.)
//
// Order of summation: k is cut into blocks of kProductDepth units, each summed in order; the block
// sums are added in order; with `splits`, contiguous ranges of blocks are summed apart and added in
// order. All of this depends on the sizes alone.
#ifndef XLA_KERNELS_PRODUCT_FUSED_PRODUCT_H_
#define XLA_KERNELS_PRODUCT_FUSED_PRODUCT_H_

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// The depth of blocks in units of k: one element, two bf16 or int16, or four int8, which one
// instruction multiplies and adds.
inline constexpr int64_t kProductDepth = 256;
// The distance between the rows of a block of A, in units: not a power of two, so that rows do not
// share cache sets.
inline constexpr int64_t kProductRowStride = kProductDepth + 16;
// Columns of a panel of B are a multiple of the vector length and at most this.
inline constexpr int64_t kMaxPanelColumns = 64;

// A part of the sum of a tile: row r has the `length` elements from a + r * (distance of rows).
template <typename T>
struct TileRun {
  const T* a;
  int64_t length;
};

// Of C.
struct TileSizes {
  int64_t rows, columns;  // at most; columns are two vectors
  // More than one if instructions multiply matrices: rows of A up to a multiple of these are read
  // then, whatever they hold.
  int64_t rows_at_a_time = 1;
};

// The inner loops of one instruction set. Unit is what the operands are packed to, Acc what
// products are summed in.
template <typename Unit, typename Acc>
struct ProductKernels {
  int64_t rows, columns;  // of a tile of C at most
  // c[r * ldc + j] = (c[r * ldc + j] if accumulate, else 0)
  //                  + sum over k of a[r * kProductRowStride + k] * b[k * ldb + j]
  // for r < rows and j < columns; b has kProductKernels::columns columns. All pointers of C are
  // only as aligned as their elements.
  void (*tile)(int64_t rows, int64_t columns, int64_t depth, const Unit* a, const Unit* b,
               int64_t ldb, Acc* c, int64_t ldc, bool accumulate);
  // Like `tile`, but on rows in place: the sums of `count` runs, whose rows of B are contiguous.
  // All runs start `shift` elements later; rows are a_stride elements apart. For floats only.
  void (*runs)(int64_t rows, int64_t columns, const TileRun<Unit>* runs, int64_t count,
               int64_t shift, int64_t a_stride, const Unit* b, int64_t ldb, Acc* c, int64_t ldc,
               bool accumulate) = nullptr;
  // Like `tile` for `rows` rows and `columns` columns, but copies the rows of B to panel[k *
  // columns + j] as it reads them. For floats only.
  void (*copying_tile)(int64_t depth, const Unit* a, const Unit* b, int64_t ldb, Acc* c,
                       int64_t ldc, bool accumulate, Unit* panel) = nullptr;
  // Called by a thread before its first tile of a task, and after the last, if they are set.
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
  int64_t rows_at_a_time = 1;

  TileSizes tile_sizes() const { return {rows, columns, rows_at_a_time}; }
};

// Returns the kernels of the machine. Unit = Acc = float, double, uint32_t, uint64_t.
template <typename T>
ProductKernels<T, T> FusedKernels();
// Returns the lanes of their vectors: tiles are two vectors wide.
template <typename T>
int64_t ProductLanes() {
  return FusedKernels<T>().columns / 2;
}

// Unit: two bf16, the first in the low half; sums in float, subnormal numbers taken as zero. Null
// `tile` if the machine has no such instructions.
ProductKernels<uint32_t, float> PairKernels();
// Unit: four bytes, of B signed, of A changed by QuadFlip(). The sums are those of the signed
// numbers. Null `tile` if the machine has no such instructions.
ProductKernels<uint32_t, uint32_t> QuadKernels();
// The bits of each byte of A that are changed: 0x80 for unsigned numbers that are greater by 128.
uint32_t QuadFlip();
// Both for machines that multiply matrices; QuadFlip() is 0 there.
ProductKernels<uint32_t, float> MatrixPairKernels();
ProductKernels<uint32_t, uint32_t> MatrixQuadKernels();
// Unit: two int16, the first in the low half; both products are exact, sums wrap. Null `tile` if
// the machine has no such instructions.
ProductKernels<uint32_t, uint32_t> WordKernels();

// A side of C, divided into blocks of whole tiles (except at the end): as many blocks as requested,
// whose numbers of tiles differ by at most one, so that workers finish together.
struct SideCut {
  int64_t size = 1, tile = 1, blocks = 1;

  int64_t tiles() const { return (size + tile - 1) / tile; }
  int64_t begin(int64_t block) const { return std::min(size, tiles() * block / blocks * tile); }
  int64_t largest_block() const { return (tiles() + blocks - 1) / blocks * tile; }
};

// How a problem is divided. Blocks depend on the number of workers, which does not affect results;
// the order of summation depends on the sizes alone.
struct ProductPlan {
  int64_t batch, m, n, k;  // k in units
  SideCut rows, columns;   // a task multiplies a block of both
  int64_t splits;          // of k
  int64_t split_depth;     // units of a split, a multiple of kProductDepth
  bool direct;             // C is written in place, else through a block of scratch memory
  int64_t panels;          // of B that are copied at a time
  int64_t panel_columns;

  int64_t tasks() const { return batch * rows.blocks * columns.blocks * splits; }
};
struct ProductSizes {
  int64_t batch, m, n, k;  // k in units
  bool direct;
  TileSizes tile;
  int64_t unit_bytes = 4;
  int64_t panels = 1;  // of B that are copied at a time
};
ProductPlan PlanProduct(const ProductSizes& sizes, int32_t workers);

template <typename Unit, typename Acc>
struct FusedProduct {
  // rows[(line) * kProductRowStride + k - k0] = A[first + line, k] for line in [0, lines), k in
  // [k0, k0 + depth).
  absl::FunctionRef<void(int64_t batch, int64_t first, int64_t lines, int64_t k0, int64_t depth,
                         Unit* rows)>
      pack_rows;
  // panel[(k - k0) * width + j] = B[k, first + j] for j in [0, columns), and 0 for j in [columns,
  // width). Not called if b is set, but for the last columns.
  absl::FunctionRef<void(int64_t batch, int64_t first, int64_t columns, int64_t k0, int64_t depth,
                         int64_t width, Unit* panel)>
      pack_columns;
  // Optional: reads part `part` of `parts` of what pack_columns will read for these columns into
  // the cache, while other columns are multiplied.
  absl::FunctionRef<void(int64_t batch, int64_t first, int64_t columns, int64_t k0, int64_t depth,
                         int64_t part, int64_t parts)>
      prefetch_columns;
  bool prefetches;
  // B in place, or in panels packed beforehand: B[k0 + k, j0 + j] at b(batch, k0, j0) + k * ldb +
  // j.
  absl::FunctionRef<const Unit*(int64_t batch, int64_t k0, int64_t j0)> b;
  int64_t ldb;  // 0: `b` is not used
  // Full panels of B in place are copied by the first tile that reads them.
  bool copies_columns;
  // pack_rows is called for the rows of a tile before they are first multiplied, else for all rows
  // of a block.
  bool rows_by_tile;
  // Returns the start of row `row` of C, if the plan is direct and without splits.
  absl::FunctionRef<Acc*(int64_t batch, int64_t row)> c;
  int64_t ldc;
  // Otherwise, receives finished elements at (row, column), (row, column + 1), ...
  absl::FunctionRef<void(int64_t batch, int64_t row, int64_t column, int64_t count, Acc* values)>
      store;
  // Elements that were accumulated in place are passed to `store` as well, when they are complete.
  bool stores_direct = false;
};

template <typename Unit, typename Acc>
int64_t ProductScratchBytes(const ProductPlan& plan, int32_t workers);

template <typename Unit, typename Acc>
absl::Status RunProduct(const KernelHost& host, char* scratch, const ProductPlan& plan,
                        const ProductKernels<Unit, Acc>& kernels,
                        const FusedProduct<Unit, Acc>& product);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_FUSED_PRODUCT_H_
