// SPDX-License-Identifier: Apache-2.0
// Products of matrices that are multiplied sooner than copied.
#ifndef XLA_BLAS_SMALL_PRODUCT_H_
#define XLA_BLAS_SMALL_PRODUCT_H_

#include <cstdint>

#include "xla/blas/matrix.h"

namespace xla::blas {

struct ProductSize {
  int64_t m, n, k;
  double products() const {
    return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

// As Multiply (product.h), with the same bits. Columns of C are contiguous.
template <typename T>
using SmallProduct = void (*)(const ProductSize& size, T alpha, const Matrix<const T>& a,
                              const Matrix<const T>& b, T beta, const Matrix<T>& c);

// For the machine, within the bound of the calling thread (xla/base/instruction_set.h).
template <typename T>
SmallProduct<T> GetSmallProduct();

}  // namespace xla::blas

#endif  // XLA_BLAS_SMALL_PRODUCT_H_
