// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution: channels are lanes, and several positions share a weight.
#include "xla/kernels/convolution/depthwise.h"

#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/convolution/depthwise.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes kPositions positions from `first` on, channels [c, c + lanes of D).
template <int kPositions, class D>
HWY_INLINE void DepthwiseAt(D d, const DepthwiseRun& run, int64_t first, int64_t c) {
  hn::Vec<D> sums[kPositions];
#pragma GCC unroll 8
  for (int p = 0; p < kPositions; ++p) sums[p] = hn::Zero(d);
  for (int64_t i = 0; i < run.rows; ++i) {
    const float* x = run.input[i] + first * run.input_step + c;
    const float* w = run.weights[i] + c;
    for (int64_t t = 0; t < run.taps; ++t) {
      const auto weight = hn::LoadU(d, w);
#pragma GCC unroll 8
      for (int p = 0; p < kPositions; ++p)
        sums[p] = hn::MulAdd(hn::LoadU(d, x + p * run.input_step), weight, sums[p]);
      x += run.tap_step;
      w += run.channels;
    }
  }
#pragma GCC unroll 8
  for (int p = 0; p < kPositions; ++p)
    hn::StoreU(sums[p], d, run.out + (first + p) * run.channels + c);
}

template <int kPositions>
void DepthwisePositions(const DepthwiseRun& run, int64_t first) {
  const hn::ScalableTag<float> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const hn::CappedTag<float, 1> one;
  int64_t c = 0;
  for (; c + kLanes <= run.channels; c += kLanes) DepthwiseAt<kPositions>(d, run, first, c);
  for (; c < run.channels; ++c) DepthwiseAt<kPositions>(one, run, first, c);
}

void DepthwiseLoop(const DepthwiseRun& run) {
  int64_t first = 0;
  for (; first + 8 <= run.positions; first += 8) DepthwisePositions<8>(run, first);
  for (; first + 4 <= run.positions; first += 4) DepthwisePositions<4>(run, first);
  for (; first < run.positions; ++first) DepthwisePositions<1>(run, first);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(DepthwiseLoop);

void RunDepthwise(const DepthwiseRun& run) { HWY_DYNAMIC_DISPATCH(DepthwiseLoop)(run); }

}  // namespace xla::kernels
#endif  // HWY_ONCE
