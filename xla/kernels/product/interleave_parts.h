// SPDX-License-Identifier: Apache-2.0
// Rows of narrow elements, interleaved to rows of units of four bytes.
#ifndef XLA_KERNELS_PRODUCT_INTERLEAVE_PARTS_H_
#define XLA_KERNELS_PRODUCT_INTERLEAVE_PARTS_H_

#include <cstdint>

namespace xla::kernels {

// For u < units and j < columns: panel[u * width + j] holds the elements j of rows 2 u and 2 u + 1
// (of rows 4 u to 4 u + 3, if they are bytes), the first in the lowest bits. Rows are `stride`
// elements apart.
void InterleaveParts(int64_t units, int64_t columns, const uint16_t* from, int64_t stride,
                     uint32_t* panel, int64_t width);
void InterleaveParts(int64_t units, int64_t columns, const uint8_t* from, int64_t stride,
                     uint32_t* panel, int64_t width);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_INTERLEAVE_PARTS_H_
