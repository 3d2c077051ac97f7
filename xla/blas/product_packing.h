// SPDX-License-Identifier: Apache-2.0
// Copies of blocks of matrices in the order in which products read them.
#ifndef XLA_BLAS_PRODUCT_PACKING_H_
#define XLA_BLAS_PRODUCT_PACKING_H_

#include <cstdint>

#include "xla/blas/matrix.h"

namespace xla::blas {

// Of one instruction set. Complex numbers become real ones: rows hold real and imaginary parts in
// turns, which make two units of depth each; an element of a panel becomes a square of two by two.
template <typename T>
struct PackingKernels {
  // rows[i * stride + k] = factor * a(i, k) for i in [0, lines) and k in [0, depth). `stride`
  // counts parts.
  void (*pack_rows)(const Matrix<const T>& a, int64_t lines, int64_t depth, T factor,
                    int64_t stride, Part<T>* rows);
  // panel[k * width + j] = b(k, j) for k in [0, depth) and j in [0, columns), and 0 for j in
  // [columns, width). `width` counts parts.
  void (*pack_panel)(const Matrix<const T>& b, int64_t depth, int64_t columns, int64_t width,
                     Part<T>* panel);
};

// Of the machine.
template <typename T>
const PackingKernels<T>& GetPackingKernels();

}  // namespace xla::blas

#endif  // XLA_BLAS_PRODUCT_PACKING_H_
