// SPDX-License-Identifier: Apache-2.0
// Tiles of a row in registers, for each instruction set.
#include "xla/kernels/row_tiles.h"

#include <algorithm>
#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/row_tiles.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kRowLanes>;
using V = hn::Vec<Tag>;
constexpr int64_t kLanes = hn::MaxLanes(Tag());

// Stores the first `count` lanes, or adds them.
HWY_INLINE void StoreFirst(V value, int64_t count, bool adds, float* to) {
  if (count >= kLanes) {
    hn::StoreU(adds ? hn::Add(hn::LoadU(Tag(), to), value) : value, Tag(), to);
    return;
  }
  alignas(64) float lanes[kLanes];
  hn::Store(value, Tag(), lanes);
  for (int64_t i = 0; i < count; ++i) to[i] = adds ? to[i] + lanes[i] : lanes[i];
}

// Positions [x, x + kVectors * kLanes), of which the row has those below its count.
template <int kFeatures, int kVectors>
HWY_INLINE void FeaturesAt(const RowFeatures& row, int64_t x) {
  V sums[kFeatures][kVectors];
#pragma GCC unroll 8
  for (int f = 0; f < kFeatures; ++f) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[f][v] = hn::Zero(Tag());
  }
  for (int64_t i = 0; i < row.rows; ++i) {
    const float* in = row.input[i] + x;
    const float* w = row.weights[i];
    for (int64_t t = 0; t < row.taps; ++t) {
      V values[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) values[v] = hn::LoadU(Tag(), in + v * kLanes);
#pragma GCC unroll 8
      for (int f = 0; f < kFeatures; ++f) {
        const V weight = hn::Set(Tag(), w[f]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sums[f][v] = hn::MulAdd(values[v], weight, sums[f][v]);
      }
      in += row.tap_step;
      w += kFeatures;
    }
  }
#pragma GCC unroll 8
  for (int f = 0; f < kFeatures; ++f) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      StoreFirst(sums[f][v], row.count - x - v * kLanes, row.adds, row.out[f] + x + v * kLanes);
  }
}

// As many sums as there are registers for.
template <int kFeatures>
void FeaturesOfRow(const RowFeatures& row) {
  constexpr int kVectors = kLanes < 16 ? (kFeatures > 2 ? 2 : 4) : kFeatures == 1 ? 8 : 4;
  int64_t x = 0;
  for (; x + (kVectors - 1) * kLanes < row.count; x += kVectors * kLanes)
    FeaturesAt<kFeatures, kVectors>(row, x);
  if constexpr (kVectors > 4) {
    if (x + 3 * kLanes < row.count) {
      FeaturesAt<kFeatures, 4>(row, x);
      x += 4 * kLanes;
    }
  }
  if constexpr (kVectors > 2) {
    if (x + kLanes < row.count) {
      FeaturesAt<kFeatures, 2>(row, x);
      x += 2 * kLanes;
    }
    // Three vectors are two and one.
  }
  for (; x < row.count; x += kLanes) FeaturesAt<kFeatures, 1>(row, x);
}

void Features(const RowFeatures& row) {
  switch (row.features) {
    case 1:
      return FeaturesOfRow<1>(row);
    case 2:
      return FeaturesOfRow<2>(row);
    case 4:
      return FeaturesOfRow<4>(row);
    default:
      return FeaturesOfRow<kMostRowFeatures>(row);
  }
}

// Pixels [x, x + kBlocks * kLanes): each vector of a block meets channels in its own order.
template <int kChannels, int kBlocks>
HWY_INLINE void ChannelsAt(const RowChannels& row, int64_t x) {
  V sums[kBlocks][kChannels];
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 8
    for (int v = 0; v < kChannels; ++v) sums[b][v] = hn::Zero(Tag());
  }
  for (int64_t i = 0; i < row.rows; ++i) {
    const float* in = row.input[i] + x * kChannels;
    const float* w = row.weights[i];
    for (int64_t t = 0; t < row.taps; ++t) {
#pragma GCC unroll 8
      for (int v = 0; v < kChannels; ++v) {
        const V weight = hn::LoadU(Tag(), w + v * kLanes);
#pragma GCC unroll 8
        for (int b = 0; b < kBlocks; ++b) {
          sums[b][v] =
              hn::MulAdd(hn::LoadU(Tag(), in + (b * kChannels + v) * kLanes), weight, sums[b][v]);
        }
      }
      in += row.tap_step * kChannels;
      w += kChannels * kRowLanes;
    }
  }
  const int64_t room = (row.count - x) * kChannels;
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 8
    for (int v = 0; v < kChannels; ++v) {
      const int64_t at = (b * kChannels + v) * kLanes;
      StoreFirst(sums[b][v], room - at, false, row.out + x * kChannels + at);
    }
  }
}

template <int kChannels>
void ChannelsOfRow(const RowChannels& row) {
  constexpr int kBlocks = kLanes >= 16 && kChannels <= 5 ? 4 / (kChannels / 4 + 1) : 1;
  int64_t x = 0;
  for (; x + (kBlocks - 1) * kLanes < row.count; x += kBlocks * kLanes)
    ChannelsAt<kChannels, kBlocks>(row, x);
  for (; x < row.count; x += kLanes) ChannelsAt<kChannels, 1>(row, x);
}

void Channels(const RowChannels& row) {
  switch (row.channels) {
    case 2:
      return ChannelsOfRow<2>(row);
    case 3:
      return ChannelsOfRow<3>(row);
    case 4:
      return ChannelsOfRow<4>(row);
    case 5:
      return ChannelsOfRow<5>(row);
    case 6:
      return ChannelsOfRow<6>(row);
    default:
      return ChannelsOfRow<kMostRowChannels>(row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(Features);
HWY_EXPORT(Channels);

void RunRowFeatures(const RowFeatures& row) { HWY_DYNAMIC_DISPATCH(Features)(row); }
void RunRowChannels(const RowChannels& row) { HWY_DYNAMIC_DISPATCH(Channels)(row); }

}  // namespace xla::kernels
#endif  // HWY_ONCE
