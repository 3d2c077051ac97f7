// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of several lines at once, with a line in each lane.
#ifndef XLA_KERNELS_FFT_FFT_LANES_H_
#define XLA_KERNELS_FFT_FFT_LANES_H_

#include <cstdint>

namespace xla::kernels {

// The number of lines that are transformed together. T: float or double.
template <typename T>
inline constexpr int64_t kFftLanes = 64 / static_cast<int64_t>(sizeof(T));

inline constexpr int kMaxLaneRadix = 61;

template <typename T>
struct PrimeFft;

// A transform of length n, the product of the radices: 2, 4, 8, odd numbers up to kMaxLaneRadix or
// larger primes. Neighbors in the list are computed together where their product is small.
template <typename T>
struct LaneFft {
  int64_t n;
  const int* radices;
  int64_t radix_count;
  // exp(-2 pi i k / n) for k in [0, n): pairs (re, im).
  const T* roots;
  bool inverse;                         // exp(2 pi i k / n) instead
  T scale;                              // of all results
  const PrimeFft<T>* primes = nullptr;  // has all radices above kMaxLaneRadix
};

// A transform of prime length is a cyclic convolution: with a generator g of the numbers modulo the
// prime, result g^-q is x[0] plus the sum over r of x[g^r] times root g^(r-q). (Rader, Discrete
// Fourier transforms when the number of data samples is prime, 1968.)
template <typename T>
struct PrimeFft {
  int64_t prime;
  LaneFft<T> convolution;  // forward; prime - 1 rows, or padded with zeros
  const int32_t* order;    // g^r for r in [0, prime - 1)
  const T* spectrum;       // of the roots g^-q, divided by the length: pairs
};

// Element k of each lane, interleaved complex numbers: pairs[k * stride + 2 * lane], then the
// imaginary part. In elements of T.
template <typename T>
struct LanePairs {
  T* pairs = nullptr;
  int64_t stride = 0;
};

// Transforms n rows, each of the real parts of kFftLanes<T> lines and then their imaginary parts
// (aligned to 64 bytes), in Stockham's order. `work` is as large as `data`, and has two rows more
// for each row of the longest convolution of a prime; returns which of the two has the result. If
// `from` is set, its elements are transformed instead of those of `data`; if `to` is set, it
// receives the result, and what is returned is undefined.
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

// An odd number n of real numbers of two lines, one in the real parts and one in the imaginary
// parts. Rows [0, n) are the transform; afterwards rows [0, n / 2] are the first half of that of
// the real parts, and those of `others` of that of the imaginary parts.
template <typename T>
void SplitRealLanes(int64_t n, T* rows, T* others);
// The inverse.
template <typename T>
void JoinRealLanes(int64_t n, T* rows, const T* others);

// Rows of pairs, element k at pairs[k * stride], are multiplied by the pairs at factors[k *
// factor_stride], or by their conjugates: to rows of lanes, and from rows of lanes to pairs.
template <typename T>
struct PairFactors {
  const T* factors;
  int64_t stride;
  bool conjugate;
};
template <typename T>
void LoadTurnedLanes(int64_t count, const LanePairs<const T>& from, const PairFactors<T>& factors,
                     T* rows);
template <typename T>
void StoreTurnedLanes(int64_t count, const T* rows, const PairFactors<T>& factors,
                      const LanePairs<T>& to);
// Rows are multiplied by rows of factors, row k of which is multiplied by the pair at pairs[2 * k]
// before (if `pairs` is set); by the conjugates of the products if `conjugate`.
template <typename T>
void TurnLanes(int64_t count, const T* factors, const T* pairs, bool conjugate, T* rows);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_FFT_LANES_H_
