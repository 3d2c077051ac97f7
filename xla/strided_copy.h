// SPDX-License-Identifier: Apache-2.0
// Copies a box of elements between two buffers with arbitrary strides. Relayout, transpose,
// broadcast, slice, reverse, pad and concatenation all use it.
#ifndef XLA_STRIDED_COPY_H_
#define XLA_STRIDED_COPY_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace xla {

// For every index in the box [0, sizes): destination[sum index[d] * destination_strides[d]] =
// source[...]. Strides count elements and may be 0 (source: broadcast) or negative (reverse), with
// the pointers at the elements of index 0; destinations of different indices are different. Element
// size is 1, 2, 4, 8 or 16 bytes. Buffers must not overlap.
void StridedCopy(int64_t element_bytes, absl::Span<const int64_t> sizes, void* destination,
                 absl::Span<const int64_t> destination_strides, const void* source,
                 absl::Span<const int64_t> source_strides);

// The same copy divided into tasks that several threads may run: dimensions are merged and ordered,
// then a two-dimensional kernel runs over blocks of the two innermost.
class StridedCopyPlan {
 public:
  StridedCopyPlan(int64_t element_bytes, absl::Span<const int64_t> sizes, void* destination,
                  absl::Span<const int64_t> destination_strides, const void* source,
                  absl::Span<const int64_t> source_strides);

  int64_t tasks() const { return tasks_; }
  // The number of tasks that justifies a thread of its own.
  int64_t tasks_per_chunk() const;
  void Run(int64_t begin, int64_t end) const;

  struct Dimension {
    int64_t size, from, to;  // strides of source and destination in elements
  };

 private:
  int64_t element_bytes_;
  const char* source_;
  char* destination_;
  // The last two step through the blocks of the kernel's dimensions.
  absl::InlinedVector<Dimension, 6> outer_;
  Dimension a_ = {1, 0, 0}, b_ = {1, 1, 1};
  int64_t block_a_ = 1, block_b_ = 1;
  int64_t tasks_ = 1;
};

}  // namespace xla

#endif  // XLA_STRIDED_COPY_H_
