// SPDX-License-Identifier: Apache-2.0
// Copying a box of elements between two buffers whose dimensions lie at any distances: the one loop
// under relayout, transpose, slice, broadcast and concatenation.
#ifndef XLA_STRIDED_COPY_H_
#define XLA_STRIDED_COPY_H_

#include <cstdint>

#include "absl/types/span.h"

namespace xla {

// For every index in the box [0, sizes): destination[sum index[d] * destination_strides[d]] =
// source[...]. Strides count elements and may be 0 (source: broadcast) or negative. Element size is
// 1, 2, 4, 8 or 16 bytes. Buffers must not overlap.
void StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes, void* destination,
                 absl::Span<const int64_t> destination_strides, const void* source,
                 absl::Span<const int64_t> source_strides);

}  // namespace xla

#endif  // XLA_STRIDED_COPY_H_
