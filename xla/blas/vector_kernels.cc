// SPDX-License-Identifier: Apache-2.0
// Loops on vectors for each instruction set. Complex numbers lie in pairs of lanes.
#include "xla/blas/vector_kernels.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "xla/blas/element_types.h"
#include "xla/blas/matrix.h"
#include "xla/blas/plain_vector_kernels.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/vector_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "xla/blas/lanes-inl.h"

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

template <typename T>
using FullTag = hn::ScalableTag<Part<T>>;

constexpr int64_t RoundUp(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

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

  // Constructors that the compiler adds would lack the instruction set that GCC wants them to have.
  HWY_INLINE Factor() {}
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

  HWY_INLINE DotSum() {}
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

// The sum of blocks of 16 bytes.
template <class D>
HWY_INLINE auto SumOfBlocks(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) <= 16) {
    return v;
  } else {
    const hn::Half<D> half;
    return SumOfBlocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// totals[j] = sums[j].Total(conjugate). Of real numbers, four sums are added up side by side.
template <typename T, int kColumns, class D>
HWY_INLINE void StoreTotals(D d, const DotSum<T, D>* sums, bool conjugate, T* totals) {
  if constexpr (kIsComplex<T> || kColumns % 4 != 0) {
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) totals[j] = sums[j].Total(d, conjugate);
  } else {
    const hn::CappedTag<T, 16 / sizeof(T)> block;
#pragma GCC unroll 2
    for (int j = 0; j < kColumns; j += 4) {
      const auto pair = [&](int i) HWY_ATTR {
        const auto a = sums[j + i].straight, b = sums[j + i + 1].straight;
        return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
      };
      const auto low = pair(0), high = pair(2);
      if constexpr (sizeof(T) == 8) {
        hn::StoreU(SumOfBlocks(d, low), block, totals + j);
        hn::StoreU(SumOfBlocks(d, high), block, totals + j + 2);
      } else {
        const hn::RepartitionToWide<D> wide;
        const auto a = hn::BitCast(wide, low), b = hn::BitCast(wide, high);
        const auto all = hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, a, b)),
                                 hn::BitCast(d, hn::InterleaveUpper(wide, a, b)));
        hn::StoreU(SumOfBlocks(d, all), block, totals + j);
      }
    }
  }
}

template <typename T, class D>
HWY_INLINE hn::Vec<D> Swapped(D d, hn::Vec<D> x) {
  if constexpr (kIsComplex<T>) return hn::Reverse2(d, x);
  return x;
}

// Calls body(access, i) for vectors of the parts [begin, end).
template <typename T, class Body>
HWY_INLINE void ForEachVector(int64_t begin, int64_t end, const Body& body) {
  constexpr int64_t kLanes = hn::MaxLanes(FullTag<T>());
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) body(Whole(), i);
  if (i < end) body(Rest{static_cast<size_t>(end - i)}, i);
}

// Columns that are read together, as many as there are registers for.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
template <typename T>
constexpr int kMostColumns = kIsComplex<T> ? 4 : 8;
#else
template <typename T>
constexpr int kMostColumns = 4;
#endif

// `rest` holds the last elements of y, which do not fill a vector.
template <typename T, int kColumns>
HWY_INLINE void AddGroup(const Columns<const T>& a, const T* factors, T* y_elements,
                         Part<T>* rest) {
  const FullTag<T> d;
  using F = Factor<T, FullTag<T>>;
  const Part<T>* const columns = PartsOf(a.data);
  Part<T>* const y = PartsOf(y_elements);
  const int64_t stride = a.stride * kParts<T>, count = a.rows * kParts<T>;
  F f[kColumns];
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) f[j] = F(d, factors[j]);
  const auto step = [&](auto access, int64_t i, Part<T>* to) HWY_ATTR {
    auto sum = hn::LoadU(d, to);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j)
      sum = f[j].MultiplyAdd(access.Load(d, columns + j * stride + i), sum);
    hn::StoreU(sum, d, to);
  };
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) step(Whole(), i, y + i);
  if (i < count) step(Rest{static_cast<size_t>(count - i)}, i, rest);
}

template <typename T>
void AddColumns(const Columns<const T>& a, const T* factors, T* y) {
  // Stores of parts of vectors take long, and longer if they are read soon.
  constexpr int64_t kLanes = hn::MaxLanes(FullTag<T>());
  Part<T> rest[kLanes] = {};
  const int64_t count = a.rows * kParts<T>, whole = count / kLanes * kLanes;
  std::copy(PartsOf(y) + whole, PartsOf(y) + count, rest);
  int64_t j = 0;
  for (; j + kMostColumns<T> <= a.columns; j += kMostColumns<T>)
    AddGroup<T, kMostColumns<T>>(a.From(0, j), factors + j, y, rest);
  for (; j + 4 <= a.columns; j += 4) AddGroup<T, 4>(a.From(0, j), factors + j, y, rest);
  for (; j < a.columns; ++j) AddGroup<T, 1>(a.From(0, j), factors + j, y, rest);
  std::copy_n(rest, count - whole, PartsOf(y) + whole);
}

// Two partial sums of whole vectors, in an order that is the same for any number of columns.
template <typename T, int kColumns>
HWY_INLINE void DotGroup(const Columns<const T>& a, const T* x_elements, bool conjugate, T* sums) {
  const FullTag<T> d;
  using V = hn::Vec<FullTag<T>>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr int kUnroll = 2;
  const int64_t count = a.rows * kParts<T>, stride = a.stride * kParts<T>;
  const Part<T>* HWY_RESTRICT columns = PartsOf(a.data);
  const Part<T>* HWY_RESTRICT x = PartsOf(x_elements);
  DotSum<T, FullTag<T>> sum[kColumns][kUnroll];
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 4
    for (int u = 0; u < kUnroll; ++u) sum[j][u].Clear(d);
  }
  const auto step = [&](auto access, int64_t i, int u) HWY_ATTR {
    const V xs = InRegister(access.Load(d, x + i)), swapped = Swapped<T>(d, xs);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j)
      sum[j][u].Add(access.Load(d, columns + j * stride + i), xs, swapped);
  };
  int64_t i = 0;
  for (; i + kUnroll * kLanes <= count; i += kUnroll * kLanes) {
#pragma GCC unroll 4
    for (int u = 0; u < kUnroll; ++u) step(Whole(), i + u * kLanes, u);
  }
  DotSum<T, FullTag<T>> all[kColumns];
  ForEachVector<T>(i, count, [&](auto access, int64_t at) HWY_ATTR { step(access, at, 0); });
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 4
    for (int u = 1; u < kUnroll; ++u) sum[j][0].Add(d, sum[j][u]);
    all[j] = sum[j][0];
  }
  StoreTotals<T, kColumns>(d, all, conjugate, sums);
}

template <typename T>
void DotColumns(const Columns<const T>& a, const T* x, bool conjugate, T* sums) {
  int64_t j = 0;
  for (; j + kMostColumns<T> <= a.columns; j += kMostColumns<T>)
    DotGroup<T, kMostColumns<T>>(a.From(0, j), x, conjugate, sums + j);
  for (; j + 4 <= a.columns; j += 4) DotGroup<T, 4>(a.From(0, j), x, conjugate, sums + j);
  for (; j < a.columns; ++j) DotGroup<T, 1>(a.From(0, j), x, conjugate, sums + j);
}

// Columns [column, column + kColumns) of a triangle: each element beside the diagonal is multiplied
// with both of its vectors while it is in a register.
template <typename T, int kColumns>
HWY_INLINE void SymmetricGroup(const HalfMatrix<T>& a, T alpha, int64_t column, const T* x_elements,
                               T* y_elements) {
  const FullTag<T> d;
  using P = Part<T>;
  using F = Factor<T, FullTag<T>>;
  using V = hn::Vec<FullTag<T>>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t stride = a.stride * kParts<T>, diagonal = column * kParts<T>,
                after = diagonal + kColumns * kParts<T>;
  const P* HWY_RESTRICT columns = PartsOf(a.data + column * a.stride);
  const P* HWY_RESTRICT x = PartsOf(x_elements);
  P* HWY_RESTRICT y = PartsOf(y_elements);
  DotSum<T, FullTag<T>> sums[kColumns];
  F factors[kColumns];
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
    sums[j].Clear(d);
    factors[j] = F(d, Multiplied(alpha, x_elements[column + j]));
  }
  const auto step = [&](auto access, int64_t i) HWY_ATTR {
    const V xs = InRegister(access.Load(d, x + i)), swapped = Swapped<T>(d, xs);
    V added = access.Load(d, y + i);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const V elements = InRegister(access.Load(d, columns + j * stride + i));
      sums[j].Add(elements, xs, swapped);
      added = factors[j].MultiplyAdd(elements, added);
    }
    access.Store(d, added, y + i);
  };
  // The rows of the diagonal, where each column has elements of its own.
  const auto masked_step = [&](auto access, int64_t i) HWY_ATTR {
    const V xs = access.Load(d, x + i);
    V added = access.Load(d, y + i);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      // Lanes before the diagonal, or with it.
      const int64_t lanes = diagonal - i + (j + (a.lower ? 1 : 0)) * kParts<T>;
      const auto first = hn::FirstN(d, static_cast<size_t>(std::clamp<int64_t>(lanes, 0, kLanes)));
      const auto mask = a.lower ? hn::Not(first) : first;
      const V elements = hn::IfThenElseZero(mask, access.Load(d, columns + j * stride + i));
      // Zeros are not multiplied with what may be infinite.
      const V known = hn::IfThenElseZero(mask, xs);
      sums[j].Add(elements, known, Swapped<T>(d, known));
      added = hn::IfThenElse(mask, factors[j].MultiplyAdd(elements, added), added);
    }
    access.Store(d, added, y + i);
  };
  if (a.lower) {
    const int64_t end = a.n * kParts<T>;
    // Vectors end with the matrix, and the first begins above the diagonal, if there is room: it is
    // masked anyway.
    const int64_t above = RoundUp(end - diagonal, kLanes) - (end - diagonal);
    const int64_t begin = above <= diagonal ? diagonal - above : diagonal;
    const int64_t masked = std::min(begin + RoundUp(after - begin, kLanes), end);
    ForEachVector<T>(masked, end, step);
    ForEachVector<T>(begin, masked, masked_step);
  } else {
    const int64_t masked = diagonal / kLanes * kLanes;
    ForEachVector<T>(0, masked, step);
    ForEachVector<T>(masked, after, masked_step);
  }
  T totals[kColumns];
  StoreTotals<T, kColumns>(d, sums, /*conjugate=*/true, totals);
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
    const int64_t at = column + j;
    const T sum = totals[j] + RealPart(a.data[at + at * a.stride]) * x_elements[at];
    y_elements[at] += Multiplied(alpha, sum);
  }
}

template <typename T>
void AddSymmetricColumns(const HalfMatrix<T>& a, T alpha, int64_t begin, int64_t end, const T* x,
                         T* y) {
  constexpr int kGroup = kMostColumns<T> / (kIsComplex<T> && kMostColumns<float> == 4 ? 2 : 1);
  int64_t j = begin;
  for (; j + kGroup <= end; j += kGroup) SymmetricGroup<T, kGroup>(a, alpha, j, x, y);
  for (; j < end; ++j) SymmetricGroup<T, 1>(a, alpha, j, x, y);
}

template <typename T, int kColumns, int kVectors>
HWY_INLINE void UpdateGroup(const Columns<T>& a, const T* factors, const T* x_elements,
                            const T* factors2, const T* x2_elements) {
  const FullTag<T> d;
  using F = Factor<T, FullTag<T>>;
  constexpr bool kTwice = kVectors == 2;
  constexpr int kNext = kColumns > 1 ? 1 : 0;
  const int64_t stride = a.stride * kParts<T>;
  Part<T>* const columns = PartsOf(a.data);
  const Part<T>*const x = PartsOf(x_elements), *const x2 = PartsOf(x2_elements);
  const T* const second = kTwice ? factors2 : factors;
  const F f[2] = {F(d, factors[0]), F(d, factors[kNext])};
  const F f2[2] = {F(d, second[0]), F(d, second[kNext])};
  ForEachVector<T>(0, a.rows * kParts<T>, [&](auto access, int64_t i) HWY_ATTR {
    const auto xs = access.Load(d, x + i);
    auto xs2 = xs;
    if constexpr (kTwice) xs2 = access.Load(d, x2 + i);
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) {
      Part<T>* const to = columns + j * stride + i;
      auto sum = f[j].MultiplyAdd(xs, access.Load(d, to));
      if constexpr (kTwice) sum = f2[j].MultiplyAdd(xs2, sum);
      access.Store(d, sum, to);
    }
  });
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
  const FullTag<T> d;
  const Factor<T, FullTag<T>> f(d, factor);
  Part<T>* const parts = PartsOf(x);
  ForEachVector<T>(0, count * kParts<T>, [&](auto access, int64_t i) HWY_ATTR {
    access.Store(d, f.Multiply(access.Load(d, parts + i)), parts + i);
  });
}

template <typename T>
void AddMultiple(int64_t count, T factor, const T* x, T* y) {
  const FullTag<T> d;
  const Factor<T, FullTag<T>> f(d, factor);
  const Part<T>* const xs = PartsOf(x);
  Part<T>* const ys = PartsOf(y);
  ForEachVector<T>(0, count * kParts<T>, [&](auto access, int64_t i) HWY_ATTR {
    const auto product = f.Multiply(access.Load(d, xs + i));
    access.Store(d, hn::Add(access.Load(d, ys + i), product), ys + i);
  });
}

template <typename T>
void Rotate(int64_t count, Part<T> c, Part<T> s, T* x, T* y) {
  const FullTag<T> d;
  Part<T>*const xs = PartsOf(x), *const ys = PartsOf(y);
  const auto cosine = hn::Set(d, c), sine = hn::Set(d, s);
  ForEachVector<T>(0, count * kParts<T>, [&](auto access, int64_t i) HWY_ATTR {
    const auto a = access.Load(d, xs + i), b = access.Load(d, ys + i);
    access.Store(d, hn::Add(hn::Mul(cosine, a), hn::Mul(sine, b)), xs + i);
    access.Store(d, hn::Sub(hn::Mul(cosine, b), hn::Mul(sine, a)), ys + i);
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
  const FullTag<T> d;
  const Part<T>* const parts = PartsOf(x);
  auto largest = hn::Zero(d);
  ForEachVector<T>(0, count * kParts<T>, [&](auto access, int64_t i) HWY_ATTR {
    auto v = hn::Abs(access.Load(d, parts + i));
    if constexpr (kIsComplex<T>) v = hn::Add(v, hn::Reverse2(d, v));
    largest = hn::IfThenElse(hn::Gt(v, largest), v, largest);
  });
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

template <typename T>
VectorKernels<T> KernelsOf() {
  return {&AddColumns<T>,
          &DotColumns<T>,
          &AddSymmetricColumns<T>,
          &UpdateColumns<T>,
          &UpdateColumnsTwice<T>,
          &Scale<T>,
          &AddMultiple<T>,
          &Rotate<T>,
          &AbsoluteSum<T>,
          &SumOfSquares<T>,
          &Largest<T>};
}

#endif  // HWY_TARGET == HWY_SCALAR

const ForElementTypes<VectorKernels>& AllKernels() {
  static const ForElementTypes<VectorKernels> kAll = {KernelsOf<float>(), KernelsOf<double>(),
                                                      KernelsOf<std::complex<float>>(),
                                                      KernelsOf<std::complex<double>>()};
  return kAll;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xla::blas
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::blas {
namespace {

HWY_EXPORT(AllKernels);

}  // namespace

template <typename T>
const VectorKernels<T>& GetVectorKernels() {
  return std::get<VectorKernels<T>>(HWY_DYNAMIC_DISPATCH(AllKernels)());
}
template const VectorKernels<float>& GetVectorKernels();
template const VectorKernels<double>& GetVectorKernels();
template const VectorKernels<std::complex<float>>& GetVectorKernels();
template const VectorKernels<std::complex<double>>& GetVectorKernels();

}  // namespace xla::blas
#endif  // HWY_ONCE
