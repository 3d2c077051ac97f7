// SPDX-License-Identifier: Apache-2.0
// Triangular systems and products with triangular matrices.
#ifndef XLA_BLAS_TRIANGULAR_MATRIX_H_
#define XLA_BLAS_TRIANGULAR_MATRIX_H_

#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/matrix.h"

namespace xla::blas {

// X = A^-1 * alpha * X, where X has `rows` rows, as has A, and `columns` columns. Rows or columns
// of X are contiguous; alpha is not 0.
template <typename T>
void SolveTriangular(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                     const Matrix<T>& x, BlasThreads* threads);

// X = alpha * A * X.
template <typename T>
void MultiplyTriangular(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                        const Matrix<T>& x, BlasThreads* threads);

}  // namespace xla::blas

#endif  // XLA_BLAS_TRIANGULAR_MATRIX_H_
