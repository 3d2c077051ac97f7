// SPDX-License-Identifier: Apache-2.0
// Sparse arrays, which hold one element of each block of a dimension, and its position in the
// block.
#ifndef XLA_KERNELS_MOVEMENT_SPARSE_ARRAY_H_
#define XLA_KERNELS_MOVEMENT_SPARSE_ARRAY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

struct SparseArray {
  absl::Span<const int64_t> dimensions;  // of values and positions
  int64_t dimension;                     // the sparse dimension
  int64_t block_size;
  int64_t element_bytes;
  PrimitiveType position_type;  // an integer; arrays have at least a byte for each
};

// Writes the whole array, in which the dimension is block_size times as long, with zeros between
// the values. All arrays are dense and row-major. INVALID_ARGUMENT names the first position that is
// outside its block.
absl::Status ExpandSparseArray(Context& context, const SparseArray& array, const void* values,
                               const void* positions, void* whole);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_MOVEMENT_SPARSE_ARRAY_H_
