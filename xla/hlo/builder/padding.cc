// SPDX-License-Identifier: Apache-2.0
// Padding of windows by scheme.
#include "xla/hlo/builder/padding.h"

#include <algorithm>

#include "xla/util.h"

namespace xla {

absl::Status ValidatePaddingValues(absl::Span<const int64_t> input_dimensions,
                                   absl::Span<const int64_t> window_dimensions,
                                   absl::Span<const int64_t> window_strides) {
  if (input_dimensions.size() != window_dimensions.size() ||
      input_dimensions.size() != window_strides.size()) {
    return InvalidArgument(
        "Want input dimensions size %u = window dimensions size %u = window strides size %u",
        input_dimensions.size(), window_dimensions.size(), window_strides.size());
  }
  for (size_t i = 0; i < input_dimensions.size(); ++i) {
    if (window_dimensions[i] <= 0) {
      return InvalidArgument("Window dimension %u has non-positive size %d", i,
                             window_dimensions[i]);
    }
    if (window_strides[i] <= 0) {
      return InvalidArgument("Window dimension %u has non-positive stride %d", i,
                             window_strides[i]);
    }
  }
  return absl::OkStatus();
}

std::vector<std::pair<int64_t, int64_t>> MakePadding(absl::Span<const int64_t> input_dimensions,
                                                     absl::Span<const int64_t> window_dimensions,
                                                     absl::Span<const int64_t> window_strides,
                                                     Padding padding) {
  if (!ValidatePaddingValues(input_dimensions, window_dimensions, window_strides).ok()) return {};
  std::vector<std::pair<int64_t, int64_t>> edges(input_dimensions.size(), {0, 0});
  if (padding == Padding::kValid) return edges;
  for (size_t i = 0; i < edges.size(); ++i) {
    const int64_t size = std::max<int64_t>(input_dimensions[i], 0);
    const int64_t windows = CeilOfRatio(size, window_strides[i]);
    // Bounded by the window size: (windows - 1) * stride < size.
    const int64_t last_start = windows == 0 ? 0 : (windows - 1) * window_strides[i];
    const int64_t total =
        windows == 0 ? 0 : std::max<int64_t>(last_start - size + window_dimensions[i], 0);
    edges[i] = {total / 2, total - total / 2};
  }
  return edges;
}

PaddingConfig MakeNoPaddingConfig(int64_t rank) {
  PaddingConfig config;
  for (int64_t i = 0; i < rank; ++i) config.add_dimensions();
  return config;
}

PaddingConfig MakeEdgePaddingConfig(absl::Span<const std::pair<int64_t, int64_t>> padding) {
  PaddingConfig config;
  for (const auto& [low, high] : padding) {
    PaddingConfig::PaddingConfigDimension* dimension = config.add_dimensions();
    dimension->set_edge_padding_low(low);
    dimension->set_edge_padding_high(high);
  }
  return config;
}

}  // namespace xla
