// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of several lines at once, a line a lane.
#ifndef XLA_KERNELS_FFT_LANES_H_
#define XLA_KERNELS_FFT_LANES_H_

#include <cstdint>

namespace xla::kernels {

// Lines that are transformed together. T: float or double.
template <typename T>
inline constexpr int64_t kFftLanes = 64 / static_cast<int64_t>(sizeof(T));

inline constexpr int kMaxLaneRadix = 31;

// A transform of length n, the product of the radices: 2, 4, 8 or odd numbers up to kMaxLaneRadix.
template <typename T>
struct LaneFft {
  int64_t n;
  const int* radices;
  int64_t radix_count;
  // exp(-2 pi i k / n) for k in [0, n): pairs (re, im).
  const T* roots;
};

// Transforms n rows, each of the real parts of kFftLanes<T> lines and then their imaginary parts
// (aligned to 64 bytes), in Stockham's order. `work` is as large as `data`; returns which of the
// two has the result.
template <typename T>
T* RunLaneFft(const LaneFft<T>& fft, T* data, T* work);

// A row of interleaved complex numbers, as in memory, apart and together again; imaginary parts
// times `sign`, which is 1 or -1, and in Join all parts times `scale`.
template <typename T>
void SplitComplexRow(const T* pairs, T sign, T* row);
template <typename T>
void JoinComplexRow(const T* row, T sign, T scale, T* pairs);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_LANES_H_
