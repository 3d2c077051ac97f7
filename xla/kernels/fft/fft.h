// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of any length, in double precision.
//
// Lengths whose prime factors are at most 31 are transformed by mixed radices in Stockham's order
// (Van Loan, Computational frameworks for the fast Fourier transform, 1992), others by convolution
// with a chirp (Bluestein, 1970). The error is some units in the last place times the logarithm of
// the length.
#ifndef XLA_KERNELS_FFT_FFT_H_
#define XLA_KERNELS_FFT_FFT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// A complex number without std::complex's special cases for infinities. Same layout.
struct FftComplex {
  double re, im;
};

// Transforms of one length: X[j] = sum over k of x[k] * exp(-2 pi i j k / n); the inverse has the
// other sign and divides by n.
class FftPlan {
 public:
  // n >= 1. The plan takes 16 bytes times n of memory; 16 times up to 9 n if n has a large prime
  // factor. The context must outlive the plan.
  static absl::StatusOr<std::unique_ptr<const FftPlan>> Make(Context& context, int64_t n);

  int64_t length() const { return n_; }
  // Returns the size of Transform's working memory.
  int64_t work_size() const;
  // Transforms data[0..n) in place; `work` is another array of work_size(). May run on several
  // threads at once, each with its own data and work.
  absl::Status Transform(Context& context, bool inverse, FftComplex* data, FftComplex* work) const;

 private:
  explicit FftPlan(int64_t n) : n_(n) {}
  absl::Status Prepare(Context& context);
  absl::Status PrepareChirp(Context& context);
  absl::Status Forward(Context& context, FftComplex* data, FftComplex* work) const;
  absl::Status ForwardMixedRadix(Context& context, FftComplex* data, FftComplex* work) const;
  absl::Status ForwardChirp(Context& context, FftComplex* data, FftComplex* work) const;

  const int64_t n_;
  std::vector<int> radices_;           // product n; empty if the chirp is used
  ScratchArray<FftComplex> roots_;     // exp(-2 pi i k / n)
  ScratchArray<FftComplex> chirp_;     // exp(-pi i k^2 / n)
  ScratchArray<FftComplex> spectrum_;  // of the conjugate chirp, over the length of the convolution
  std::unique_ptr<const FftPlan> convolution_;
};

// Transforms along one axis of a dense array [outer, from_length, inner], whose result is the array
// [outer, to_length, inner]. The types are floating-point or complex; elements are rounded once.
//   - If from_length < length, the others are zeros; with `symmetric`, a line is the first half of
//     one with conjugate symmetry: the others are x[k] = conj(x[length - k]), as IRFFT wants it
//     (from_length > length / 2). If from_length > length, the first elements are transformed.
//   - If to_length < length, the first elements of the result are kept (RFFT); if it is greater,
//     the others are zeros.
//   - To a real type, the real parts are stored.
struct FftAxis {
  PrimitiveType from_type, to_type;
  const void* from;
  void* to;
  int64_t from_length, to_length;
  int64_t outer, inner;
  int64_t length;  // of the transform
  bool inverse;
  bool symmetric = false;
};
absl::Status TransformAxis(Context& context, const FftAxis& axis);

// Transforms the last lengths.size() dimensions of a dense array, in double precision between
// them. No size or length is 0. The real axis, of a transform from or to real numbers, is the last.
struct FftArray {
  PrimitiveType from_type, to_type;
  const void* from;
  void* to;
  absl::Span<const int64_t> from_dimensions, to_dimensions, lengths;
  bool inverse = false;
  bool real_result = false;  // from the first half of lines with conjugate symmetry (IRFFT)
};
absl::Status TransformAxes(Context& context, const FftArray& array);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_FFT_FFT_H_
