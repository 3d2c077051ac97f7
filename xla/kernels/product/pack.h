// SPDX-License-Identifier: Apache-2.0
// Copies of strided matrices into the blocks and panels of fused_product.h.
#ifndef XLA_KERNELS_PRODUCT_PACK_H_
#define XLA_KERNELS_PRODUCT_PACK_H_

#include <cstdint>

#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/wide.h"

namespace xla::kernels {

// Copies `rows` rows of `bytes` bytes; strides in bytes. Rows of common sizes are copied by code
// for that size.
void CopyRows(int64_t rows, int64_t bytes, const char* from, int64_t from_stride, char* to,
              int64_t to_stride);

// rows[i * row_stride + k - k0] = element (batch, first + i, k) converted to T.
template <typename T>
void PackRows(const MatrixView& view, const void* data, WideLoad<T> load, int64_t batch,
              int64_t first, int64_t lines, int64_t k0, int64_t depth, T* rows,
              int64_t row_stride = kProductRowStride);

// panel[(k - k0) * width + j] = element (batch, first + j, k), converted to T; 0 for j in [lines,
// width).
template <typename T>
void PackColumns(const MatrixView& view, const void* data, WideLoad<T> load, int64_t batch,
                 int64_t first, int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel);

// Like PackRows, for pairs of bf16: unit k holds the elements 2 k and 2 k + 1, the first in the low
// half; elements after the last are 0. k0 and depth are in units.
void PackRowPairs(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t* rows);
void PackColumnPairs(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel);
// Like PackRows, for quadruples of int8, with each byte changed by `flip` (0x80 adds 128).
void PackRowQuads(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t flip, uint32_t* rows);
void PackColumnQuads(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel);
// Loads elements of type S8 or U8 as int16, by their bits; null for other types.
WideLoad<uint16_t> GetWordLoad(PrimitiveType type);
// Like PackRowPairs, for pairs of int16 made of the elements, which are S8 or U8.
void PackRowWords(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                  int64_t lines, int64_t k0, int64_t depth, uint32_t* rows);
void PackColumnWords(const MatrixView& view, const void* data, int64_t batch, int64_t first,
                     int64_t lines, int64_t k0, int64_t depth, int64_t width, uint32_t* panel);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_PACK_H_
