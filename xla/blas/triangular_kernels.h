// SPDX-License-Identifier: Apache-2.0
// Small triangular matrices by many vectors side by side.
#ifndef XLA_BLAS_TRIANGULAR_KERNELS_H_
#define XLA_BLAS_TRIANGULAR_KERNELS_H_

#include <cstdint>

#include "xla/blas/matrix.h"

namespace xla::blas {

// Rows of triangles that the kernels take at most.
template <typename T>
inline constexpr int64_t kTriangleRows = kIsComplex<T> ? 32 : 64;

// Of one instruction set. Both replace X, of `rows` rows (those of the triangle, at most
// kTriangleRows) and `columns` columns. A column has
// the same bits whatever the number of columns.
template <typename T>
struct TriangularKernels {
  // X = A^-1 * alpha * X.
  void (*solve)(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha, const Matrix<T>& x);
  // X = alpha * A * X.
  void (*multiply)(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                   const Matrix<T>& x);
};

// Of the machine.
template <typename T>
const TriangularKernels<T>& GetTriangularKernels();

}  // namespace xla::blas

#endif  // XLA_BLAS_TRIANGULAR_KERNELS_H_
