// SPDX-License-Identifier: Apache-2.0
// Tiles of a row in registers, for each instruction set.
#include "xla/kernels/convolution/row_tiles.h"

#include <algorithm>
#include <cstdint>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/convolution/row_tiles.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <typename T>
using V = hn::Vec<Tag<T>>;
template <typename T>
constexpr int64_t kLanes = hn::MaxLanes(Tag<T>());
// Whether there are 32 registers.
constexpr bool kHasManyRegisters = hn::MaxLanes(Tag<float>()) >= 16;

// Stores the first `count` lanes, or adds them.
template <typename T>
HWY_INLINE void StoreFirst(V<T> value, int64_t count, bool adds, T* to) {
  const Tag<T> d;
  if (count >= kLanes<T>) {
    hn::StoreU(adds ? hn::Add(hn::LoadU(d, to), value) : value, d, to);
    return;
  }
  alignas(64) T lanes[kLanes<T>];
  hn::Store(value, d, lanes);
  for (int64_t i = 0; i < count; ++i) to[i] = adds ? to[i] + lanes[i] : lanes[i];
}

// Computes positions [x, x + kVectors * kLanes) of which those below the row's count exist.
template <int kFeatures, int kVectors, typename T>
HWY_INLINE void FeaturesAt(const RowFeatures<T>& row, int64_t x) {
  const Tag<T> d;
  V<T> sums[kFeatures][kVectors];
#pragma GCC unroll 8
  for (int f = 0; f < kFeatures; ++f) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[f][v] = hn::Zero(d);
  }
  for (int64_t i = 0; i < row.rows; ++i) {
    const T* in = row.input[i] + x;
    const T* w = row.weights[i];
    for (int64_t t = 0; t < row.taps; ++t) {
      V<T> values[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, in + v * kLanes<T>);
#pragma GCC unroll 8
      for (int f = 0; f < kFeatures; ++f) {
        const V<T> weight = hn::Set(d, w[f]);
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
      StoreFirst<T>(sums[f][v], row.count - x - v * kLanes<T>, row.adds,
                    row.out[f] + x + v * kLanes<T>);
  }
}

// As many sums as registers hold.
template <int kFeatures, typename T>
void FeaturesOfRow(const RowFeatures<T>& row) {
  constexpr int kVectors = !kHasManyRegisters ? (kFeatures > 2 ? 2 : 4) : kFeatures == 1 ? 8 : 4;
  int64_t x = 0;
  for (; x + (kVectors - 1) * kLanes<T> < row.count; x += kVectors * kLanes<T>)
    FeaturesAt<kFeatures, kVectors>(row, x);
  if constexpr (kVectors > 4) {
    if (x + 3 * kLanes<T> < row.count) {
      FeaturesAt<kFeatures, 4>(row, x);
      x += 4 * kLanes<T>;
    }
  }
  if constexpr (kVectors > 2) {
    if (x + kLanes<T> < row.count) {
      FeaturesAt<kFeatures, 2>(row, x);
      x += 2 * kLanes<T>;
    }
    // Three vectors are two and one.
  }
  for (; x < row.count; x += kLanes<T>) FeaturesAt<kFeatures, 1>(row, x);
}

template <typename T>
void Features(const RowFeatures<T>& row) {
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

// Computes pixels [x, x + kBlocks * kLanes<T>): each vector of a block has the channels in a
// different order.
template <int kChannels, int kBlocks, typename T>
HWY_INLINE void ChannelsAt(const RowChannels<T>& row, int64_t x) {
  const Tag<T> d;
  V<T> sums[kBlocks][kChannels];
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 8
    for (int v = 0; v < kChannels; ++v) sums[b][v] = hn::Zero(d);
  }
  for (int64_t i = 0; i < row.rows; ++i) {
    const T* in = row.input[i] + x * kChannels;
    const T* w = row.weights[i];
    for (int64_t t = 0; t < row.taps; ++t) {
#pragma GCC unroll 8
      for (int v = 0; v < kChannels; ++v) {
        const V<T> weight = hn::LoadU(d, w + v * kLanes<T>);
#pragma GCC unroll 8
        for (int b = 0; b < kBlocks; ++b) {
          sums[b][v] =
              hn::MulAdd(hn::LoadU(d, in + (b * kChannels + v) * kLanes<T>), weight, sums[b][v]);
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
      const int64_t at = (b * kChannels + v) * kLanes<T>;
      StoreFirst<T>(sums[b][v], room - at, false, row.out + x * kChannels + at);
    }
  }
}

template <int kChannels, typename T>
void ChannelsOfRow(const RowChannels<T>& row) {
  constexpr int kBlocks = kHasManyRegisters && kChannels <= 5 ? 4 / (kChannels / 4 + 1) : 1;
  int64_t x = 0;
  for (; x + (kBlocks - 1) * kLanes<T> < row.count; x += kBlocks * kLanes<T>)
    ChannelsAt<kChannels, kBlocks>(row, x);
  for (; x < row.count; x += kLanes<T>) ChannelsAt<kChannels, 1>(row, x);
}

template <typename T>
void Channels(const RowChannels<T>& row) {
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

void FeaturesF32(const RowFeatures<float>& row) { Features(row); }
void FeaturesF64(const RowFeatures<double>& row) { Features(row); }
void ChannelsF32(const RowChannels<float>& row) { Channels(row); }
void ChannelsF64(const RowChannels<double>& row) { Channels(row); }

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(FeaturesF32);
HWY_EXPORT(FeaturesF64);
HWY_EXPORT(ChannelsF32);
HWY_EXPORT(ChannelsF64);

template <>
void RunRowFeatures<float>(const RowFeatures<float>& row) {
  HWY_DYNAMIC_DISPATCH(FeaturesF32)(row);
}
template <>
void RunRowFeatures<double>(const RowFeatures<double>& row) {
  HWY_DYNAMIC_DISPATCH(FeaturesF64)(row);
}
template <>
void RunRowChannels<float>(const RowChannels<float>& row) {
  HWY_DYNAMIC_DISPATCH(ChannelsF32)(row);
}
template <>
void RunRowChannels<double>(const RowChannels<double>& row) {
  HWY_DYNAMIC_DISPATCH(ChannelsF64)(row);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
