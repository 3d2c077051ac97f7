// SPDX-License-Identifier: Apache-2.0
// Inner loops of convolutions whose positions are lanes.
#ifndef XLA_KERNELS_ROW_TILES_H_
#define XLA_KERNELS_ROW_TILES_H_

#include <cstdint>

namespace xla::kernels {

// Lanes of any instruction set at most.
inline constexpr int64_t kRowLanes = 16;
// Output features that are computed together at most, and pixels whose channels are.
inline constexpr int64_t kMostRowFeatures = 6, kMostRowChannels = 7;

// A row of output positions of some features: out[f][x] = sum over i < rows and t < taps of
// input[i][x + t * tap_step] * weights[i][t * features + f] for x < count. Rows of the input may be
// read up to the next multiple of kRowLanes of x.
struct RowFeatures {
  int64_t features;  // kMostRowFeatures, 4, 2 or 1
  int64_t rows, taps, tap_step;
  const float* const* input;
  const float* const* weights;
  float* const* out;
  int64_t count;
  bool adds;  // to what `out` has
};
void RunRowFeatures(const RowFeatures& row);

// A row of `channels` interleaved channels, each with its own weights: out[x * channels + c] = sum
// of input[i][(x + t * step) * channels + c] * weights[i][t * channels * kRowLanes + ...], where
// each tap has kRowLanes pixels of the same weights. Rows of the input may be read up to the next
// multiple of kRowLanes of x.
struct RowChannels {
  int64_t channels;              // from 2 to kMostRowChannels
  int64_t rows, taps, tap_step;  // in pixels
  const float* const* input;
  const float* const* weights;
  float* out;
  int64_t count;  // pixels
};
void RunRowChannels(const RowChannels& row);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_ROW_TILES_H_
