// SPDX-License-Identifier: Apache-2.0
// Transposed copies of matrices.
#ifndef XLA_KERNELS_MOVEMENT_TRANSPOSE_H_
#define XLA_KERNELS_MOVEMENT_TRANSPOSE_H_

#include <cstdint>

namespace xla::kernels {

// `to` is row-major with `to_stride` elements a row: to[i * to_stride + j] = from[j * from_stride +
// i] for i < rows and j < columns, in elements of 4 bytes.
void Transpose32(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                 int64_t to_stride);
// Like Transpose32, for elements of 8 bytes.
void Transpose64(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                 int64_t to_stride);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_MOVEMENT_TRANSPOSE_H_
