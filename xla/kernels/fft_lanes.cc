// SPDX-License-Identifier: Apache-2.0
// Butterflies of lanes for each instruction set.
#include "xla/kernels/fft_lanes.h"

#include <algorithm>
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

  static HWY_INLINE Lanes Load(const T* re, const T* im) {
    return {hn::Load(D(), re), hn::Load(D(), im)};
  }
  HWY_INLINE void Store(T* to_re, T* to_im) const {
    hn::Store(re, D(), to_re);
    hn::Store(im, D(), to_im);
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
  // Times the conjugate of the complex number at w.
  HWY_INLINE Lanes TimesConjugate(const T* w) const {
    const V wr = hn::Set(D(), w[0]), wi = hn::Set(D(), w[1]);
    return {hn::MulAdd(im, wi, hn::Mul(re, wr)), hn::NegMulAdd(re, wi, hn::Mul(im, wr))};
  }
  HWY_INLINE Lanes TimesMinusI() const { return {im, hn::Neg(re)}; }
  HWY_INLINE Lanes Conjugate() const { return {re, hn::Neg(im)}; }
  HWY_INLINE Lanes Scaled(T factor) const {
    const V f = hn::Set(D(), factor);
    return {hn::Mul(re, f), hn::Mul(im, f)};
  }
  // this + b * factor
  HWY_INLINE Lanes PlusScaled(const Lanes& b, T factor) const {
    const V f = hn::Set(D(), factor);
    return {hn::MulAdd(b.re, f, re), hn::MulAdd(b.im, f, im)};
  }
};

template <typename T>
constexpr int64_t kRow = 2 * kFftLanes<T>;
// What is computed together: products of two radices, in rows on the stack.
constexpr int kMaxGroup = 64;
static_assert(kMaxLaneRadix <= kMaxGroup);

// --- Transforms of few points in registers.

template <typename T>
HWY_INLINE void FourPoints(Lanes<T>& a, Lanes<T>& b, Lanes<T>& c, Lanes<T>& d) {
  const Lanes<T> ac = a + c, amc = a - c, bd = b + d, ibmd = (b - d).TimesMinusI();
  a = ac + bd;
  b = amc + ibmd;
  c = ac - bd;
  d = amc - ibmd;
}

// An odd number of points: sums and differences of x[k] and x[radix - k], whose factors are
// conjugates. `factors` are exp(-2 pi i k / radix).
template <typename T>
HWY_INLINE Lanes<T> OddPoint(const Lanes<T>& first, const Lanes<T>* sums, const T* factors,
                             int radix, int j, const Lanes<T>* differences, Lanes<T>* odd) {
  const int half = (radix - 1) / 2;
  Lanes<T> even = first;
  *odd = differences[0].Scaled(factors[2 * (j % radix) + 1]);
  even = even.PlusScaled(sums[0], factors[2 * (j % radix)]);
#pragma GCC unroll 4
  for (int k = 2; k <= half; ++k) {
    const T* w = factors + 2 * (j * k % radix);
    even = even.PlusScaled(sums[k - 1], w[0]);
    *odd = odd->PlusScaled(differences[k - 1], w[1]);
  }
  return even;
}

template <typename T, int kRadix>
HWY_INLINE void OddPoints(const T* factors, Lanes<T> (&x)[kRadix]) {
  constexpr int kHalf = (kRadix - 1) / 2;
  Lanes<T> sums[kHalf], differences[kHalf];
#pragma GCC unroll 4
  for (int k = 1; k <= kHalf; ++k) {
    sums[k - 1] = x[k] + x[kRadix - k];
    differences[k - 1] = x[k] - x[kRadix - k];
  }
  const Lanes<T> first = x[0];
#pragma GCC unroll 4
  for (int k = 0; k < kHalf; ++k) x[0] = x[0] + sums[k];
#pragma GCC unroll 4
  for (int j = 1; j <= kHalf; ++j) {
    Lanes<T> odd;
    const Lanes<T> even = OddPoint(first, sums, factors, kRadix, j, differences, &odd);
    // i * odd
    const Lanes<T> turned = {hn::Neg(odd.im), odd.re};
    x[j] = even + turned;
    x[kRadix - j] = even - turned;
  }
}

template <typename T, int kRadix>
HWY_INLINE void Points(const T* factors, Lanes<T> (&x)[kRadix]) {
  if constexpr (kRadix == 2) {
    const Lanes<T> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  } else if constexpr (kRadix == 4) {
    FourPoints(x[0], x[1], x[2], x[3]);
  } else if constexpr (kRadix == 8) {
    // Two transforms of four points, of the even and of the odd inputs, joined.
    constexpr T kHalfRoot = static_cast<T>(0.70710678118654752440);
    Lanes<T> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    FourPoints(e0, e1, e2, e3);
    Lanes<T> o0 = x[1], o1 = x[3], o2 = x[5], o3 = x[7];
    FourPoints(o0, o1, o2, o3);
    o1 = (o1 + o1.TimesMinusI()).Scaled(kHalfRoot);
    o2 = o2.TimesMinusI();
    o3 = (o3.TimesMinusI() - o3).Scaled(kHalfRoot);
    x[0] = e0 + o0;
    x[1] = e1 + o1;
    x[2] = e2 + o2;
    x[3] = e3 + o3;
    x[4] = e0 - o0;
    x[5] = e1 - o1;
    x[6] = e2 - o2;
    x[7] = e3 - o3;
  } else {
    OddPoints<T, kRadix>(factors, x);
  }
}

// --- Butterflies of rows.

// Butterfly b of `count` reads rows k at in + b * in_next + k * in_step and writes rows j to out +
// b * out_next + j * out_step, times root j * (root_step + b * root_next_step) + b * root_next.
template <typename T>
struct Butterflies {
  int radix;
  const T* factors;  // exp(-2 pi i k / radix)
  int64_t count;
  const T* in;
  int64_t in_step, in_next;
  T* out;
  int64_t out_step, out_next;
  const T* roots;
  int64_t root_step, root_next_step, root_next;
  int64_t re, im;  // where the parts are in a row
};

template <typename T, int kRadix, bool kTwiddles>
HWY_INLINE void RunRadix(const Butterflies<T>& b) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>());
  for (int64_t i = 0; i < b.count; ++i) {
    const T* roots = b.roots + 2 * i * b.root_next;
    const int64_t step = 2 * (b.root_step + i * b.root_next_step);
    // Vectors narrower than a row take several rounds.
    for (int64_t lane = 0; lane < kFftLanes<T>; lane += kStep) {
      const T* in = b.in + i * b.in_next + lane;
      T* out = b.out + i * b.out_next + lane;
      Lanes<T> x[kRadix];
#pragma GCC unroll 8
      for (int k = 0; k < kRadix; ++k)
        x[k] = Lanes<T>::Load(in + k * b.in_step + b.re, in + k * b.in_step + b.im);
      Points<T, kRadix>(b.factors, x);
#pragma GCC unroll 8
      for (int j = 0; j < kRadix; ++j) {
        T* to = out + j * b.out_step;
        (kTwiddles ? x[j].Times(roots + j * step) : x[j]).Store(to + b.re, to + b.im);
      }
    }
  }
}

template <typename T, int kRadix>
void FixedRadix(const Butterflies<T>& b) {
  if (b.root_step == 0 && b.root_next_step == 0 && b.root_next == 0) {
    RunRadix<T, kRadix, false>(b);
  } else {
    RunRadix<T, kRadix, true>(b);
  }
}

// Larger odd radices.
template <typename T>
void AnyOddRadix(const Butterflies<T>& b) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>());
  const int radix = b.radix, half = (radix - 1) / 2;
  for (int64_t i = 0; i < b.count; ++i) {
    const T* roots = b.roots + 2 * i * b.root_next;
    const int64_t step = 2 * (b.root_step + i * b.root_next_step);
    for (int64_t lane = 0; lane < kFftLanes<T>; lane += kStep) {
      const T* in = b.in + i * b.in_next + lane;
      T* out = b.out + i * b.out_next + lane;
      const auto load = [&](int k) HWY_ATTR {
        return Lanes<T>::Load(in + k * b.in_step + b.re, in + k * b.in_step + b.im);
      };
      const auto store = [&](int j, const Lanes<T>& value) HWY_ATTR {
        T* to = out + j * b.out_step;
        value.Times(roots + j * step).Store(to + b.re, to + b.im);
      };
      Lanes<T> sums[kMaxLaneRadix / 2], differences[kMaxLaneRadix / 2];
      const Lanes<T> first = load(0);
      Lanes<T> all = first;
      for (int k = 1; k <= half; ++k) {
        const Lanes<T> low = load(k), high = load(radix - k);
        sums[k - 1] = low + high;
        differences[k - 1] = low - high;
        all = all + sums[k - 1];
      }
      store(0, all);
      for (int j = 1; j <= half; ++j) {
        Lanes<T> odd;
        const Lanes<T> even = OddPoint(first, sums, b.factors, radix, j, differences, &odd);
        const Lanes<T> turned = {hn::Neg(odd.im), odd.re};
        store(j, even + turned);
        store(radix - j, even - turned);
      }
    }
  }
}

template <typename T>
void RunButterflies(const Butterflies<T>& b) {
  switch (b.radix) {
    case 2:
      return FixedRadix<T, 2>(b);
    case 3:
      return FixedRadix<T, 3>(b);
    case 4:
      return FixedRadix<T, 4>(b);
    case 5:
      return FixedRadix<T, 5>(b);
    case 7:
      return FixedRadix<T, 7>(b);
    case 8:
      return FixedRadix<T, 8>(b);
    default:
      return AnyOddRadix(b);
  }
}

// --- Rows in memory.

template <typename T>
HWY_INLINE Lanes<T> LoadPairs(const T* pairs) {
  Lanes<T> z;
  hn::LoadInterleaved2(LaneTag<T>(), pairs, z.re, z.im);
  return z;
}

// A row of interleaved numbers, or (pairs is null) one of rows, times a number.
template <typename T>
HWY_INLINE void FetchRow(const T* pairs, const T* row, T scale, T* to) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>());
  for (int64_t i = 0; i < kFftLanes<T>; i += kStep) {
    const Lanes<T> z = pairs != nullptr ? LoadPairs(pairs + 2 * i)
                                        : Lanes<T>::Load(row + i, row + kFftLanes<T> + i);
    z.Scaled(scale).Store(to + i, to + kFftLanes<T> + i);
  }
}

// What is wanted next lies far from what is in use, where processors do not look by themselves.
template <typename T, int kForWriting>
HWY_INLINE void PrefetchRow(const T* pairs) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  for (int64_t i = 0; i <= 2 * kFftLanes<T>; i += kLine)
    __builtin_prefetch(pairs + std::min(i, 2 * kFftLanes<T> - 1), kForWriting);
}

template <typename T>
HWY_INLINE void JoinRow(const T* row, T* pairs) {
  const LaneTag<T> d;
  constexpr int64_t kStep = hn::MaxLanes(d);
  for (int64_t i = 0; i < kFftLanes<T>; i += kStep) {
    const Lanes<T> z = Lanes<T>::Load(row + i, row + kFftLanes<T> + i);
    hn::StoreInterleaved2(z.re, z.im, d, pairs + 2 * i);
  }
}

// --- Stages.

// The stage of radix `first * second`: with m what is left of the length and s what is done of it,
// the sub-transform of p and q reads rows q + s * (p + m * k) and writes rows q + s * (radix * p +
// j), times root s * p * j.
template <typename T>
struct Stage {
  int first, second;  // second: 1 if there is none
  int64_t m, s;
};

template <typename T>
void RunStage(const LaneFft<T>& fft, const Stage<T>& stage, const LanePairs<const T>& from, T scale,
              const T* x, T* y, const LanePairs<T>& to) {
  alignas(64) T fetched[kMaxGroup * kRow<T>];
  alignas(64) T between[kMaxGroup * kRow<T>];
  alignas(64) T finished[kMaxGroup * kRow<T>];
  T first_factors[2 * kMaxLaneRadix], second_factors[2 * kMaxLaneRadix];
  const auto factors_of = [&](int radix, T* factors) {
    for (int k = 0; k < radix; ++k) {
      factors[2 * k] = fft.roots[2 * (fft.n / radix * k)];
      factors[2 * k + 1] = fft.roots[2 * (fft.n / radix * k) + 1];
    }
  };
  factors_of(stage.first, first_factors);
  factors_of(stage.second, second_factors);
  const int radix = stage.first * stage.second;
  const int64_t m = stage.m, s = stage.s, last_row = fft.n - 1;
  const bool fetches = from.pairs != nullptr || scale != T(1);
  const int64_t re = fft.inverse ? kFftLanes<T> : 0, im = kFftLanes<T> - re;
  // Rows that neither come from elsewhere nor go elsewhere: all q at once.
  const bool is_plain = !fetches && to.pairs == nullptr && stage.second == 1;
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < (is_plain ? 1 : s); ++q) {
      const T* in = x + (q + s * p) * kRow<T>;
      int64_t in_step = s * m * kRow<T>;
      if (fetches) {
        for (int k = 0; k < radix; ++k) {
          const int64_t row = q + s * (p + m * k);
          if (from.pairs != nullptr) {
            PrefetchRow<T, 0>(from.pairs + std::min(row + s, last_row) * from.stride);
          }
          FetchRow(from.pairs == nullptr ? nullptr : from.pairs + row * from.stride,
                   x + row * kRow<T>, scale, fetched + k * kRow<T>);
        }
        in = fetched;
        in_step = kRow<T>;
      }
      T* out = y + (q + s * radix * p) * kRow<T>;
      int64_t out_step = s * kRow<T>;
      if (to.pairs != nullptr) {
        out = finished;
        out_step = kRow<T>;
      }
      Butterflies<T> b = {
          stage.first, first_factors, is_plain ? s : 1, in,    in_step, kRow<T>, out,
          out_step,    kRow<T>,       fft.roots,        s * p, 0,       0,       re,
          im};
      if (stage.second > 1) {
        b.count = stage.second;
        b.in_next = in_step;
        b.in_step = stage.second * in_step;
        b.out = between;
        b.out_next = stage.first * kRow<T>;
        b.out_step = kRow<T>;
        b.root_step = 0;
        b.root_next_step = fft.n / radix;
        RunButterflies(b);
        b = {stage.second,
             second_factors,
             stage.first,
             between,
             stage.first * kRow<T>,
             kRow<T>,
             out,
             stage.first * out_step,
             out_step,
             fft.roots,
             s * p * stage.first,
             0,
             s * p,
             re,
             im};
      }
      RunButterflies(b);
      if (to.pairs == nullptr) continue;
      for (int j = 0; j < radix; ++j) {
        const int64_t row = q + s * (radix * p + j);
        PrefetchRow<T, 1>(to.pairs + std::min(row + 1, last_row) * to.stride);
        JoinRow(finished + j * kRow<T>, to.pairs + row * to.stride);
      }
    }
  }
}

template <typename T>
T* LaneTransform(const LaneFft<T>& fft, T* data, T* work, const LanePairs<const T>& from,
                 const LanePairs<T>& to) {
  int64_t length = fft.n, s = 1;
  const int* radices = fft.radices;
  const int* const end = radices + fft.radix_count;
  constexpr int kOne = 1;
  if (radices == end) radices = &kOne;  // one row: as if of one factor
  do {
    const bool is_first = s == 1;
    Stage<T> stage = {*radices++, 1, 0, s};
    if (fft.radix_count > 0 && radices != end && stage.first * *radices <= kMaxGroup)
      stage.second = *radices++;
    const int radix = stage.first * stage.second;
    length /= radix;
    stage.m = length;
    RunStage(fft, stage, is_first ? from : LanePairs<const T>(), is_first ? fft.scale : T(1), data,
             work, length == 1 ? to : LanePairs<T>());
    std::swap(data, work);
    s *= radix;
  } while (length > 1);
  return data;
}

// Rows k and m - k of the two are computed from each other.
template <typename T, bool kFinish>
void RealLanes(int64_t m, const T* roots, T* rows) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>()), kLanes = kFftLanes<T>;
  for (int64_t lane = 0; lane < kLanes; lane += kStep) {
    const auto at = [&](int64_t k) { return rows + k * kRow<T> + lane; };
    const auto load = [&](int64_t k) HWY_ATTR { return Lanes<T>::Load(at(k), at(k) + kLanes); };
    const auto store = [&](const Lanes<T>& z, int64_t k)
                           HWY_ATTR { z.Store(at(k), at(k) + kLanes); };
    const auto zero = hn::Zero(LaneTag<T>());
    if constexpr (kFinish) {
      const Lanes<T> z = load(0);
      store({hn::Add(z.re, z.im), zero}, 0);
      store({hn::Sub(z.re, z.im), zero}, m);
    } else {
      // The imaginary parts of the first and last do not count.
      const Lanes<T> a = load(0), b = load(m);
      store({hn::Add(a.re, b.re), hn::Sub(a.re, b.re)}, 0);
    }
    for (int64_t k = 1; 2 * k <= m; ++k) {
      const Lanes<T> a = load(k), b = load(m - k).Conjugate();
      // Of the even and of the odd elements, times two; the latter turned by the root.
      const Lanes<T> even = a + b, difference = a - b;
      if constexpr (kFinish) {
        const Lanes<T> odd = difference.TimesMinusI().Times(roots + 2 * k);
        store((even + odd).Scaled(T(0.5)), k);
        if (2 * k != m) store((even - odd).Conjugate().Scaled(T(0.5)), m - k);
      } else {
        const Lanes<T> odd = difference.TimesConjugate(roots + 2 * k);
        const Lanes<T> turned = {hn::Neg(odd.im), odd.re};
        store(even + turned, k);
        if (2 * k != m) store((even - turned).Conjugate(), m - k);
      }
    }
  }
}

#define XLA_LANES(T, NAME)                                                                        \
  T* LaneTransform##NAME(const LaneFft<T>& fft, T* data, T* work, const LanePairs<const T>& from, \
                         const LanePairs<T>& to) {                                                \
    return LaneTransform(fft, data, work, from, to);                                              \
  }                                                                                               \
  void FinishReal##NAME(int64_t m, const T* roots, T* rows) {                                     \
    RealLanes<T, true>(m, roots, rows);                                                           \
  }                                                                                               \
  void StartReal##NAME(int64_t m, const T* roots, T* rows) { RealLanes<T, false>(m, roots, rows); }
XLA_LANES(float, F32)
XLA_LANES(double, F64)
#undef XLA_LANES

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

HWY_EXPORT(LaneTransformF32);
HWY_EXPORT(LaneTransformF64);
HWY_EXPORT(FinishRealF32);
HWY_EXPORT(FinishRealF64);
HWY_EXPORT(StartRealF32);
HWY_EXPORT(StartRealF64);

}  // namespace

template <>
float* RunLaneFft<float>(const LaneFft<float>& fft, float* data, float* work,
                         const LanePairs<const float>& from, const LanePairs<float>& to) {
  return HWY_DYNAMIC_DISPATCH(LaneTransformF32)(fft, data, work, from, to);
}
template <>
double* RunLaneFft<double>(const LaneFft<double>& fft, double* data, double* work,
                           const LanePairs<const double>& from, const LanePairs<double>& to) {
  return HWY_DYNAMIC_DISPATCH(LaneTransformF64)(fft, data, work, from, to);
}
template <>
void FinishRealLanes<float>(int64_t m, const float* roots, float* rows) {
  HWY_DYNAMIC_DISPATCH(FinishRealF32)(m, roots, rows);
}
template <>
void FinishRealLanes<double>(int64_t m, const double* roots, double* rows) {
  HWY_DYNAMIC_DISPATCH(FinishRealF64)(m, roots, rows);
}
template <>
void StartRealLanes<float>(int64_t m, const float* roots, float* rows) {
  HWY_DYNAMIC_DISPATCH(StartRealF32)(m, roots, rows);
}
template <>
void StartRealLanes<double>(int64_t m, const double* roots, double* rows) {
  HWY_DYNAMIC_DISPATCH(StartRealF64)(m, roots, rows);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
