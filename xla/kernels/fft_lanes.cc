// SPDX-License-Identifier: Apache-2.0
// Butterflies of lanes for each instruction set.
#include "xla/kernels/fft_lanes.h"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/fft_lanes.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using LaneTag = hn::CappedTag<T, 64 / sizeof(T)>;

template <typename T>
struct Lanes {
  using D = LaneTag<T>;
  using V = hn::Vec<D>;
  V re, im;

  static HWY_INLINE Lanes Load(const T* row) {
    return {hn::Load(D(), row), hn::Load(D(), row + kFftLanes<T>)};
  }
  HWY_INLINE void Store(T* row) const {
    hn::Store(re, D(), row);
    hn::Store(im, D(), row + kFftLanes<T>);
  }
  HWY_INLINE Lanes operator+(const Lanes& b) const {
    return {hn::Add(re, b.re), hn::Add(im, b.im)};
  }
  HWY_INLINE Lanes operator-(const Lanes& b) const {
    return {hn::Sub(re, b.re), hn::Sub(im, b.im)};
  }
  // Times the complex number at w.
  HWY_INLINE Lanes Times(const T* w) const {
    const V wr = hn::Set(D(), w[0]), wi = hn::Set(D(), w[1]);
    return {hn::NegMulAdd(im, wi, hn::Mul(re, wr)), hn::MulAdd(im, wr, hn::Mul(re, wi))};
  }
  HWY_INLINE Lanes TimesMinusI() const { return {im, hn::Neg(re)}; }
  HWY_INLINE Lanes Scaled(T factor) const {
    const V f = hn::Set(D(), factor);
    return {hn::Mul(re, f), hn::Mul(im, f)};
  }
};

template <typename T>
constexpr int64_t kRow = 2 * kFftLanes<T>;

// The sub-transform of one p and q: inputs `step` rows apart, outputs s rows apart. w[j] are the
// roots s * p * j.
template <typename T>
struct Butterfly {
  const T* in;
  int64_t step;
  T* out;
  int64_t s;
  const T* const* w;

  HWY_INLINE Lanes<T> In(int k) const { return Lanes<T>::Load(in + k * step * kRow<T>); }
  HWY_INLINE void Out(int j, const Lanes<T>& value) const {
    T* row = out + j * s * kRow<T>;
    (j == 0 ? value : value.Times(w[j])).Store(row);
  }
};

template <typename T>
HWY_INLINE void Radix2(const Butterfly<T>& b) {
  const Lanes<T> x0 = b.In(0), x1 = b.In(1);
  b.Out(0, x0 + x1);
  b.Out(1, x0 - x1);
}

template <typename T>
HWY_INLINE void FourPoints(Lanes<T>& a, Lanes<T>& b, Lanes<T>& c, Lanes<T>& d) {
  const Lanes<T> ac = a + c, amc = a - c, bd = b + d, ibmd = (b - d).TimesMinusI();
  a = ac + bd;
  b = amc + ibmd;
  c = ac - bd;
  d = amc - ibmd;
}

template <typename T>
HWY_INLINE void Radix4(const Butterfly<T>& b) {
  Lanes<T> x0 = b.In(0), x1 = b.In(1), x2 = b.In(2), x3 = b.In(3);
  FourPoints(x0, x1, x2, x3);
  b.Out(0, x0);
  b.Out(1, x1);
  b.Out(2, x2);
  b.Out(3, x3);
}

// Two transforms of four points, of the even and of the odd inputs, joined.
template <typename T>
HWY_INLINE void Radix8(const Butterfly<T>& b) {
  constexpr T kHalfRoot = static_cast<T>(0.70710678118654752440);
  Lanes<T> e0 = b.In(0), e1 = b.In(2), e2 = b.In(4), e3 = b.In(6);
  FourPoints(e0, e1, e2, e3);
  Lanes<T> o0 = b.In(1), o1 = b.In(3), o2 = b.In(5), o3 = b.In(7);
  FourPoints(o0, o1, o2, o3);
  o1 = (o1 + o1.TimesMinusI()).Scaled(kHalfRoot);
  o2 = o2.TimesMinusI();
  o3 = (o3.TimesMinusI() - o3).Scaled(kHalfRoot);
  b.Out(0, e0 + o0);
  b.Out(1, e1 + o1);
  b.Out(2, e2 + o2);
  b.Out(3, e3 + o3);
  b.Out(4, e0 - o0);
  b.Out(5, e1 - o1);
  b.Out(6, e2 - o2);
  b.Out(7, e3 - o3);
}

// `factors` are exp(-2 pi i k / radix).
template <typename T>
HWY_INLINE void AnyRadix(int radix, const T* factors, const Butterfly<T>& b) {
  Lanes<T> in[kMaxLaneRadix];
  for (int k = 0; k < radix; ++k) in[k] = b.In(k);
  for (int j = 0; j < radix; ++j) {
    Lanes<T> sum = in[0];
    for (int k = 1; k < radix; ++k) sum = sum + in[k].Times(factors + 2 * (j * k % radix));
    b.Out(j, sum);
  }
}

// Vectors narrower than a row take several rounds.
template <typename T>
void LaneStage(const LaneFft<T>& fft, int radix, int64_t m, int64_t s, const T* x, T* y) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>());
  T factors[2 * kMaxLaneRadix];
  for (int k = 0; k < radix; ++k) {
    factors[2 * k] = fft.roots[2 * (fft.n / radix * k)];
    factors[2 * k + 1] = fft.roots[2 * (fft.n / radix * k) + 1];
  }
  const T* w[kMaxLaneRadix];
  for (int64_t p = 0; p < m; ++p) {
    for (int j = 0; j < radix; ++j) w[j] = fft.roots + 2 * (s * p * j);
    for (int64_t q = 0; q < s; ++q) {
      for (int64_t lane = 0; lane < kFftLanes<T>; lane += kStep) {
        const Butterfly<T> b = {x + (q + s * p) * kRow<T> + lane, s * m,
                                y + (q + s * radix * p) * kRow<T> + lane, s, w};
        switch (radix) {
          case 2:
            Radix2(b);
            break;
          case 4:
            Radix4(b);
            break;
          case 8:
            Radix8(b);
            break;
          default:
            AnyRadix(radix, factors, b);
        }
      }
    }
  }
}

template <typename T>
T* LaneTransform(const LaneFft<T>& fft, T* data, T* work) {
  int64_t length = fft.n, s = 1;
  for (int64_t i = 0; i < fft.radix_count; ++i) {
    const int radix = fft.radices[i];
    length /= radix;
    LaneStage(fft, radix, length, s, data, work);
    std::swap(data, work);
    s *= radix;
  }
  return data;
}

template <typename T>
void SplitRow(const T* pairs, T sign, T* row) {
  const LaneTag<T> d;
  constexpr int64_t kStep = hn::MaxLanes(d);
  for (int64_t i = 0; i < kFftLanes<T>; i += kStep) {
    Lanes<T> z;
    hn::LoadInterleaved2(d, pairs + 2 * i, z.re, z.im);
    z.im = hn::Mul(z.im, hn::Set(d, sign));
    z.Store(row + i);
  }
}

template <typename T>
void JoinRow(const T* row, T sign, T scale, T* pairs) {
  const LaneTag<T> d;
  constexpr int64_t kStep = hn::MaxLanes(d);
  for (int64_t i = 0; i < kFftLanes<T>; i += kStep) {
    const Lanes<T> z = Lanes<T>::Load(row + i);
    hn::StoreInterleaved2(hn::Mul(z.re, hn::Set(d, scale)), hn::Mul(z.im, hn::Set(d, sign * scale)),
                          d, pairs + 2 * i);
  }
}

float* LaneTransformF32(const LaneFft<float>& fft, float* data, float* work) {
  return LaneTransform(fft, data, work);
}
double* LaneTransformF64(const LaneFft<double>& fft, double* data, double* work) {
  return LaneTransform(fft, data, work);
}
void SplitRowF32(const float* pairs, float sign, float* row) { SplitRow(pairs, sign, row); }
void SplitRowF64(const double* pairs, double sign, double* row) { SplitRow(pairs, sign, row); }
void JoinRowF32(const float* row, float sign, float scale, float* pairs) {
  JoinRow(row, sign, scale, pairs);
}
void JoinRowF64(const double* row, double sign, double scale, double* pairs) {
  JoinRow(row, sign, scale, pairs);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(LaneTransformF32);
HWY_EXPORT(LaneTransformF64);
HWY_EXPORT(SplitRowF32);
HWY_EXPORT(SplitRowF64);
HWY_EXPORT(JoinRowF32);
HWY_EXPORT(JoinRowF64);

}  // namespace

template <>
float* RunLaneFft<float>(const LaneFft<float>& fft, float* data, float* work) {
  return HWY_DYNAMIC_DISPATCH(LaneTransformF32)(fft, data, work);
}
template <>
double* RunLaneFft<double>(const LaneFft<double>& fft, double* data, double* work) {
  return HWY_DYNAMIC_DISPATCH(LaneTransformF64)(fft, data, work);
}
template <>
void SplitComplexRow<float>(const float* pairs, float sign, float* row) {
  HWY_DYNAMIC_DISPATCH(SplitRowF32)(pairs, sign, row);
}
template <>
void SplitComplexRow<double>(const double* pairs, double sign, double* row) {
  HWY_DYNAMIC_DISPATCH(SplitRowF64)(pairs, sign, row);
}
template <>
void JoinComplexRow<float>(const float* row, float sign, float scale, float* pairs) {
  HWY_DYNAMIC_DISPATCH(JoinRowF32)(row, sign, scale, pairs);
}
template <>
void JoinComplexRow<double>(const double* row, double sign, double scale, double* pairs) {
  HWY_DYNAMIC_DISPATCH(JoinRowF64)(row, sign, scale, pairs);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
