// SPDX-License-Identifier: Apache-2.0
// Sizes of results.
#include "xla/hlo/shape_inference/result_dimensions.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "xla/util.h"

namespace xla::shape_inference {
namespace {

absl::int128 DilatedSize(int64_t size, int64_t dilation) {
  return size == 0 ? absl::int128(0) : absl::int128(size - 1) * dilation + 1;
}

// Which of 0..rank-1 the lists have. Entries out of range are the callers' to refuse.
std::vector<bool> Flags(int64_t rank, std::initializer_list<absl::Span<const int64_t>> lists) {
  std::vector<bool> flags(static_cast<size_t>(rank), false);
  for (const absl::Span<const int64_t> list : lists) {
    for (const int64_t d : list) {
      if (d >= 0 && d < rank) flags[static_cast<size_t>(d)] = true;
    }
  }
  return flags;
}

}  // namespace

std::optional<int64_t> ToSize(absl::int128 value) {
  if (value < 0 || value > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return static_cast<int64_t>(value);
}

WindowExtents ExtentsOf(int64_t size, const WindowDim& window) {
  WindowExtents extents;
  extents.padded =
      DilatedSize(size, window.base_dilation) + window.padding_low + window.padding_high;
  extents.window = DilatedSize(window.size, window.window_dilation);
  extents.places = extents.padded <= 0 || extents.window > extents.padded
                       ? absl::int128(0)
                       : (extents.padded - extents.window) / window.stride + 1;
  return extents;
}

absl::int128 PaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  const absl::int128 gaps = std::max<int64_t>(size - 1, 0);
  return absl::int128(size) + low + high + gaps * interior;
}

int64_t SliceSize(int64_t start, int64_t limit, int64_t stride) {
  return CeilOfRatio(limit - start, stride);
}

std::optional<int64_t> ConcatenatedSize(int64_t a, int64_t b) {
  return ToSize(absl::int128(a) + b);
}

int64_t HalfSpectrumSize(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

std::vector<OperandDimension> SliceDimensions(const SliceNumbers& numbers, int64_t slices_rank) {
  // Each dimension of the array is in one of the lists.
  const auto array_rank = static_cast<int64_t>(
      numbers.window_dims.size() + numbers.collapsed_dims.size() + numbers.batching_dims.size());
  const std::vector<bool> in_window = Flags(slices_rank, {numbers.window_dims});
  const std::vector<bool> absent =
      Flags(array_rank, {numbers.collapsed_dims, numbers.batching_dims});
  std::vector<OperandDimension> result;
  int64_t array_dim = 0, indices_dim = 0;
  for (int64_t i = 0; i < slices_rank; ++i) {
    if (in_window[static_cast<size_t>(i)]) {
      while (array_dim < array_rank && absent[static_cast<size_t>(array_dim)]) ++array_dim;
      result.push_back({0, array_dim++});
    } else {
      if (indices_dim == numbers.index_vector_dim) ++indices_dim;
      result.push_back({1, indices_dim++});
    }
  }
  return result;
}

std::vector<OperandDimension> DotDimensions(const DotNumbers& numbers, int64_t lhs_rank,
                                            int64_t rhs_rank,
                                            absl::Span<const int64_t> rhs_dropped) {
  std::vector<OperandDimension> result;
  for (const int64_t d : numbers.lhs_batch) result.push_back({0, d});
  const std::vector<bool> lhs = Flags(lhs_rank, {numbers.lhs_batch, numbers.lhs_contracting});
  for (int64_t d = 0; d < lhs_rank; ++d) {
    if (!lhs[static_cast<size_t>(d)]) result.push_back({0, d});
  }
  const std::vector<bool> rhs =
      Flags(rhs_rank, {numbers.rhs_batch, numbers.rhs_contracting, rhs_dropped});
  for (int64_t d = 0; d < rhs_rank; ++d) {
    if (!rhs[static_cast<size_t>(d)]) result.push_back({1, d});
  }
  return result;
}

}  // namespace xla::shape_inference
