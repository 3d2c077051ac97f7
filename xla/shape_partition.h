// SPDX-License-Identifier: Apache-2.0
// Cuts the major dimensions of an array into parts of about equal size, for parallel work.
#ifndef XLA_SHAPE_PARTITION_H_
#define XLA_SHAPE_PARTITION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/shape.h"

namespace xla {

// f32[8,16,32] in 6 parts: {6}, six ranges of the major-most dimension. In 16 parts: {4, 4}, since
// one dimension of 8 does not suffice and 16^(1/2) = 4.
class ShapePartitionAssigner {
 public:
  // The shape must have a layout and outlive the assigner.
  explicit ShapePartitionAssigner(const Shape& shape) : shape_(shape) {}

  // The number of parts of each dimension, major-most first; their product is at most the target.
  // Empty for scalars.
  std::vector<int64_t> Run(int64_t target_partition_count);
  static int64_t GetTotalPartitionCount(const std::vector<int64_t>& dimension_partition_counts);

 private:
  const Shape& shape_;
};

// The parts, numbered with the last of the partitioned dimensions fastest.
class ShapePartitionIterator {
 public:
  // The shape must outlive the iterator. Precondition: no count is 0 or exceeds its dimension.
  ShapePartitionIterator(const Shape& shape, absl::Span<const int64_t> dimension_partition_counts);

  // (start, size) in each partitioned dimension, major-most first. The last part of a dimension has
  // the elements that remain.
  std::vector<std::pair<int64_t, int64_t>> GetPartition(int64_t index) const;
  int64_t GetTotalPartitionCount() const;

 private:
  struct Dimension {
    int64_t size, parts;
  };
  std::vector<Dimension> dimensions_;
};

}  // namespace xla

#endif  // XLA_SHAPE_PARTITION_H_
