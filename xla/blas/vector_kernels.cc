// SPDX-License-Identifier: Apache-2.0
// Loops on vectors for each instruction set. Complex numbers lie in pairs of lanes.
#include "xla/blas/vector_kernels.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "xla/blas/matrix.h"
#include "xla/blas/plain_vector_kernels.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/vector_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <typename T>
VectorKernels<T> KernelsOf() {
  return PlainVectorKernels<T>::Get();
}

#else

// One element: for what remains of a vector.
template <typename T>
using OneTag = hn::CappedTag<Part<T>, kParts<T>>;
template <typename T>
using FullTag = hn::ScalableTag<Part<T>>;

template <typename T>
const Part<T>* PartsOf(const T* x) {
  return reinterpret_cast<const Part<T>*>(x);
}
template <typename T>
Part<T>* PartsOf(T* x) {
  return reinterpret_cast<Part<T>*>(x);
}

// A number that vectors are multiplied by.
template <typename T, class D>
struct Factor {
  using V = hn::Vec<D>;

  explicit HWY_INLINE Factor(D d, T value) : re(hn::Set(d, RealPart(value))) {
    if constexpr (kIsComplex<T>) {
      im = hn::OddEven(hn::Set(d, value.imag()), hn::Set(d, -value.imag()));
    }
  }
  // sum + value * x.
  HWY_INLINE V MultiplyAdd(V x, V sum) const {
    sum = hn::MulAdd(re, x, sum);
    if constexpr (kIsComplex<T>) sum = hn::MulAdd(im, hn::Reverse2(D(), x), sum);
    return sum;
  }
  // value * x, each product and sum rounded.
  HWY_INLINE V Multiply(V x) const {
    V product = hn::Mul(re, x);
    if constexpr (kIsComplex<T>) product = hn::Add(product, hn::Mul(im, hn::Reverse2(D(), x)));
    return product;
  }

  V re, im;
};

// The sum of products: of parts as they lie, and crosswise.
template <typename T, class D>
struct DotSum {
  using V = hn::Vec<D>;

  HWY_INLINE void Clear(D d) { straight = crosswise = hn::Zero(d); }
  HWY_INLINE void Add(V a, V x, V x_swapped) {
    straight = hn::MulAdd(a, x, straight);
    if constexpr (kIsComplex<T>) crosswise = hn::MulAdd(a, x_swapped, crosswise);
  }
  HWY_INLINE void Add(D, const DotSum& other) {
    straight = hn::Add(straight, other.straight);
    if constexpr (kIsComplex<T>) crosswise = hn::Add(crosswise, other.crosswise);
  }
  HWY_INLINE T Total(D d, bool conjugate) const {
    if constexpr (kIsComplex<T>) {
      using P = Part<T>;
      const V signs = hn::OddEven(hn::Set(d, P(-1)), hn::Set(d, P(1)));
      const V re = conjugate ? straight : hn::Mul(signs, straight);
      const V im = conjugate ? hn::Mul(signs, crosswise) : crosswise;
      return {hn::GetLane(hn::SumOfLanes(d, re)), hn::GetLane(hn::SumOfLanes(d, im))};
    } else {
      return hn::GetLane(hn::SumOfLanes(d, straight));
    }
  }

  V straight, crosswise;
};

template <typename T, class D>
HWY_INLINE hn::Vec<D> Swapped(D d, hn::Vec<D> x) {
  if constexpr (kIsComplex<T>) return hn::Reverse2(d, x);
  return x;
}

// Calls body(tag, i) for all parts i of `count` elements: whole vectors, then single elements.
template <typename T, class Body>
HWY_INLINE void ForEachVector(int64_t count, const Body& body) {
  const FullTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  count *= kParts<T>;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(d, i);
  for (; i < count; i += kParts<T>) body(OneTag<T>(), i);
}

template <typename T, int kColumns, class D>
HWY_INLINE void AddAt(D d, const Part<T>* a, int64_t stride, const T* factors, Part<T>* y,
                      int64_t begin, int64_t end) {
  using F = Factor<T, D>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const F f[4] = {F(d, factors[0]), F(d, factors[kColumns > 1 ? 1 : 0]),
                  F(d, factors[kColumns > 1 ? 2 : 0]), F(d, factors[kColumns > 1 ? 3 : 0])};
  for (int64_t i = begin; i < end; i += kLanes) {
    auto sum = hn::LoadU(d, y + i);
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j)
      sum = f[j].MultiplyAdd(hn::LoadU(d, a + j * stride + i), sum);
    hn::StoreU(sum, d, y + i);
  }
}

// The number of parts that fill whole vectors.
template <typename T>
HWY_INLINE int64_t WholeVectors(int64_t count) {
  constexpr int64_t kLanes = hn::MaxLanes(FullTag<T>());
  return count * kParts<T> / kLanes * kLanes;
}

template <typename T, int kColumns>
HWY_INLINE void AddGroup(const Columns<const T>& a, const T* factors, T* y) {
  const int64_t whole = WholeVectors<T>(a.rows), all = a.rows * kParts<T>,
                stride = a.stride * kParts<T>;
  if (whole > 0)
    AddAt<T, kColumns>(FullTag<T>(), PartsOf(a.data), stride, factors, PartsOf(y), 0, whole);
  if (whole < all)
    AddAt<T, kColumns>(OneTag<T>(), PartsOf(a.data), stride, factors, PartsOf(y), whole, all);
}

template <typename T>
void AddColumns(const Columns<const T>& a, const T* factors, T* y) {
  int64_t j = 0;
  for (; j + 4 <= a.columns; j += 4) AddGroup<T, 4>(a.From(0, j), factors + j, y);
  for (; j < a.columns; ++j) AddGroup<T, 1>(a.From(0, j), factors + j, y);
}

// Four partial sums of whole vectors for long columns, in an order that is the same for any number
// of columns.
template <typename T, int kColumns, bool kAdds>
HWY_INLINE void DotGroup(const Columns<const T>& a, const T* factors, T* y_elements,
                         const T* x_elements, bool conjugate, T* sums) {
  const FullTag<T> d;
  using F = Factor<T, FullTag<T>>;
  using V = hn::Vec<FullTag<T>>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr int kUnroll = kAdds ? 1 : 2;
  const int64_t count = a.rows * kParts<T>, stride = a.stride * kParts<T>;
  const Part<T>* HWY_RESTRICT columns = PartsOf(a.data);
  const Part<T>* HWY_RESTRICT x = PartsOf(x_elements);
  Part<T>* HWY_RESTRICT y = PartsOf(y_elements);
  int64_t i = 0;
  if (count >= kLanes) {
    DotSum<T, FullTag<T>> sum[kColumns][kUnroll];
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) sum[j][u].Clear(d);
    }
    const T none = T();
    const T* const known = kAdds ? factors : &none;
    const F f[4] = {F(d, known[0]), F(d, known[kAdds && kColumns > 1 ? 1 : 0]),
                    F(d, known[kAdds && kColumns > 2 ? 2 : 0]),
                    F(d, known[kAdds && kColumns > 3 ? 3 : 0])};
    const auto step = [&](int64_t at, int u) HWY_ATTR {
      const V xs = hn::LoadU(d, x + at), swapped = Swapped<T>(d, xs);
      V added = hn::Zero(d);
      if constexpr (kAdds) added = hn::LoadU(d, y + at);
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) {
        const V column = hn::LoadU(d, columns + j * stride + at);
        sum[j][u].Add(column, xs, swapped);
        if constexpr (kAdds) added = f[j].MultiplyAdd(column, added);
      }
      if constexpr (kAdds) hn::StoreU(added, d, y + at);
    };
    for (; i + kUnroll * kLanes <= count; i += kUnroll * kLanes) {
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) step(i + u * kLanes, u);
    }
    for (; i + kLanes <= count; i += kLanes) step(i, 0);
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 4
      for (int u = 1; u < kUnroll; ++u) sum[j][0].Add(d, sum[j][u]);
      sums[j] = sum[j][0].Total(d, conjugate);
    }
  } else {
    for (int j = 0; j < kColumns; ++j) sums[j] = T();
  }
  for (int64_t e = i / kParts<T>; e < a.rows; ++e) {
    for (int j = 0; j < kColumns; ++j) {
      const T element = a.data[j * a.stride + e];
      sums[j] += Multiplied(conjugate ? Conjugate(element) : element, x_elements[e]);
      if constexpr (kAdds) y_elements[e] += Multiplied(element, factors[j]);
    }
  }
}

template <typename T>
void DotColumns(const Columns<const T>& a, const T* x, bool conjugate, T* sums) {
  int64_t j = 0;
  for (; j + 4 <= a.columns; j += 4)
    DotGroup<T, 4, false>(a.From(0, j), nullptr, nullptr, x, conjugate, sums + j);
  for (; j < a.columns; ++j)
    DotGroup<T, 1, false>(a.From(0, j), nullptr, nullptr, x, conjugate, sums + j);
}

template <typename T>
void AddAndDotColumns(const Columns<const T>& a, const T* factors, T* y, const T* x, T* sums) {
  // As many as there are registers for.
  constexpr int kGroup = kIsComplex<T> ? 2 : 4;
  int64_t j = 0;
  for (; j + kGroup <= a.columns; j += kGroup)
    DotGroup<T, kGroup, true>(a.From(0, j), factors + j, y, x, true, sums + j);
  for (; j < a.columns; ++j) DotGroup<T, 1, true>(a.From(0, j), factors + j, y, x, true, sums + j);
}

template <typename T, int kColumns, int kVectors, class D>
HWY_INLINE void UpdateAt(D d, Part<T>* a, int64_t stride, const T* factors, const Part<T>* x,
                         const T* factors2, const Part<T>* x2, int64_t begin, int64_t end) {
  using F = Factor<T, D>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr bool kTwice = kVectors == 2;
  const T* const second = kTwice ? factors2 : factors;
  constexpr int kNext = kColumns > 1 ? 1 : 0;
  const F f[2] = {F(d, factors[0]), F(d, factors[kNext])};
  const F f2[2] = {F(d, second[0]), F(d, second[kNext])};
  for (int64_t i = begin; i < end; i += kLanes) {
    const auto xs = hn::LoadU(d, x + i);
    auto xs2 = xs;
    if constexpr (kTwice) xs2 = hn::LoadU(d, x2 + i);
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) {
      Part<T>* const to = a + j * stride + i;
      auto sum = f[j].MultiplyAdd(xs, hn::LoadU(d, to));
      if constexpr (kTwice) sum = f2[j].MultiplyAdd(xs2, sum);
      hn::StoreU(sum, d, to);
    }
  }
}

template <typename T, int kColumns, int kVectors>
HWY_INLINE void UpdateGroup(const Columns<T>& a, const T* factors, const T* x, const T* factors2,
                            const T* x2) {
  const int64_t whole = WholeVectors<T>(a.rows), all = a.rows * kParts<T>,
                stride = a.stride * kParts<T>;
  if (whole > 0) {
    UpdateAt<T, kColumns, kVectors>(FullTag<T>(), PartsOf(a.data), stride, factors, PartsOf(x),
                                    factors2, PartsOf(x2), 0, whole);
  }
  if (whole < all) {
    UpdateAt<T, kColumns, kVectors>(OneTag<T>(), PartsOf(a.data), stride, factors, PartsOf(x),
                                    factors2, PartsOf(x2), whole, all);
  }
}

template <typename T>
void UpdateColumns(const Columns<T>& a, const T* factors, const T* x) {
  int64_t j = 0;
  for (; j + 2 <= a.columns; j += 2)
    UpdateGroup<T, 2, 1>(a.From(0, j), factors + j, x, nullptr, nullptr);
  for (; j < a.columns; ++j) UpdateGroup<T, 1, 1>(a.From(0, j), factors + j, x, nullptr, nullptr);
}

template <typename T>
void UpdateColumnsTwice(const Columns<T>& a, const T* factors, const T* x, const T* factors2,
                        const T* x2) {
  int64_t j = 0;
  for (; j + 2 <= a.columns; j += 2)
    UpdateGroup<T, 2, 2>(a.From(0, j), factors + j, x, factors2 + j, x2);
  for (; j < a.columns; ++j) UpdateGroup<T, 1, 2>(a.From(0, j), factors + j, x, factors2 + j, x2);
}

template <typename T>
void Scale(int64_t count, T factor, T* x) {
  Part<T>* const parts = PartsOf(x);
  ForEachVector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const Factor<T, decltype(d)> f(d, factor);
    hn::StoreU(f.Multiply(hn::LoadU(d, parts + i)), d, parts + i);
  });
}

template <typename T>
void AddMultiple(int64_t count, T factor, const T* x, T* y) {
  const Part<T>* const xs = PartsOf(x);
  Part<T>* const ys = PartsOf(y);
  ForEachVector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const Factor<T, decltype(d)> f(d, factor);
    hn::StoreU(hn::Add(hn::LoadU(d, ys + i), f.Multiply(hn::LoadU(d, xs + i))), d, ys + i);
  });
}

template <typename T>
void Rotate(int64_t count, Part<T> c, Part<T> s, T* x, T* y) {
  Part<T>*const xs = PartsOf(x), *const ys = PartsOf(y);
  ForEachVector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    const auto cosine = hn::Set(d, c), sine = hn::Set(d, s);
    const auto a = hn::LoadU(d, xs + i), b = hn::LoadU(d, ys + i);
    hn::StoreU(hn::Add(hn::Mul(cosine, a), hn::Mul(sine, b)), d, xs + i);
    hn::StoreU(hn::Sub(hn::Mul(cosine, b), hn::Mul(sine, a)), d, ys + i);
  });
}

template <typename T>
Part<T> AbsoluteSum(int64_t count, const T* x) {
  const FullTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const Part<T>* const parts = PartsOf(x);
  count *= kParts<T>;
  auto sum0 = hn::Zero(d), sum1 = sum0;
  int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    sum0 = hn::Add(sum0, hn::Abs(hn::LoadU(d, parts + i)));
    sum1 = hn::Add(sum1, hn::Abs(hn::LoadU(d, parts + i + kLanes)));
  }
  Part<T> total = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  for (; i < count; ++i) total += std::abs(parts[i]);
  return total;
}

template <typename T>
double SumOfSquares(int64_t count, const T* x) {
  const hn::ScalableTag<double> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const Part<T>* const parts = PartsOf(x);
  count *= kParts<T>;
  const auto load = [&](int64_t at) HWY_ATTR {
    if constexpr (std::is_same_v<Part<T>, float>) {
      return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), parts + at));
    } else {
      return hn::LoadU(d, parts + at);
    }
  };
  constexpr int kUnroll = 4;
  hn::Vec<decltype(d)> sums[kUnroll];
  for (auto& sum : sums) sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + kUnroll * kLanes <= count; i += kUnroll * kLanes) {
#pragma GCC unroll 4
    for (int u = 0; u < kUnroll; ++u) {
      const auto v = load(i + u * kLanes);
      sums[u] = hn::MulAdd(v, v, sums[u]);
    }
  }
  double total =
      hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
  for (; i < count; ++i) total += double{parts[i]} * double{parts[i]};
  return total;
}

template <typename T>
Part<T> Largest(int64_t count, const T* x) {
  using P = Part<T>;
  const Part<T>* const parts = PartsOf(x);
  P best = -1;
  hn::Vec<FullTag<T>> lanes = hn::Set(FullTag<T>(), P(-1));
  ForEachVector<T>(count, [&](auto d, int64_t i) HWY_ATTR {
    auto v = hn::Abs(hn::LoadU(d, parts + i));
    if constexpr (kIsComplex<T>) v = hn::Add(v, hn::Reverse2(d, v));
    if constexpr (std::is_same_v<decltype(d), FullTag<T>>) {
      lanes = hn::IfThenElse(hn::Gt(v, lanes), v, lanes);
    } else {
      best = hn::GetLane(v) > best ? hn::GetLane(v) : best;
    }
  });
  return std::max(best, hn::GetLane(hn::MaxOfLanes(FullTag<T>(), lanes)));
}

template <typename T>
VectorKernels<T> KernelsOf() {
  return {&AddColumns<T>,         &DotColumns<T>,   &AddAndDotColumns<T>, &UpdateColumns<T>,
          &UpdateColumnsTwice<T>, &Scale<T>,        &AddMultiple<T>,      &Rotate<T>,
          &AbsoluteSum<T>,        &SumOfSquares<T>, &Largest<T>};
}

#endif  // HWY_TARGET == HWY_SCALAR

VectorKernels<float> KernelsS() { return KernelsOf<float>(); }
VectorKernels<double> KernelsD() { return KernelsOf<double>(); }
VectorKernels<std::complex<float>> KernelsC() { return KernelsOf<std::complex<float>>(); }
VectorKernels<std::complex<double>> KernelsZ() { return KernelsOf<std::complex<double>>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xla::blas
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::blas {
namespace {

HWY_EXPORT(KernelsS);
HWY_EXPORT(KernelsD);
HWY_EXPORT(KernelsC);
HWY_EXPORT(KernelsZ);

}  // namespace

template <>
const VectorKernels<float>& GetVectorKernels() {
  static const VectorKernels<float> kernels = HWY_DYNAMIC_DISPATCH(KernelsS)();
  return kernels;
}
template <>
const VectorKernels<double>& GetVectorKernels() {
  static const VectorKernels<double> kernels = HWY_DYNAMIC_DISPATCH(KernelsD)();
  return kernels;
}
template <>
const VectorKernels<std::complex<float>>& GetVectorKernels() {
  static const VectorKernels<std::complex<float>> kernels = HWY_DYNAMIC_DISPATCH(KernelsC)();
  return kernels;
}
template <>
const VectorKernels<std::complex<double>>& GetVectorKernels() {
  static const VectorKernels<std::complex<double>> kernels = HWY_DYNAMIC_DISPATCH(KernelsZ)();
  return kernels;
}

}  // namespace xla::blas
#endif  // HWY_ONCE
