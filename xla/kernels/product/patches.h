// SPDX-License-Identifier: Apache-2.0
// Copies patches of a convolution's input (convolution.h) into the blocks of fused_product.h.
#ifndef XLA_KERNELS_PRODUCT_PATCHES_H_
#define XLA_KERNELS_PRODUCT_PATCHES_H_

#include <cstdint>

#include "xla/kernels/product/geometry.h"
#include "xla/kernels/wide.h"

namespace xla::kernels {

// Returns the distance between the elements of a patch under the taps of the minor spatial
// dimension if they are equally spaced, otherwise 0.
int64_t MinorRunStride(const Patches& patches);

// rows[i * row_stride + k - k0] = element k of the patch at position first + i, for i in [0, lines)
// and k in [k0, k0 + count). Elements are of type E, or converted to E if `load` is not null.
template <typename E>
void PackPatchRows(const Patches& patches, const void* data, WideLoad<E> load, int64_t group,
                   int64_t first, int64_t lines, int64_t k0, int64_t count, E* rows,
                   int64_t row_stride);

// panel[(k - k0) * width + j] = element k of the patch at position first + j; 0 for j in [lines,
// width).
template <typename E>
void PackPatchColumns(const Patches& patches, const void* data, WideLoad<E> load, int64_t group,
                      int64_t first, int64_t lines, int64_t k0, int64_t count, int64_t width,
                      E* panel);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_PATCHES_H_
