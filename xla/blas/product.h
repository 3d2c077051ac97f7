// SPDX-License-Identifier: Apache-2.0
// Products of matrices, on the tiles of xla/kernels/product/fused_product.h.
#ifndef XLA_BLAS_PRODUCT_H_
#define XLA_BLAS_PRODUCT_H_

#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/matrix.h"
#include "xla/blas/small_product.h"

namespace xla::blas {

// C = beta * C + alpha * A * B, where C is m by n and A m by k. C is not read if beta is 0. Rows or
// columns of C are contiguous; it does not overlap A or B. `threads` may be null.
//
// k is cut into blocks, each summed in order; the sums of blocks are added to C in order. An
// element has the same bits whatever the size of C and its place there.
template <typename T>
void Multiply(const ProductSize& size, T alpha, const Matrix<const T>& a, const Matrix<const T>& b,
              T beta, const Matrix<T>& c, BlasThreads* threads);

// C = beta * C, set to zero if beta is 0.
template <typename T>
void ScaleMatrix(int64_t m, int64_t n, T beta, const Matrix<T>& c);

}  // namespace xla::blas

#endif  // XLA_BLAS_PRODUCT_H_
