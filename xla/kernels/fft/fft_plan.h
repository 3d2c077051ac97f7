// SPDX-License-Identifier: Apache-2.0
// Tables of prepared Fourier transforms: factors of lengths and roots of unity.
#ifndef XLA_KERNELS_FFT_FFT_PLAN_H_
#define XLA_KERNELS_FFT_FFT_PLAN_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "xla/kernels/fft/fft_lanes.h"

namespace xla::kernels {

// Returns exp(-2 pi i k / n) for 0 <= k < n, from the angle within an eighth of the circle.
std::complex<double> RootOf(int64_t n, int64_t k);

// Returns the roots of k < count, as pairs.
template <typename T>
std::vector<T> RootsOf(int64_t n, int64_t count);

// Transforms x in double precision. Meant for lengths with small prime factors.
std::vector<std::complex<double>> TransformOf(const std::vector<std::complex<double>>& x);

// Returns the least costly length of at least `least` whose prime factors are at most 7; a multiple
// of `unit`, whose prime factors must be at most 7 as well.
int64_t SmoothLength(int64_t least, int64_t unit);

// Estimated cycles of a transform of n rows of lanes (LanePlan).
double LaneTransformCost(int64_t n);

// The tables of transforms of lanes of one length, which may have prime factors of any size.
template <typename T>
class LanePlan {
 public:
  explicit LanePlan(int64_t n);

  int64_t length() const { return n_; }
  // The rows of `work` of RunLaneFft.
  int64_t work_rows() const { return n_ + prime_rows_; }
  // Whether a prime factor is above kMaxLaneRadix.
  bool has_large_primes() const { return !primes_.empty(); }
  // Valid as long as the plan.
  LaneFft<T> Lanes(bool inverse, T scale) const {
    return {n_,    radices_.data(), static_cast<int64_t>(radices_.size()), roots_.data(), inverse,
            scale, primes_.data()};
  }

 private:
  // The convolution that computes a transform of prime length.
  struct Convolution {
    std::unique_ptr<const LanePlan> plan;
    std::vector<int32_t> order;
    std::vector<T> spectrum;
  };
  void AddPrime(int64_t prime);

  int64_t n_;
  std::vector<int> radices_;
  std::vector<T> roots_;
  std::vector<Convolution> convolutions_;
  std::vector<PrimeFft<T>> primes_;
  int64_t prime_rows_ = 0;
};

extern template class LanePlan<float>;
extern template class LanePlan<double>;

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_FFT_PLAN_H_
