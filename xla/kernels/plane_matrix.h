// SPDX-License-Identifier: Apache-2.0
// Matrices that factorisations work on: doubles, real and imaginary parts apart.
#ifndef XLA_KERNELS_PLANE_MATRIX_H_
#define XLA_KERNELS_PLANE_MATRIX_H_

#include <cstdint>

#include "xla/kernels/linear_algebra.h"
#include "xla/kernels/row_operations.h"

namespace xla::kernels {

// A part of working memory: `count` numbers, in two planes if complex. Moves *memory behind it.
Planes<double> TakePlanes(double** memory, int64_t count, bool is_complex);
constexpr int64_t PlaneCount(int64_t count, bool is_complex) {
  return is_complex ? 2 * count : count;
}

// Elements [0, count) of a floating-point or complex type at `from`, or to `to`. Imaginary parts of
// results that have none there are dropped.
void LoadPlanes(PrimitiveType type, const void* from, int64_t count, const Planes<double>& to);
void StorePlanes(PrimitiveType type, const Planes<const double>& from, int64_t count, void* to);

// The bytes of row i of matrix b.
inline int64_t RowOffset(const MatrixBatch& batch, int64_t element_bytes, int64_t b, int64_t i) {
  return (b * batch.matrix_stride + i * batch.row_stride) * element_bytes;
}

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PLANE_MATRIX_H_
