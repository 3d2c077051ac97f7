// SPDX-License-Identifier: Apache-2.0
#include "xla/shape_partition.h"

#include <algorithm>
#include <cmath>

#include "xla/layout.h"

namespace xla {
namespace {

// Sizes of the dimensions in memory order, major-most first.
std::vector<int64_t> MajorToMinorSizes(const Shape& shape) {
  std::vector<int64_t> sizes;
  const auto minor_to_major = shape.layout().minor_to_major();
  for (size_t i = minor_to_major.size(); i-- > 0;) {
    sizes.push_back(shape.dimensions(static_cast<int>(minor_to_major[i])));
  }
  return sizes;
}

}  // namespace

std::vector<int64_t> ShapePartitionAssigner::Run(int64_t target_partition_count) {
  // As few dimensions as have enough elements together.
  std::vector<int64_t> sizes;
  int64_t elements = 1;
  for (const int64_t size : MajorToMinorSizes(shape_)) {
    sizes.push_back(size);
    elements *= size;
    if (elements >= target_partition_count) break;
  }
  if (sizes.empty()) return {};
  const int64_t target = std::min(elements, target_partition_count);

  const auto target_per_dimension = static_cast<int64_t>(
      std::pow(static_cast<double>(target), 1.0 / static_cast<double>(sizes.size())));
  std::vector<int64_t> counts;
  for (const int64_t size : sizes) counts.push_back(std::min(size, target_per_dimension));

  // Rounding and small dimensions leave room below the target: outer dimensions take it first.
  for (size_t i = 0; i < counts.size() && GetTotalPartitionCount(counts) < target; ++i) {
    if (counts[i] == 0) break;
    const int64_t others = GetTotalPartitionCount(counts) / counts[i];
    counts[i] = std::max(counts[i], std::min(sizes[i], target / others));
  }
  return counts;
}

int64_t ShapePartitionAssigner::GetTotalPartitionCount(
    const std::vector<int64_t>& dimension_partition_counts) {
  int64_t total = 1;
  for (const int64_t count : dimension_partition_counts) total *= count;
  return total;
}

ShapePartitionIterator::ShapePartitionIterator(
    const Shape& shape, absl::Span<const int64_t> dimension_partition_counts) {
  const std::vector<int64_t> sizes = MajorToMinorSizes(shape);
  for (size_t i = 0; i < dimension_partition_counts.size(); ++i) {
    dimensions_.push_back({sizes[i], dimension_partition_counts[i]});
  }
}

std::vector<std::pair<int64_t, int64_t>> ShapePartitionIterator::GetPartition(int64_t index) const {
  std::vector<std::pair<int64_t, int64_t>> partition(dimensions_.size());
  for (size_t i = dimensions_.size(); i-- > 0;) {
    const Dimension& dimension = dimensions_[i];
    const int64_t part = index % dimension.parts;
    index /= dimension.parts;
    const int64_t size = std::max<int64_t>(1, dimension.size / dimension.parts);
    const int64_t start = part * size;
    partition[i] = {start, part == dimension.parts - 1 ? dimension.size - start : size};
  }
  return partition;
}

int64_t ShapePartitionIterator::GetTotalPartitionCount() const {
  int64_t total = 1;
  for (const Dimension& dimension : dimensions_) total *= dimension.parts;
  return total;
}

}  // namespace xla
