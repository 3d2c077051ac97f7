// SPDX-License-Identifier: Apache-2.0
// Padding of windows by scheme, as machine learning frameworks name them, and configurations of
// Pad.
#ifndef XLA_HLO_BUILDER_PADDING_H_
#define XLA_HLO_BUILDER_PADDING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/xla_data.pb.h"

namespace xla {

enum class Padding {
  // As many windows as there are strides in the input, with zeros (or the initial value) added
  // evenly at both edges, the odd one at the high edge.
  kSame,
  // Only windows that lie inside the input; nothing is added.
  kValid,
};

// The three lists are equally long, strides are positive.
absl::Status ValidatePaddingValues(absl::Span<const int64_t> input_dimensions,
                                   absl::Span<const int64_t> window_dimensions,
                                   absl::Span<const int64_t> window_strides);

// The low and high padding of each dimension; nothing if the arguments do not pass
// ValidatePaddingValues.
std::vector<std::pair<int64_t, int64_t>> MakePadding(absl::Span<const int64_t> input_dimensions,
                                                     absl::Span<const int64_t> window_dimensions,
                                                     absl::Span<const int64_t> window_strides,
                                                     Padding padding);

// For Pad: of an array of that rank nothing; low and high edges without interior.
PaddingConfig MakeNoPaddingConfig(int64_t rank);
PaddingConfig MakeEdgePaddingConfig(absl::Span<const std::pair<int64_t, int64_t>> padding);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_PADDING_H_
