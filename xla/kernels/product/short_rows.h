// SPDX-License-Identifier: Apache-2.0
// Copies of short rows.
#ifndef XLA_KERNELS_PRODUCT_SHORT_ROWS_H_
#define XLA_KERNELS_PRODUCT_SHORT_ROWS_H_

#include <cstdint>

namespace xla::kernels {

// to[i * width + j] = from[i * from_stride + j] for j < columns, and 0 for j in [columns, width),
// in elements of 4 bytes.
void CopyShortRows32(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                     int64_t width);
// Like CopyShortRows32, for elements of 8 bytes.
void CopyShortRows64(int64_t rows, int64_t columns, const void* from, int64_t from_stride, void* to,
                     int64_t width);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_SHORT_ROWS_H_
