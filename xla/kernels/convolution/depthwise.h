// SPDX-License-Identifier: Apache-2.0
// The inner loop of depthwise convolutions whose channels are contiguous.
#ifndef XLA_KERNELS_CONVOLUTION_DEPTHWISE_H_
#define XLA_KERNELS_CONVOLUTION_DEPTHWISE_H_

#include <cstdint>

namespace xla::kernels {

// Consecutive output positions along the minor spatial dimension whose taps along it are all within
// the input: out[p * channels + c] = sum over i < rows and t < taps of input[i][p * input_step + t
// * tap_step + c] * weights[i][t * channels + c] for c < channels.
struct DepthwiseRun {
  int64_t channels, positions;
  int64_t rows, taps;         // rows of taps that are within the input
  const float* const* input;  // at the first tap of the first position
  const float* const* weights;
  int64_t input_step, tap_step;
  float* out;
};

// Runs the code for the machine's instruction set.
void RunDepthwise(const DepthwiseRun& run);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CONVOLUTION_DEPTHWISE_H_
