// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication of packed blocks, the engine below dot and convolution.
//
// C[m, n] = sum over k of A[m, k] * B[k, n], for a number of independent problems of one size (the
// batch). A, B and C are reached through functions, so that strided, converted or gathered operands
// never exist as a whole.
//
// Order of summation: k is cut into blocks of kGemmBlockK; each block is summed in order of k, and
// the block sums in order. Products and sums round separately. This is all that decides the bits of
// a result, so they are the same for any number of threads, any instruction set and any place of an
// element in the matrix, except where min(m, n) and max(m, n) are so small that plain dot products
// are used: lanes of kGemmDotLanes, added pairwise at the end of each block.
#ifndef XLA_INTERPRETER_GEMM_H_
#define XLA_INTERPRETER_GEMM_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/interpreter/evaluator.h"

namespace xla::interpreter {

inline constexpr int64_t kGemmBlockK = 256;
inline constexpr int64_t kGemmDotLanes = 16;

// Fills panel[(k - k0) * width + i] with the element of line first + i at k, for k in [k0, k0 +
// depth) and i < lines, and with 0 for i in [lines, width). A line is a row of A or a column of B.
template <typename T>
using GemmPack = absl::FunctionRef<void(int64_t batch, int64_t first, int64_t lines, int64_t k0,
                                        int64_t depth, int64_t width, T* panel)>;

// Takes the finished elements of C at (row, column), (row, column + 1), ...
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
// threads at once. Columns are the vectorised side: where m is small, it should be the rows.
template <typename T>
absl::Status RunGemm(EvalContext& ctx, const GemmProblem<T>& problem);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_GEMM_H_
