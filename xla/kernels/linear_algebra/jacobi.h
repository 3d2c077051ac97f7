// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of Hermitian matrices by rotations (Brent and Luk, The solution of
// singular-value and symmetric eigenvalue problems on multiprocessor arrays, 1985).
#ifndef XLA_KERNELS_LINEAR_ALGEBRA_JACOBI_H_
#define XLA_KERNELS_LINEAR_ALGEBRA_JACOBI_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/kernels/linear_algebra/linear_algebra.h"

namespace xla::kernels {

struct EighOptions {
  bool lower;            // which triangle is read; imaginary parts of the diagonal are not
  bool sorts;            // eigenvalues in ascending order
  int64_t most_sweeps;   // each rotates every pair of rows once
  double tolerance = 0;  // of what is not on the diagonal, relative to the matrix (Frobenius norms)
};

// For each matrix A = V diag(w) V^H: columns of `vectors` (with the type and strides of `a`; may be
// the same memory) and `values`, dense [count, n] of the real type. In double precision, rounded
// once at the end; the same bits for any number of threads and any instruction set.
absl::Status HermitianEigen(Context& context, const EighOptions& options, const MatrixBatch& a,
                            void* vectors, void* values);

// The bytes that this needs for each matrix, and whether threads share each matrix, rather than
// work on separate matrices.
int64_t EigenBytes(const MatrixBatch& a);
bool SharesRotations(const MatrixBatch& a);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_LINEAR_ALGEBRA_JACOBI_H_
