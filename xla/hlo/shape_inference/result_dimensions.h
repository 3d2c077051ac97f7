// SPDX-License-Identifier: Apache-2.0
// Which sizes results have, in numbers: what the rules for HLO and StableHLO's verifier share.
// Their shapes, messages and the cases that they accept differ.
#ifndef XLA_HLO_SHAPE_INFERENCE_RESULT_DIMENSIONS_H_
#define XLA_HLO_SHAPE_INFERENCE_RESULT_DIMENSIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape.h"

namespace xla::shape_inference {

inline bool IsUnbounded(int64_t size) { return size == Shape::kUnboundedSize; }

// Equal, or one of them unbounded.
inline bool SizesCompatible(int64_t a, int64_t b) {
  return a == b || IsUnbounded(a) || IsUnbounded(b);
}

// An int128 result that must be a size: in [0, 2^63).
std::optional<int64_t> ToSize(absl::int128 value);

// A window on a dimension of `size` elements, both known. Strides and dilations are positive.
struct WindowExtents {
  absl::int128 padded;  // the dilated and padded dimension; negative padding can exceed it
  absl::int128 window;  // the dilated window
  absl::int128 places;  // those of the window in the padded dimension
};
WindowExtents ExtentsOf(int64_t size, const WindowDim& window);

// The size of a padded dimension; negative if more than all of it is cut off.
absl::int128 PaddedSize(int64_t size, int64_t low, int64_t high, int64_t interior);

// The number of elements from `start` to `limit`, which is not less; the stride is positive.
int64_t SliceSize(int64_t start, int64_t limit, int64_t stride);

// The size of a concatenation of two dimensions; nullopt if it overflows.
std::optional<int64_t> ConcatenatedSize(int64_t a, int64_t b);

// The last dimension of a real Fourier transform's complex side.
int64_t HalfSpectrumSize(int64_t length);

// A dimension of one of the operands.
struct OperandDimension {
  int64_t operand;
  int64_t dimension;
};

// Where the dimensions of gathered slices come from, which are a gather's result or a scatter's
// updates. Operand 0 is the array that the slices are in, 1 the indices. Numbers are in range, each
// dimension of the array is in one of the lists, and the ranks fit.
struct SliceNumbers {
  absl::Span<const int64_t> window_dims;     // of the slices; ascending
  absl::Span<const int64_t> collapsed_dims;  // of the array, which the slices do not have
  absl::Span<const int64_t> batching_dims;   // of the array
  int64_t index_vector_dim;
};
std::vector<OperandDimension> SliceDimensions(const SliceNumbers& numbers, int64_t slices_rank);

// Where the dimensions of a dot's result come from: batch dimensions, then the free ones of lhs,
// then those of rhs but for `rhs_dropped`.
struct DotNumbers {
  absl::Span<const int64_t> lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
};
std::vector<OperandDimension> DotDimensions(const DotNumbers& numbers, int64_t lhs_rank,
                                            int64_t rhs_rank,
                                            absl::Span<const int64_t> rhs_dropped = {});

}  // namespace xla::shape_inference

#endif  // XLA_HLO_SHAPE_INFERENCE_RESULT_DIMENSIONS_H_
