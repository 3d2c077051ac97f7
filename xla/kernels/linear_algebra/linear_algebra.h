// SPDX-License-Identifier: Apache-2.0
// Cholesky factors and triangular solves of batches of matrices, real or complex.
//
// Computed in double precision and rounded once at the end, by the blocked algorithms of textbooks
// (Golub and Van Loan, Matrix computations, 4.2 and 3.1): the same bits for any number of threads
// and any instruction set.
#ifndef XLA_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_H_
#define XLA_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Matrices [count, rows, columns] of a floating-point or complex type; elements of a row are
// contiguous. Strides are in elements.
struct MatrixBatch {
  PrimitiveType type;
  const void* data;
  int64_t count, rows, columns;
  int64_t row_stride, matrix_stride;
};

// For each square matrix A, of which only the named triangle is read: L with A = L L^H if `lower`,
// else U with A = U^H U; zeros in the other triangle. All NaN if A is not positive definite.
// `result` has the type and strides of `a` and may be the same memory.
absl::Status Cholesky(Context& context, bool lower, const MatrixBatch& a, void* result);

struct TriangularSolveSpec {
  bool left_side;      // op(A) X = B, else X op(A) = B
  bool lower;          // which triangle of A is read
  bool unit_diagonal;  // the diagonal is taken as ones and not read
  bool transpose;      // op(A) is A^T, else A
  bool conjugate;      // op conjugates, too
};

// Solves for X, for each pair of a square matrix A and a matrix B of the same type. Zeros on the
// diagonal give infinities and NaNs. `result` has the shape and strides of `b` and may be the same
// memory.
absl::Status TriangularSolve(Context& context, const TriangularSolveSpec& options,
                             const MatrixBatch& a, const MatrixBatch& b, void* result);

// The bytes that these need at a time, and whether threads share each matrix, rather than work on
// separate matrices.
int64_t CholeskyBytes(const MatrixBatch& a);
bool SharesCholesky(const MatrixBatch& a);
int64_t TriangularSolveBytes(const TriangularSolveSpec& options, const MatrixBatch& a,
                             const MatrixBatch& b);
bool SharesTriangularSolve(const MatrixBatch& b);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_LINEAR_ALGEBRA_LINEAR_ALGEBRA_H_
