// SPDX-License-Identifier: Apache-2.0
// Inner loops of convolutions whose positions are lanes.
#ifndef XLA_KERNELS_CONVOLUTION_ROW_TILES_H_
#define XLA_KERNELS_CONVOLUTION_ROW_TILES_H_

#include <cstdint>

namespace xla::kernels {

// Rows are padded to a multiple of this many pixels: the most lanes of any instruction set.
inline constexpr int64_t kRowLanes = 16;
// The most output features that are computed together, and the most interleaved channels.
inline constexpr int64_t kMostRowFeatures = 6, kMostRowChannels = 7;

// A row of output positions of some features: out[f][x] = sum over i < rows and t < taps of
// input[i][x + t * tap_step] * weights[i][t * features + f] for x < count. Rows of the input may be
// read up to the next multiple of kRowLanes of x.
template <typename T>
struct RowFeatures {
  int64_t features;  // kMostRowFeatures, 4, 2 or 1
  int64_t rows, taps, tap_step;
  const T* const* input;
  const T* const* weights;
  T* const* out;
  int64_t count;
  bool adds;  // adds to `out`
};
// For float and double.
template <typename T>
void RunRowFeatures(const RowFeatures<T>& row);

// A row of `channels` interleaved channels, each with its own weights: out[x * channels + c] = sum
// of input[i][(x + t * step) * channels + c] * weights[i][t * channels * kRowLanes + ...], where
// each tap has kRowLanes pixels of the same weights. Rows of the input may be read up to the next
// multiple of kRowLanes of x.
template <typename T>
struct RowChannels {
  int64_t channels;              // from 2 to kMostRowChannels
  int64_t rows, taps, tap_step;  // in pixels
  const T* const* input;
  const T* const* weights;
  T* out;
  int64_t count;  // pixels
};
template <typename T>
void RunRowChannels(const RowChannels<T>& row);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_ROW_TILES_H_
