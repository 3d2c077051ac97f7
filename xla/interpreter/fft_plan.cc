// SPDX-License-Identifier: Apache-2.0
// Mixed-radix and chirp transforms.
#include "xla/interpreter/fft_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace xla::interpreter {
namespace {

constexpr int kMaxRadix = 31;

FftComplex operator+(FftComplex a, FftComplex b) { return {a.re + b.re, a.im + b.im}; }
FftComplex operator-(FftComplex a, FftComplex b) { return {a.re - b.re, a.im - b.im}; }
FftComplex operator*(FftComplex a, FftComplex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// a * -i
FftComplex TimesMinusI(FftComplex a) { return {a.im, -a.re}; }

// Cosine and sine of x in [0, pi / 4] by their series: the same bits with any C library.
FftComplex CosSin(double x) {
  const double s = x * x;
  double cosine = 1, sine = 1;
  for (int i = 20; i >= 2; i -= 2) {
    cosine = 1 - s / (i * (i - 1)) * cosine;
    sine = 1 - s / ((i + 1) * i) * sine;
  }
  return {cosine, x * sine};
}

// exp(-2 pi i k / n) for 0 <= k < n, from the angle within its octant.
FftComplex Root(int64_t k, int64_t n) {
  constexpr double kPi = 3.14159265358979323846;
  // 8 k / n = octant + rest / n
  const unsigned __int128 scaled = static_cast<unsigned __int128>(k) * 8;
  const int octant = static_cast<int>(scaled / static_cast<uint64_t>(n));
  const double rest = static_cast<double>(static_cast<int64_t>(scaled % static_cast<uint64_t>(n)));
  const double size = static_cast<double>(n);
  const bool mirrored = (octant & 1) != 0;
  const double fraction = (mirrored ? size - rest : rest) / size;
  FftComplex root = CosSin(fraction * (kPi / 4));
  if (mirrored) std::swap(root.re, root.im);
  switch (octant / 2) {
    case 0:
      return {root.re, -root.im};
    case 1:
      return {-root.im, -root.re};
    case 2:
      return {-root.re, root.im};
    default:
      return {root.im, root.re};
  }
}

// One stage: with m = length / radix, the sub-transforms of x[q + s * (p + m * k)] over k, times
// roots, go to y[q + s * (radix * p + j)].
struct Stage {
  int64_t m, s;
  const FftComplex* x;
  FftComplex* y;
  const FftComplex* roots;  // of the whole transform: root s * p * j
  int64_t n;

  void Radix2() const {
    for (int64_t p = 0; p < m; ++p) {
      const FftComplex w = roots[s * p];
      const FftComplex *a = x + s * p, *b = x + s * (p + m);
      FftComplex* out = y + s * 2 * p;
      for (int64_t q = 0; q < s; ++q) {
        out[q] = a[q] + b[q];
        out[q + s] = (a[q] - b[q]) * w;
      }
    }
  }

  void Radix4() const {
    for (int64_t p = 0; p < m; ++p) {
      const FftComplex w1 = roots[s * p], w2 = roots[2 * s * p], w3 = roots[3 * s * p];
      const FftComplex* in = x + s * p;
      FftComplex* out = y + s * 4 * p;
      for (int64_t q = 0; q < s; ++q) {
        const FftComplex a = in[q], b = in[q + s * m], c = in[q + 2 * s * m], d = in[q + 3 * s * m];
        const FftComplex ac = a + c, amc = a - c, bd = b + d, ibmd = TimesMinusI(b - d);
        out[q] = ac + bd;
        out[q + s] = (amc + ibmd) * w1;
        out[q + 2 * s] = (ac - bd) * w2;
        out[q + 3 * s] = (amc - ibmd) * w3;
      }
    }
  }

  void AnyRadix(int radix) const {
    const int64_t step = n / radix;
    FftComplex in[kMaxRadix];
    for (int64_t p = 0; p < m; ++p) {
      for (int64_t q = 0; q < s; ++q) {
        for (int k = 0; k < radix; ++k) in[k] = x[q + s * (p + m * k)];
        for (int j = 0; j < radix; ++j) {
          FftComplex sum = in[0];
          for (int k = 1; k < radix; ++k)
            sum = sum + in[k] * roots[step * ((int64_t{j} * k) % radix)];
          y[q + s * (radix * p + j)] = sum * roots[s * p * j];
        }
      }
    }
  }
};

}  // namespace

FftPlan::FftPlan(int64_t n) : n_(n) {
  int64_t rest = n;
  for (int radix : {4, 2}) {
    for (; rest % radix == 0; rest /= radix) radices_.push_back(radix);
  }
  for (int radix = 3; radix <= kMaxRadix; radix += 2) {
    for (; rest % radix == 0; rest /= radix) radices_.push_back(radix);
  }
  if (rest == 1) {
    roots_.resize(n);
    for (int64_t k = 0; k < n; ++k) roots_[k] = Root(k, n);
    return;
  }
  radices_.clear();
  chirp_.resize(n);
  int64_t square = 0;  // k^2 mod 2n
  for (int64_t k = 0; k < n; ++k) {
    chirp_[k] = Root(square, 2 * n);
    square = (square + 2 * k + 1) % (2 * n);
  }
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  convolution_ = std::make_unique<FftPlan>(size);
  spectrum_.assign(size, FftComplex());
  for (int64_t k = 0; k < n; ++k) {
    const FftComplex conjugate = {chirp_[k].re, -chirp_[k].im};
    spectrum_[k] = conjugate;
    if (k > 0) spectrum_[size - k] = conjugate;
  }
  std::vector<FftComplex> work;
  convolution_->Transform(/*inverse=*/false, spectrum_.data(), work);
}

void FftPlan::ForwardMixedRadix(FftComplex* data, FftComplex* work) const {
  FftComplex *from = data, *to = work;
  int64_t length = n_, s = 1;
  for (const int radix : radices_) {
    const Stage stage = {length / radix, s, from, to, roots_.data(), n_};
    if (radix == 4) {
      stage.Radix4();
    } else if (radix == 2) {
      stage.Radix2();
    } else {
      stage.AnyRadix(radix);
    }
    std::swap(from, to);
    length /= radix;
    s *= radix;
  }
  if (from != data) std::copy(from, from + n_, data);
}

// j k = (j^2 + k^2 - (j - k)^2) / 2: the transform is a convolution with the conjugate chirp,
// between two products with the chirp.
void FftPlan::ForwardChirp(FftComplex* data, std::vector<FftComplex>& work) const {
  const int64_t size = convolution_->length();
  std::vector<FftComplex> padded(size);
  for (int64_t k = 0; k < n_; ++k) padded[k] = data[k] * chirp_[k];
  convolution_->Transform(/*inverse=*/false, padded.data(), work);
  for (int64_t k = 0; k < size; ++k) padded[k] = padded[k] * spectrum_[k];
  convolution_->Transform(/*inverse=*/true, padded.data(), work);
  for (int64_t k = 0; k < n_; ++k) data[k] = padded[k] * chirp_[k];
}

void FftPlan::Forward(FftComplex* data, std::vector<FftComplex>& work) const {
  if (convolution_ != nullptr) return ForwardChirp(data, work);
  if (static_cast<int64_t>(work.size()) < n_) work.resize(n_);
  ForwardMixedRadix(data, work.data());
}

// The inverse is the transform with real and imaginary parts swapped on both sides.
void FftPlan::Transform(bool inverse, FftComplex* data, std::vector<FftComplex>& work) const {
  if (!inverse) return Forward(data, work);
  for (int64_t k = 0; k < n_; ++k) data[k] = {data[k].im, data[k].re};
  Forward(data, work);
  const double size = static_cast<double>(n_);
  for (int64_t k = 0; k < n_; ++k) data[k] = {data[k].im / size, data[k].re / size};
}

}  // namespace xla::interpreter
