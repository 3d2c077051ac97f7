// SPDX-License-Identifier: Apache-2.0
// Rows of narrow elements, interleaved to rows of units of four bytes.
#ifndef XLA_KERNELS_PRODUCT_INTERLEAVE_PARTS_H_
#define XLA_KERNELS_PRODUCT_INTERLEAVE_PARTS_H_

#include <cstdint>

namespace xla::kernels {

// For u < units and j < columns: panel[u * width + j] holds the elements
// from[u * unit_stride + offsets[p] + j], the first of two (of four, if they are bytes) in the
// lowest bits.
void InterleaveParts(int64_t units, int64_t columns, const uint16_t* from, const int64_t* offsets,
                     int64_t unit_stride, uint32_t* panel, int64_t width);
void InterleaveParts(int64_t units, int64_t columns, const uint8_t* from, const int64_t* offsets,
                     int64_t unit_stride, uint32_t* panel, int64_t width);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_INTERLEAVE_PARTS_H_
