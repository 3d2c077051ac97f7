// SPDX-License-Identifier: Apache-2.0
// Mixed-radix and chirp transforms.
#include "xla/kernels/fft/fft.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/kernels/simd_targets.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/fft/fft.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef XLA_KERNELS_FFT_CC_
#define XLA_KERNELS_FFT_CC_
namespace xla::kernels {
namespace {

static_assert(sizeof(FftComplex) == sizeof(complex128));

constexpr int kMaxRadix = 31;

FftComplex operator*(FftComplex a, FftComplex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// A range of one loop of a stage.
struct Range {
  int64_t begin, end;
};

// A stage: with m = length / radix, the sub-transforms of x[q + s * (p + m * k)] over k, times
// roots, go to y[q + s * (radix * p + j)], for p in [0, m) and q in [0, s).
struct Stage {
  int radix;
  int64_t m, s;
  const FftComplex* x;
  FftComplex* y;
  const FftComplex* roots;  // of the whole transform: root s * p * j
  int64_t n;
};

}  // namespace
}  // namespace xla::kernels
#endif  // XLA_KERNELS_FFT_CC_

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes of complex numbers, with the arithmetic of single ones, so that the bits are the same.
// Single numbers are also lanes: for plain complex products GCC 12 emits fused multiply-adds if the
// instruction set has them, in spite of -ffp-contract=off.
template <class D>
struct ComplexLanes {
  using V = hn::Vec<D>;
  V re, im;

  // Implicit constructors would lack the instruction set that GCC requires of them.
  HWY_INLINE ComplexLanes() {}
  HWY_INLINE ComplexLanes(V re, V im) : re(re), im(im) {}
  static ComplexLanes Load(D d, const FftComplex* from) {
    ComplexLanes z;
    hn::LoadInterleaved2(d, &from->re, z.re, z.im);
    return z;
  }
  static ComplexLanes Set(D d, FftComplex z) { return {hn::Set(d, z.re), hn::Set(d, z.im)}; }
  void Store(D d, FftComplex* to) const { hn::StoreInterleaved2(re, im, d, &to->re); }

  ComplexLanes operator+(const ComplexLanes& b) const {
    return {hn::Add(re, b.re), hn::Add(im, b.im)};
  }
  ComplexLanes operator-(const ComplexLanes& b) const {
    return {hn::Sub(re, b.re), hn::Sub(im, b.im)};
  }
  ComplexLanes operator*(const ComplexLanes& b) const {
    return {hn::Sub(hn::Mul(re, b.re), hn::Mul(im, b.im)),
            hn::Add(hn::Mul(re, b.im), hn::Mul(im, b.re))};
  }
};
template <class D>
ComplexLanes<D> TimesMinusI(const ComplexLanes<D>& a) {
  return {a.im, hn::Neg(a.re)};
}

// Computes the transforms at one p and as many q as there are lanes.
template <class Z, class D>
HWY_INLINE void Radix2At(D d, const Stage& g, int64_t p, int64_t q) {
  const Z w = Z::Set(d, g.roots[g.s * p]);
  const Z a = Z::Load(d, g.x + g.s * p + q), b = Z::Load(d, g.x + g.s * (p + g.m) + q);
  FftComplex* out = g.y + g.s * 2 * p + q;
  (a + b).Store(d, out);
  ((a - b) * w).Store(d, out + g.s);
}

template <class Z, class D>
HWY_INLINE void Radix4At(D d, const Stage& g, int64_t p, int64_t q) {
  const int64_t s = g.s, sm = g.s * g.m;
  const FftComplex* in = g.x + s * p + q;
  FftComplex* out = g.y + s * 4 * p + q;
  const Z w1 = Z::Set(d, g.roots[s * p]), w2 = Z::Set(d, g.roots[2 * s * p]),
          w3 = Z::Set(d, g.roots[3 * s * p]);
  const Z a = Z::Load(d, in), b = Z::Load(d, in + sm), c = Z::Load(d, in + 2 * sm),
          e = Z::Load(d, in + 3 * sm);
  const Z ac = a + c, amc = a - c, be = b + e, ibme = TimesMinusI(b - e);
  (ac + be).Store(d, out);
  ((amc + ibme) * w1).Store(d, out + s);
  ((ac - be) * w2).Store(d, out + 2 * s);
  ((amc - ibme) * w3).Store(d, out + 3 * s);
}

// `factors` are exp(-2 pi i j k / radix) at [j * radix + k].
template <class Z, class D>
HWY_INLINE void AnyRadixAt(D d, const Stage& g, const FftComplex* factors, int64_t p, int64_t q) {
  const int64_t s = g.s;
  const FftComplex* const in = g.x + q + s * p;
  for (int j = 0; j < g.radix; ++j) {
    Z sum = Z::Load(d, in);
    for (int k = 1; k < g.radix; ++k)
      sum = sum + Z::Load(d, in + s * g.m * k) * Z::Set(d, factors[j * g.radix + k]);
    (sum * Z::Set(d, g.roots[s * p * j])).Store(d, g.y + q + s * (g.radix * p + j));
  }
}

template <class Z, class D>
HWY_INLINE void RadixAt(D d, const Stage& g, const FftComplex* factors, int64_t p, int64_t q) {
  if (g.radix == 4) {
    Radix4At<Z>(d, g, p, q);
  } else if (g.radix == 2) {
    Radix2At<Z>(d, g, p, q);
  } else {
    AnyRadixAt<Z>(d, g, factors, p, q);
  }
}

// Runs the ranges of p and q of a stage. Neighbors along q are lanes.
void RunStage(const Stage& g, Range ps, Range qs) {
  FftComplex factors[kMaxRadix * kMaxRadix];
  if (g.radix != 4 && g.radix != 2) {
    for (int64_t j = 0; j < g.radix; ++j) {
      for (int64_t k = 0; k < g.radix; ++k)
        factors[j * g.radix + k] = g.roots[g.n / g.radix * (j * k % g.radix)];
    }
  }
  const hn::ScalableTag<double> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const hn::CappedTag<double, 4> few;
  constexpr int64_t kFew = hn::MaxLanes(few);
  const hn::CappedTag<double, 1> one;
  for (int64_t p = ps.begin; p < ps.end; ++p) {
    int64_t q = qs.begin;
    for (; q + kLanes <= qs.end; q += kLanes)
      RadixAt<ComplexLanes<decltype(d)>>(d, g, factors, p, q);
    for (; q + kFew <= qs.end; q += kFew)
      RadixAt<ComplexLanes<decltype(few)>>(few, g, factors, p, q);
    for (; q < qs.end; ++q) RadixAt<ComplexLanes<decltype(one)>>(one, g, factors, p, q);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(RunStage);

constexpr double kNanosecondsPerRoot = 60;

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

// Calls f(i) for i in [0, count); a call takes about `nanoseconds`.
template <typename F>
absl::Status ForEach(Context& context, int64_t count, double nanoseconds, F&& f) {
  return context.ParallelFor(count, ChunkFor(count, nanoseconds), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<const FftPlan>> FftPlan::Make(Context& context, int64_t n) {
  std::unique_ptr<FftPlan> plan(new FftPlan(n));
  XLA_RETURN_IF_ERROR(plan->Prepare(context));
  return plan;
}

absl::Status FftPlan::Prepare(Context& context) {
  int64_t rest = n_;
  for (int radix : {4, 2}) {
    for (; rest % radix == 0; rest /= radix) radices_.push_back(radix);
  }
  for (int radix = 3; radix <= kMaxRadix; radix += 2) {
    for (; rest % radix == 0; rest /= radix) radices_.push_back(radix);
  }
  if (rest != 1) return PrepareChirp(context);
  XLA_ASSIGN_OR_RETURN(roots_, AllocateArray<FftComplex>(context, n_));
  return ForEach(context, n_, kNanosecondsPerRoot, [&](int64_t k) { roots_[k] = Root(k, n_); });
}

absl::Status FftPlan::PrepareChirp(Context& context) {
  const int64_t n = n_;
  radices_.clear();
  XLA_ASSIGN_OR_RETURN(chirp_, AllocateArray<FftComplex>(context, n));
  XLA_RETURN_IF_ERROR(ForEach(context, n, kNanosecondsPerRoot, [&](int64_t k) {
    const auto square = static_cast<unsigned __int128>(k) * static_cast<uint64_t>(k);
    chirp_[k] = Root(static_cast<int64_t>(square % static_cast<uint64_t>(2 * n)), 2 * n);
  }));
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  XLA_ASSIGN_OR_RETURN(convolution_, Make(context, size));
  XLA_ASSIGN_OR_RETURN(spectrum_, AllocateArray<FftComplex>(context, size));
  XLA_RETURN_IF_ERROR(ForEach(context, size, 2, [&](int64_t k) {
    const int64_t distance = std::min(k, size - k);
    spectrum_[k] =
        distance >= n ? FftComplex{0, 0} : FftComplex{chirp_[distance].re, -chirp_[distance].im};
  }));
  XLA_ASSIGN_OR_RETURN(const ScratchArray<FftComplex> work,
                       AllocateArray<FftComplex>(context, convolution_->work_size()));
  return convolution_->Transform(context, /*inverse=*/false, spectrum_.data(), work.data());
}

int64_t FftPlan::work_size() const {
  return convolution_ == nullptr ? n_ : convolution_->length() + convolution_->work_size();
}

absl::Status FftPlan::ForwardMixedRadix(Context& context, FftComplex* data,
                                        FftComplex* work) const {
  const auto run_stage = [](const Stage& stage, Range ps, Range qs) {
    HWY_DYNAMIC_DISPATCH(RunStage)(stage, ps, qs);
  };
  FftComplex *from = data, *to = work;
  int64_t length = n_, s = 1;
  for (const int radix : radices_) {
    const Stage stage = {radix, length / radix, s, from, to, roots_.data(), n_};
    const int64_t m = stage.m;
    const double cost = radix <= 4 ? 1.5 * radix : 1.5 * radix * radix;
    const bool along_p = m >= s;  // the longer of the two loops is divided
    const int64_t count = along_p ? m : s;
    const double other = static_cast<double>(along_p ? s : m);
    XLA_RETURN_IF_ERROR(
        context.ParallelFor(count, ChunkFor(count, cost * other), [&](int64_t begin, int64_t end) {
          along_p ? run_stage(stage, {begin, end}, {0, s}) : run_stage(stage, {0, m}, {begin, end});
          return absl::OkStatus();
        }));
    std::swap(from, to);
    length /= radix;
    s *= radix;
  }
  if (from == data) return absl::OkStatus();
  return ForEach(context, n_, 0.5, [&](int64_t k) { data[k] = from[k]; });
}

// j k = (j^2 + k^2 - (j - k)^2) / 2: the transform is a convolution with the conjugate chirp,
// between two products with the chirp.
absl::Status FftPlan::ForwardChirp(Context& context, FftComplex* data, FftComplex* work) const {
  const int64_t size = convolution_->length();
  FftComplex *padded = work, *rest = work + size;
  XLA_RETURN_IF_ERROR(ForEach(context, size, 1, [&](int64_t k) {
    padded[k] = k < n_ ? data[k] * chirp_[k] : FftComplex{0, 0};
  }));
  XLA_RETURN_IF_ERROR(convolution_->Transform(context, /*inverse=*/false, padded, rest));
  XLA_RETURN_IF_ERROR(
      ForEach(context, size, 1, [&](int64_t k) { padded[k] = padded[k] * spectrum_[k]; }));
  XLA_RETURN_IF_ERROR(convolution_->Transform(context, /*inverse=*/true, padded, rest));
  return ForEach(context, n_, 1, [&](int64_t k) { data[k] = padded[k] * chirp_[k]; });
}

absl::Status FftPlan::Forward(Context& context, FftComplex* data, FftComplex* work) const {
  return convolution_ != nullptr ? ForwardChirp(context, data, work)
                                 : ForwardMixedRadix(context, data, work);
}

// The inverse is the transform with real and imaginary parts swapped on both sides.
absl::Status FftPlan::Transform(Context& context, bool inverse, FftComplex* data,
                                FftComplex* work) const {
  if (!inverse) return Forward(context, data, work);
  XLA_RETURN_IF_ERROR(ForEach(context, n_, 1, [&](int64_t k) {
    data[k] = {data[k].im, data[k].re};
  }));
  XLA_RETURN_IF_ERROR(Forward(context, data, work));
  const double size = static_cast<double>(n_);
  return ForEach(context, n_, 2, [&](int64_t k) {
    data[k] = {data[k].im / size, data[k].re / size};
  });
}

namespace {

// Transforms line `line` of the axis in data[0..length).
absl::Status TransformLine(Context& context, const FftAxis& axis, const FftPlan& plan, int64_t line,
                           FftComplex* data, FftComplex* work) {
  const int64_t outer = line / axis.inner, inner = line % axis.inner;
  const int64_t given = std::min(axis.length, axis.from_length);
  const int64_t from_bytes = primitive_util::ByteWidth(axis.from_type);
  const int64_t to_bytes = primitive_util::ByteWidth(axis.to_type);
  GetWideLoad<complex128>(axis.from_type)(
      static_cast<const char*>(axis.from) +
          (outer * axis.from_length * axis.inner + inner) * from_bytes,
      axis.inner, given, reinterpret_cast<complex128*>(data));
  for (int64_t k = given; k < axis.length; ++k) {
    data[k] = axis.symmetric ? FftComplex{data[axis.length - k].re, -data[axis.length - k].im}
                             : FftComplex{0, 0};
  }
  XLA_RETURN_IF_ERROR(plan.Transform(context, axis.inverse, data, work));
  const int64_t kept = std::min(axis.length, axis.to_length);
  const auto store = GetWideStore<complex128>(axis.to_type);
  char* const to =
      static_cast<char*>(axis.to) + (outer * axis.to_length * axis.inner + inner) * to_bytes;
  store(reinterpret_cast<const complex128*>(data), kept, to, axis.inner);
  const complex128 zero = 0;
  for (int64_t k = kept; k < axis.to_length; ++k)
    store(&zero, 1, to + k * axis.inner * to_bytes, axis.inner);
  return absl::OkStatus();
}

}  // namespace

absl::Status TransformAxis(Context& context, const FftAxis& axis) {
  const int64_t lines = axis.outer * axis.inner;
  if (lines == 0) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<const FftPlan> plan,
                       FftPlan::Make(context, axis.length));
  const int64_t memory = axis.length + plan->work_size();
  // Few long lines: threads share each line.
  constexpr int64_t kLongLine = 1 << 16, kManyLines = 64;
  if (axis.length >= kLongLine && lines < kManyLines) {
    XLA_ASSIGN_OR_RETURN(const ScratchArray<FftComplex> data,
                         AllocateArray<FftComplex>(context, memory));
    for (int64_t line = 0; line < lines; ++line) {
      XLA_RETURN_IF_ERROR(
          TransformLine(context, axis, *plan, line, data.data(), data.data() + axis.length));
    }
    return absl::OkStatus();
  }
  const double cost = 200 + 60.0 * static_cast<double>(axis.length);
  return context.ParallelFor(
      lines, ChunkFor(lines, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        SerialContext serial(context);
        XLA_ASSIGN_OR_RETURN(const ScratchArray<FftComplex> data,
                             AllocateArray<FftComplex>(context, memory));
        for (int64_t line = begin; line < end; ++line) {
          XLA_RETURN_IF_ERROR(
              TransformLine(serial, axis, *plan, line, data.data(), data.data() + axis.length));
        }
        return absl::OkStatus();
      });
}

absl::Status TransformAxes(Context& context, const FftArray& array) {
  const size_t rank = array.from_dimensions.size(), axes = array.lengths.size();
  std::vector<int64_t> sizes(array.from_dimensions.begin(), array.from_dimensions.end());
  PrimitiveType type = array.from_type;
  const void* data = array.from;
  std::shared_ptr<void> scratch[2];  // between axes
  for (size_t i = 0; i < axes; ++i) {
    // The real axis is first in a transform from real numbers and last in one to them.
    const size_t which = array.real_result ? i : axes - 1 - i;
    const size_t dimension = rank - axes + which;
    const bool is_last = i + 1 == axes;
    FftAxis axis;
    axis.from_type = type;
    axis.from = data;
    axis.length = array.lengths[which];
    axis.inverse = array.inverse;
    axis.symmetric = array.real_result && is_last;
    axis.outer = axis.inner = 1;
    for (size_t d = 0; d < dimension; ++d) axis.outer *= sizes[d];
    for (size_t d = dimension + 1; d < rank; ++d) axis.inner *= sizes[d];
    axis.from_length = sizes[dimension];
    axis.to_length = sizes[dimension] = array.to_dimensions[dimension];
    axis.to_type = is_last ? array.to_type : C128;
    axis.to = array.to;
    if (!is_last) {
      constexpr int64_t kElementBytes = 16;
      XLA_ASSIGN_OR_RETURN(scratch[i % 2], context.Allocate(axis.outer * axis.to_length *
                                                            axis.inner * kElementBytes));
      axis.to = scratch[i % 2].get();
    }
    XLA_RETURN_IF_ERROR(TransformAxis(context, axis));
    data = axis.to;
    type = axis.to_type;
  }
  return absl::OkStatus();
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
