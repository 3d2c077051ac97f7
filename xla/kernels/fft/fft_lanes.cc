// SPDX-License-Identifier: Apache-2.0
// Butterflies of lanes for each instruction set.
#include "xla/kernels/fft/fft_lanes.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/fft/fft_lanes.cc"
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

  // Implicit constructors would lack the instruction set that GCC requires of them.
  HWY_INLINE Lanes() {}
  HWY_INLINE Lanes(V re, V im) : re(re), im(im) {}
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
  // Multiplies by the complex number at w.
  HWY_INLINE Lanes Times(const T* w) const {
    const V wr = hn::Set(D(), w[0]), wi = hn::Set(D(), w[1]);
    return {hn::NegMulAdd(im, wi, hn::Mul(re, wr)), hn::MulAdd(im, wr, hn::Mul(re, wi))};
  }
  // Multiplies by the conjugate of the complex number at w.
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
// The most rows that are computed together: products of two radices, in rows on the stack.
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
    // Vectors narrower than a row take several iterations.
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

// Computes results j, ..., j + kCount - 1 of an odd number of points, and their mirror images.
template <int kCount, typename T, typename Store>
HWY_INLINE void OddPointsFrom(int j, int radix, const T* factors, const Lanes<T>& first,
                              const Lanes<T>* sums, const Lanes<T>* differences, Store&& store) {
  const int half = (radix - 1) / 2;
  Lanes<T> even[kCount], odd[kCount];
  int root[kCount];
  for (int i = 0; i < kCount; ++i) {
    root[i] = j + i;
    even[i] = first.PlusScaled(sums[0], factors[2 * root[i]]);
    odd[i] = differences[0].Scaled(factors[2 * root[i] + 1]);
  }
  for (int k = 1; k < half; ++k) {
    const Lanes<T> sum = sums[k], difference = differences[k];
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i) {
      root[i] += j + i;
      if (root[i] >= radix) root[i] -= radix;
      even[i] = even[i].PlusScaled(sum, factors[2 * root[i]]);
      odd[i] = odd[i].PlusScaled(difference, factors[2 * root[i] + 1]);
    }
  }
  for (int i = 0; i < kCount; ++i) {
    const Lanes<T> turned = {hn::Neg(odd[i].im), odd[i].re};
    store(j + i, even[i] + turned);
    store(radix - j - i, even[i] - turned);
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
      int j = 1;
      for (; j + 3 <= half; j += 4)
        OddPointsFrom<4>(j, radix, b.factors, first, sums, differences, store);
      if (j + 1 <= half) {
        OddPointsFrom<2>(j, radix, b.factors, first, sums, differences, store);
        j += 2;
      }
      if (j <= half) OddPointsFrom<1>(j, radix, b.factors, first, sums, differences, store);
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

// A row of interleaved numbers or, if `pairs` is null, of real parts and imaginary parts, times a
// number.
template <typename T>
HWY_INLINE void FetchRow(const T* pairs, const T* row, T scale, T* to) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>());
  for (int64_t i = 0; i < kFftLanes<T>; i += kStep) {
    const Lanes<T> z = pairs != nullptr ? LoadPairs(pairs + 2 * i)
                                        : Lanes<T>::Load(row + i, row + kFftLanes<T> + i);
    z.Scaled(scale).Store(to + i, to + kFftLanes<T> + i);
  }
}

// Prefetches the next rows, which are so far away that processors do not prefetch them.
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

// The stage of radix `first * second`. With m the rest of the length and s the part that is done,
// the sub-transform of p and q reads rows q + s * (p + m * k) and writes rows q + s * (radix * p +
// j), times root s * p * j.
template <typename T>
struct Stage {
  int first, second;  // second: 1 if there is none
  int64_t m, s;
};

// The roots of unity of order `radix`.
template <typename T>
void GetFactors(const LaneFft<T>& fft, int radix, T* factors) {
  for (int k = 0; k < radix; ++k) {
    factors[2 * k] = fft.roots[2 * (fft.n / radix * k)];
    factors[2 * k + 1] = fft.roots[2 * (fft.n / radix * k) + 1];
  }
}

// Fetches the rows q + s * (p + m * k) of a sub-transform to consecutive rows.
template <typename T>
HWY_INLINE void FetchRows(const LaneFft<T>& fft, const Stage<T>& stage, int64_t p, int64_t q,
                          const LanePairs<const T>& from, T scale, const T* x, T* fetched) {
  for (int k = 0; k < stage.first * stage.second; ++k) {
    const int64_t row = q + stage.s * (p + stage.m * k);
    if (from.pairs != nullptr)
      PrefetchRow<T, 0>(from.pairs + std::min(row + stage.s, fft.n - 1) * from.stride);
    FetchRow(from.pairs == nullptr ? nullptr : from.pairs + row * from.stride, x + row * kRow<T>,
             scale, fetched + k * kRow<T>);
  }
}

// Stores the rows q + s * (radix * p + j) of a sub-transform.
template <typename T>
HWY_INLINE void JoinRows(const LaneFft<T>& fft, const Stage<T>& stage, int64_t p, int64_t q,
                         const T* finished, const LanePairs<T>& to) {
  const int radix = stage.first * stage.second;
  for (int j = 0; j < radix; ++j) {
    const int64_t row = q + stage.s * (radix * p + j);
    PrefetchRow<T, 1>(to.pairs + std::min(row + 1, fft.n - 1) * to.stride);
    JoinRow(finished + j * kRow<T>, to.pairs + row * to.stride);
  }
}

template <typename T>
void RunStage(const LaneFft<T>& fft, const Stage<T>& stage, const LanePairs<const T>& from, T scale,
              const T* x, T* y, const LanePairs<T>& to) {
  alignas(64) T fetched[kMaxGroup * kRow<T>];
  alignas(64) T between[kMaxGroup * kRow<T>];
  alignas(64) T finished[kMaxGroup * kRow<T>];
  T first_factors[2 * kMaxLaneRadix], second_factors[2 * kMaxLaneRadix];
  GetFactors(fft, stage.first, first_factors);
  GetFactors(fft, stage.second, second_factors);
  const int radix = stage.first * stage.second;
  const int64_t m = stage.m, s = stage.s;
  const bool fetches = from.pairs != nullptr || scale != T(1);
  const int64_t re = fft.inverse ? kFftLanes<T> : 0, im = kFftLanes<T> - re;
  // Rows that need no fetching and storing: all q at once.
  const bool is_plain = !fetches && to.pairs == nullptr && stage.second == 1;
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < (is_plain ? 1 : s); ++q) {
      const T* in = x + (q + s * p) * kRow<T>;
      int64_t in_step = s * m * kRow<T>;
      if (fetches) {
        FetchRows(fft, stage, p, q, from, scale, x, fetched);
        in = fetched;
        in_step = kRow<T>;
      }
      T* const out = to.pairs != nullptr ? finished : y + (q + s * radix * p) * kRow<T>;
      const int64_t out_step = to.pairs != nullptr ? kRow<T> : s * kRow<T>;
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
      if (to.pairs != nullptr) JoinRows(fft, stage, p, q, finished, to);
    }
  }
}

template <typename T>
T* LaneTransform(const LaneFft<T>& fft, T* data, T* work, const LanePairs<const T>& from,
                 const LanePairs<T>& to);

// Runs the stage of a large prime. `spare` holds the rows of two arrays of its convolution.
template <typename T>
void RunPrimeStage(const LaneFft<T>& fft, const Stage<T>& stage, const LanePairs<const T>& from,
                   T scale, const T* x, T* y, const LanePairs<T>& to, T* spare) {
  const PrimeFft<T>* found = fft.primes;
  while (found->prime != stage.first) ++found;
  const PrimeFft<T>& prime = *found;
  const int64_t terms = prime.prime - 1, length = prime.convolution.n;
  LaneFft<T> forward = prime.convolution, backward = prime.convolution;
  forward.inverse = fft.inverse;
  backward.inverse = !fft.inverse;
  const int64_t re = fft.inverse ? kFftLanes<T> : 0, im = kFftLanes<T> - re;
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>());
  alignas(64) T first[kRow<T>], row_of_pairs[kRow<T>];
  for (int64_t p = 0; p < stage.m; ++p) {
    for (int64_t q = 0; q < stage.s; ++q) {
      const auto fetch = [&](int64_t k, T* row) HWY_ATTR {
        const int64_t at = q + stage.s * (p + stage.m * k);
        FetchRow(from.pairs == nullptr ? nullptr : from.pairs + at * from.stride, x + at * kRow<T>,
                 scale, row);
      };
      const auto store = [&](int64_t j, const T* row) HWY_ATTR {
        const int64_t at = q + stage.s * (prime.prime * p + j);
        T* const result = to.pairs == nullptr ? y + at * kRow<T> : row_of_pairs;
        for (int64_t lane = 0; lane < kFftLanes<T>; lane += kStep) {
          Lanes<T>::Load(row + lane + re, row + lane + im)
              .Times(fft.roots + 2 * stage.s * p * j)
              .Store(result + lane + re, result + lane + im);
        }
        if (to.pairs != nullptr) JoinRow(row_of_pairs, to.pairs + at * to.stride);
      };
      T* terms_at = spare;
      T* other = spare + length * kRow<T>;
      fetch(0, first);
      for (int64_t r = 0; r < terms; ++r) fetch(prime.order[r], terms_at + r * kRow<T>);
      std::fill(terms_at + terms * kRow<T>, terms_at + length * kRow<T>, T(0));
      T* const spectrum = LaneTransform<T>(forward, terms_at, other, {}, {});
      if (spectrum != terms_at) std::swap(terms_at, other);
      // The first row of the spectrum is the sum of the terms, to which x[0] is added for the first
      // result. What is added to the first row of the product is added to all results.
      alignas(64) T all[kRow<T>];
      for (int64_t lane = 0; lane < kFftLanes<T>; lane += kStep) {
        const auto at = [&](T* row)
                            HWY_ATTR { return Lanes<T>::Load(row + lane + re, row + lane + im); };
        (at(spectrum) + at(first)).Store(all + lane + re, all + lane + im);
        for (int64_t k = 0; k < length; ++k) {
          T* const row = spectrum + k * kRow<T>;
          Lanes<T> product = at(row).Times(prime.spectrum + 2 * k);
          if (k == 0) product = product + at(first);
          product.Store(row + lane + re, row + lane + im);
        }
      }
      store(0, all);
      const T* const results = LaneTransform<T>(backward, spectrum, other, {}, {});
      store(1, results);
      for (int64_t k = 1; k < terms; ++k) store(prime.order[terms - k], results + k * kRow<T>);
    }
  }
}

template <typename T>
T* LaneTransform(const LaneFft<T>& fft, T* data, T* work, const LanePairs<const T>& from,
                 const LanePairs<T>& to) {
  int64_t length = fft.n, s = 1;
  T* const spare = work + fft.n * kRow<T>;
  const int* radices = fft.radices;
  const int* const end = radices + fft.radix_count;
  constexpr int kOne = 1;
  if (radices == end) radices = &kOne;  // one row: as if of one factor
  do {
    const bool is_first = s == 1;
    Stage<T> stage = {*radices++, 1, 0, s};
    const bool is_large = stage.first > kMaxLaneRadix;
    if (fft.radix_count > 0 && radices != end && !is_large && stage.first * *radices <= kMaxGroup) {
      stage.second = *radices++;
    }
    const int radix = stage.first * stage.second;
    length /= radix;
    stage.m = length;
    const LanePairs<const T> source = is_first ? from : LanePairs<const T>();
    const LanePairs<T> target = length == 1 ? to : LanePairs<T>();
    const T scale = is_first ? fft.scale : T(1);
    if (is_large) {
      RunPrimeStage(fft, stage, source, scale, data, work, target, spare);
    } else {
      RunStage(fft, stage, source, scale, data, work, target);
    }
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
      // The imaginary parts of the first and last rows are ignored.
      const Lanes<T> a = load(0), b = load(m);
      store({hn::Add(a.re, b.re), hn::Sub(a.re, b.re)}, 0);
    }
    for (int64_t k = 1; 2 * k <= m; ++k) {
      const Lanes<T> a = load(k), b = load(m - k).Conjugate();
      // The transforms of the even and of the odd elements, times two; the latter multiplied by the
      // root.
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

// Rows k and n - k of the two are computed from each other.
template <typename T>
void SplitReal(int64_t n, T* rows, T* others) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>()), kLanes = kFftLanes<T>;
  const auto zero = hn::Zero(LaneTag<T>());
  for (int64_t lane = 0; lane < kLanes; lane += kStep) {
    const auto load = [&](int64_t k) HWY_ATTR {
      return Lanes<T>::Load(rows + k * kRow<T> + lane, rows + k * kRow<T> + kLanes + lane);
    };
    const auto store = [&](const Lanes<T>& z, int64_t k, T* to) HWY_ATTR {
      z.Store(to + k * kRow<T> + lane, to + k * kRow<T> + kLanes + lane);
    };
    const Lanes<T> first = load(0);
    store({first.re, zero}, 0, rows);
    store({first.im, zero}, 0, others);
    for (int64_t k = 1; 2 * k < n; ++k) {
      const Lanes<T> a = load(k), b = load(n - k).Conjugate();
      store((a + b).Scaled(T(0.5)), k, rows);
      store((a - b).TimesMinusI().Scaled(T(0.5)), k, others);
    }
  }
}
template <typename T>
void JoinReal(int64_t n, T* rows, const T* others) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>()), kLanes = kFftLanes<T>;
  for (int64_t lane = 0; lane < kLanes; lane += kStep) {
    const auto load = [&](const T* from, int64_t k) HWY_ATTR {
      return Lanes<T>::Load(from + k * kRow<T> + lane, from + k * kRow<T> + kLanes + lane);
    };
    const auto store = [&](const Lanes<T>& z, int64_t k) HWY_ATTR {
      z.Store(rows + k * kRow<T> + lane, rows + k * kRow<T> + kLanes + lane);
    };
    // The imaginary parts of the first row are ignored.
    store({load(rows, 0).re, load(others, 0).re}, 0);
    for (int64_t k = 1; 2 * k < n; ++k) {
      const Lanes<T> a = load(rows, k), b = load(others, k).TimesMinusI();
      store(a - b, k);
      store((a + b).Conjugate(), n - k);
    }
  }
}

template <typename T>
HWY_INLINE Lanes<T> TurnedBy(const Lanes<T>& z, Lanes<T> w, bool conjugate) {
  if (conjugate) w = w.Conjugate();
  return {hn::NegMulAdd(z.im, w.im, hn::Mul(z.re, w.re)),
          hn::MulAdd(z.im, w.re, hn::Mul(z.re, w.im))};
}

template <typename T>
void LoadTurned(int64_t count, const LanePairs<const T>& from, const PairFactors<T>& factors,
                T* rows) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>()), kLanes = kFftLanes<T>;
  for (int64_t k = 0; k < count; ++k) {
    const T* pairs = from.pairs + k * from.stride;
    if (k + 1 < count) PrefetchRow<T, 0>(pairs + from.stride);
    const T* turns = factors.factors + k * factors.stride;
    T* row = rows + k * kRow<T>;
    for (int64_t lane = 0; lane < kLanes; lane += kStep) {
      TurnedBy(LoadPairs(pairs + 2 * lane), LoadPairs(turns + 2 * lane), factors.conjugate)
          .Store(row + lane, row + kLanes + lane);
    }
  }
}
template <typename T>
void StoreTurned(int64_t count, const T* rows, const PairFactors<T>& factors,
                 const LanePairs<T>& to) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>()), kLanes = kFftLanes<T>;
  for (int64_t k = 0; k < count; ++k) {
    T* pairs = to.pairs + k * to.stride;
    if (k + 1 < count) PrefetchRow<T, 1>(pairs + to.stride);
    const T* turns = factors.factors + k * factors.stride;
    const T* row = rows + k * kRow<T>;
    for (int64_t lane = 0; lane < kLanes; lane += kStep) {
      const Lanes<T> z = TurnedBy(Lanes<T>::Load(row + lane, row + kLanes + lane),
                                  LoadPairs(turns + 2 * lane), factors.conjugate);
      hn::StoreInterleaved2(z.re, z.im, LaneTag<T>(), pairs + 2 * lane);
    }
  }
}

template <typename T>
void TurnAll(int64_t count, const T* factors, const T* pairs, bool conjugate, T* rows) {
  constexpr int64_t kStep = hn::MaxLanes(LaneTag<T>()), kLanes = kFftLanes<T>;
  for (int64_t k = 0; k < count; ++k) {
    const T* turns = factors + k * kRow<T>;
    T* row = rows + k * kRow<T>;
    for (int64_t lane = 0; lane < kLanes; lane += kStep) {
      Lanes<T> w = {hn::LoadU(LaneTag<T>(), turns + lane),
                    hn::LoadU(LaneTag<T>(), turns + kLanes + lane)};
      if (pairs != nullptr) w = w.Times(pairs + 2 * k);
      TurnedBy(Lanes<T>::Load(row + lane, row + kLanes + lane), w, conjugate)
          .Store(row + lane, row + kLanes + lane);
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
  void StartReal##NAME(int64_t m, const T* roots, T* rows) {                                      \
    RealLanes<T, false>(m, roots, rows);                                                          \
  }                                                                                               \
  void SplitReal##NAME(int64_t n, T* rows, T* others) { SplitReal(n, rows, others); }             \
  void JoinReal##NAME(int64_t n, T* rows, const T* others) { JoinReal(n, rows, others); }         \
  void LoadTurned##NAME(int64_t count, const LanePairs<const T>& from,                            \
                        const PairFactors<T>& factors, T* rows) {                                 \
    LoadTurned(count, from, factors, rows);                                                       \
  }                                                                                               \
  void StoreTurned##NAME(int64_t count, const T* rows, const PairFactors<T>& factors,             \
                         const LanePairs<T>& to) {                                                \
    StoreTurned(count, rows, factors, to);                                                        \
  }                                                                                               \
  void TurnAll##NAME(int64_t count, const T* factors, const T* pairs, bool conjugate, T* rows) {  \
    TurnAll(count, factors, pairs, conjugate, rows);                                              \
  }
XLA_LANES(float, F32)
XLA_LANES(double, F64)
#undef XLA_LANES

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {
namespace {

#define XLA_EXPORT(NAME) \
  HWY_EXPORT(NAME##F32); \
  HWY_EXPORT(NAME##F64)
XLA_EXPORT(LaneTransform);
XLA_EXPORT(FinishReal);
XLA_EXPORT(StartReal);
XLA_EXPORT(SplitReal);
XLA_EXPORT(JoinReal);
XLA_EXPORT(LoadTurned);
XLA_EXPORT(StoreTurned);
XLA_EXPORT(TurnAll);
#undef XLA_EXPORT

}  // namespace

#define XLA_DISPATCH(T, NAME)                                                                   \
  template <>                                                                                   \
  T* RunLaneFft<T>(const LaneFft<T>& fft, T* data, T* work, const LanePairs<const T>& from,     \
                   const LanePairs<T>& to) {                                                    \
    return HWY_DYNAMIC_DISPATCH(LaneTransform##NAME)(fft, data, work, from, to);                \
  }                                                                                             \
  template <>                                                                                   \
  void FinishRealLanes<T>(int64_t m, const T* roots, T* rows) {                                 \
    HWY_DYNAMIC_DISPATCH(FinishReal##NAME)(m, roots, rows);                                     \
  }                                                                                             \
  template <>                                                                                   \
  void StartRealLanes<T>(int64_t m, const T* roots, T* rows) {                                  \
    HWY_DYNAMIC_DISPATCH(StartReal##NAME)(m, roots, rows);                                      \
  }                                                                                             \
  template <>                                                                                   \
  void SplitRealLanes<T>(int64_t n, T * rows, T * others) {                                     \
    HWY_DYNAMIC_DISPATCH(SplitReal##NAME)(n, rows, others);                                     \
  }                                                                                             \
  template <>                                                                                   \
  void JoinRealLanes<T>(int64_t n, T * rows, const T* others) {                                 \
    HWY_DYNAMIC_DISPATCH(JoinReal##NAME)(n, rows, others);                                      \
  }                                                                                             \
  template <>                                                                                   \
  void LoadTurnedLanes<T>(int64_t count, const LanePairs<const T>& from,                        \
                          const PairFactors<T>& factors, T* rows) {                             \
    HWY_DYNAMIC_DISPATCH(LoadTurned##NAME)(count, from, factors, rows);                         \
  }                                                                                             \
  template <>                                                                                   \
  void StoreTurnedLanes<T>(int64_t count, const T* rows, const PairFactors<T>& factors,         \
                           const LanePairs<T>& to) {                                            \
    HWY_DYNAMIC_DISPATCH(StoreTurned##NAME)(count, rows, factors, to);                          \
  }                                                                                             \
  template <>                                                                                   \
  void TurnLanes<T>(int64_t count, const T* factors, const T* pairs, bool conjugate, T* rows) { \
    HWY_DYNAMIC_DISPATCH(TurnAll##NAME)(count, factors, pairs, conjugate, rows);                \
  }
XLA_DISPATCH(float, F32)
XLA_DISPATCH(double, F64)
#undef XLA_DISPATCH

}  // namespace xla::kernels
#endif  // HWY_ONCE
