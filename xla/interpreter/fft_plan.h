// SPDX-License-Identifier: Apache-2.0
// FftPlan: discrete Fourier transforms of one length, in double precision.
#ifndef XLA_INTERPRETER_FFT_PLAN_H_
#define XLA_INTERPRETER_FFT_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace xla::interpreter {

// A complex number whose arithmetic is just that: no special cases of infinities as in
// std::complex. Same layout.
struct FftComplex {
  double re = 0, im = 0;
};

// X[j] = sum over k of x[k] * exp(-2 pi i j k / n); the inverse has the other sign and divides by
// n. Lengths whose prime factors are small are transformed by mixed radices (Stockham's order, no
// permutation); others by convolution with a chirp (Bluestein). Error some units in the last place
// times the logarithm of n, for any n.
class FftPlan {
 public:
  // n >= 1. Takes memory for some multiple of n complex numbers.
  explicit FftPlan(int64_t n);

  int64_t length() const { return n_; }
  // Transforms data[0..n) in place. `work` is grown as needed and can be used again. Safe from
  // several threads, each with its own data and work.
  void Transform(bool inverse, FftComplex* data, std::vector<FftComplex>& work) const;

 private:
  void Forward(FftComplex* data, std::vector<FftComplex>& work) const;
  void ForwardMixedRadix(FftComplex* data, FftComplex* work) const;
  void ForwardChirp(FftComplex* data, std::vector<FftComplex>& work) const;

  const int64_t n_;
  std::vector<int> radices_;          // product n; empty if the chirp is used
  std::vector<FftComplex> roots_;     // exp(-2 pi i k / n)
  std::vector<FftComplex> chirp_;     // exp(-pi i k^2 / n)
  std::vector<FftComplex> spectrum_;  // of the conjugate chirp, over the length of the convolution
  std::unique_ptr<FftPlan> convolution_;
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_FFT_PLAN_H_
