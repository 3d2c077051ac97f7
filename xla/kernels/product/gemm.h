// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of packed blocks, the engine of dot and convolution.
//
// C[m, n] = sum over k of A[m, k] * B[k, n], for a number of independent problems of one size (the
// batch). A, B and C are accessed through functions, so that strided, converted or gathered
// operands are never materialized as a whole. The scheme is that of Goto and van de Geijn, Anatomy
// of high-performance matrix multiplication (ACM TOMS 34, 2008).
//
// Order of summation: k is cut into blocks of kGemmBlockK; each block is summed in order of k, and
// the block sums are added in order. Products and sums round separately. Nothing else decides the
// bits of a result, so they are the same for any number of threads, any instruction set and any
// position of an element in the matrix. The exception are results of fewer than 8 rows and columns,
// which are computed as dot products: kGemmDotLanes partial sums, added pairwise at the end of each
// block.
#ifndef XLA_KERNELS_PRODUCT_GEMM_H_
#define XLA_KERNELS_PRODUCT_GEMM_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/kernels/context.h"

namespace xla::kernels {

inline constexpr int64_t kGemmBlockK = 256;
inline constexpr int64_t kGemmDotLanes = 16;

// Fills panel[(k - k0) * width + i] with the element of line first + i at k, for k in [k0, k0 +
// depth) and i < lines, and with 0 for i in [lines, width). A line is a row of A or a column of B.
template <typename T>
using GemmPack = absl::FunctionRef<void(int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                        int64_t depth, int64_t width, T* panel)>;

// Receives the finished elements of C at (row, column), (row, column + 1), ...
template <typename T>
using GemmStore = absl::FunctionRef<void(int64_t batch, int64_t row, int64_t column, int64_t count,
                                         const T* values)>;

template <typename T>
struct GemmProblem {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  GemmPack<T> pack_rows;
  GemmPack<T> pack_columns;
  GemmStore<T> store;
};

// T: float, double, uint32_t or uint64_t (integers wrap). The functions are called from several
// threads at once. Columns are the vectorized side: the smaller side of the result should be its
// rows. Working memory: one block of A, B and C per running thread, at most 1 MB each in f32.
template <typename T>
absl::Status RunGemm(Context& context, const GemmProblem<T>& problem);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_GEMM_H_
