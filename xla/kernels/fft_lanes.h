// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of several lines at once, a line a lane.
#ifndef XLA_KERNELS_FFT_LANES_H_
#define XLA_KERNELS_FFT_LANES_H_

#include <cstdint>

namespace xla::kernels {

// Lines that are transformed together. T: float or double.
template <typename T>
inline constexpr int64_t kFftLanes = 64 / static_cast<int64_t>(sizeof(T));

inline constexpr int kMaxLaneRadix = 61;

// A transform of length n, the product of the radices: 2, 4, 8 or odd numbers up to kMaxLaneRadix.
// Neighbours in the list are computed together where their product is small.
template <typename T>
struct LaneFft {
  int64_t n;
  const int* radices;
  int64_t radix_count;
  // exp(-2 pi i k / n) for k in [0, n): pairs (re, im).
  const T* roots;
  bool inverse;  // exp(2 pi i k / n) instead
  T scale;       // of all results
};

// Element k of each lane, interleaved complex numbers: pairs[k * stride + 2 * lane], then the
// imaginary part. In elements of T.
template <typename T>
struct LanePairs {
  T* pairs = nullptr;
  int64_t stride = 0;
};

// Transforms n rows, each of the real parts of kFftLanes<T> lines and then their imaginary parts
// (aligned to 64 bytes), in Stockham's order. `work` is as large as `data`; returns which of the
// two has the result. If `from` is set, its elements are transformed instead of those of `data`; if
// `to` is set, it receives the result, and what is returned is undefined.
template <typename T>
T* RunLaneFft(const LaneFft<T>& fft, T* data, T* work, const LanePairs<const T>& from,
              const LanePairs<T>& to);

// A transform of 2 m real numbers is one of m complex numbers, z[k] = x[2 k] + i x[2 k + 1], and a
// pass over its rows. Rows [0, m) are the transform of z; afterwards [0, m] are the first half of
// that of x. roots[k] = exp(-pi i k / m) for k in [0, m].
template <typename T>
void FinishRealLanes(int64_t m, const T* roots, T* rows);
// The inverse: rows [0, m] are the first half of a spectrum of conjugate symmetry; afterwards rows
// [0, m) are that of z, times two.
template <typename T>
void StartRealLanes(int64_t m, const T* roots, T* rows);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_LANES_H_
