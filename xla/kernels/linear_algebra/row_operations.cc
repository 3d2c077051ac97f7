// SPDX-License-Identifier: Apache-2.0
// Operations on rows of matrices for each instruction set. Products and sums are rounded
// separately, in a fixed order.
#include "xla/kernels/linear_algebra/row_operations.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/kernels/linear_algebra/row_operations.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using OneTag = hn::CappedTag<double, 1>;

// Numbers of lanes; `im` is not used for real ones.
template <bool kComplex, class D>
struct Numbers {
  using V = hn::Vec<D>;
  V re, im;

  // Implicit constructors would lack the instruction set that GCC requires of them.
  HWY_INLINE Numbers() {}
  HWY_INLINE Numbers(V re, V im) : re(re), im(im) {}
  static HWY_INLINE Numbers Load(D d, const Planes<const double>& from, int64_t at) {
    if constexpr (kComplex) return {hn::LoadU(d, from.re + at), hn::LoadU(d, from.im + at)};
    return {hn::LoadU(d, from.re + at), hn::Zero(d)};
  }
  static HWY_INLINE Numbers Set(D d, double re, double im) {
    return {hn::Set(d, re), hn::Set(d, im)};
  }
  HWY_INLINE void Store(D d, const Planes<double>& to, int64_t at) const {
    hn::StoreU(re, d, to.re + at);
    if constexpr (kComplex) hn::StoreU(im, d, to.im + at);
  }
  HWY_INLINE Numbers operator+(const Numbers& b) const {
    if constexpr (kComplex) return {hn::Add(re, b.re), hn::Add(im, b.im)};
    return {hn::Add(re, b.re), im};
  }
  HWY_INLINE Numbers operator-(const Numbers& b) const {
    if constexpr (kComplex) return {hn::Sub(re, b.re), hn::Sub(im, b.im)};
    return {hn::Sub(re, b.re), im};
  }
  HWY_INLINE Numbers operator*(const Numbers& b) const {
    if constexpr (kComplex) {
      return {hn::Sub(hn::Mul(re, b.re), hn::Mul(im, b.im)),
              hn::Add(hn::Mul(re, b.im), hn::Mul(im, b.re))};
    }
    return {hn::Mul(re, b.re), im};
  }
  HWY_INLINE Numbers Times(V real) const {
    if constexpr (kComplex) return {hn::Mul(re, real), hn::Mul(im, real)};
    return {hn::Mul(re, real), im};
  }
  HWY_INLINE Numbers Conjugate() const {
    if constexpr (kComplex) return {re, hn::Neg(im)};
    return *this;
  }
};

template <bool kComplex, int kVectors, class D>
HWY_INLINE void LoadVectors(D d, const Planes<const double>& from, int64_t at,
                            Numbers<kComplex, D> (&values)[kVectors]) {
#pragma GCC unroll 8
  for (int k = 0; k < kVectors; ++k)
    values[k] = Numbers<kComplex, D>::Load(d, from, at + k * hn::MaxLanes(d));
}
template <bool kComplex, int kVectors, class D>
HWY_INLINE void StoreVectors(D d, const Numbers<kComplex, D> (&values)[kVectors],
                             const Planes<double>& to, int64_t at) {
#pragma GCC unroll 8
  for (int k = 0; k < kVectors; ++k) values[k].Store(d, to, at + k * hn::MaxLanes(d));
}

// Calls step(tag, constant number of vectors, first column) for all columns: several vectors at a
// time, then one, then single elements.
template <int kVectors, class Step>
HWY_INLINE void ForEachColumn(int64_t columns, const Step& step) {
  const Tag d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr std::integral_constant<int, 1> kOne;
  int64_t c = 0;
  for (; c + kVectors * kLanes <= columns; c += kVectors * kLanes)
    step(d, std::integral_constant<int, kVectors>(), c);
  for (; c + kLanes <= columns; c += kLanes) step(d, kOne, c);
  for (; c < columns; ++c) step(OneTag(), kOne, c);
}

template <bool kComplex>
double ImaginaryAt(const Planes<const double>& from, int64_t i) {
  return kComplex ? from.im[i] : 0;
}

template <bool kComplex, int kCount, int kVectors, class D>
HWY_INLINE void ProjectAt(D d, const RowBlock<const double>& a, const VectorGroup& v,
                          int64_t sums_stride, const Planes<double>& sums, int64_t c) {
  using N = Numbers<kComplex, D>;
  N sum[kCount][kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) sum[j][k] = {hn::Zero(d), hn::Zero(d)};
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    N value[kVectors];
    LoadVectors(d, a.data, i * a.stride + c, value);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      const int64_t at = j * v.stride + i;
      const N factor = N::Set(d, v.data.re[at], -ImaginaryAt<kComplex>(v.data, at));
#pragma GCC unroll 8
      for (int k = 0; k < kVectors; ++k) sum[j][k] = sum[j][k] + factor * value[k];
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) StoreVectors(d, sum[j], sums, j * sums_stride + c);
}
template <bool kComplex, int kCount>
void Project(const RowBlock<const double>& a, const VectorGroup& v, int64_t sums_stride,
             const Planes<double>& sums) {
  ForEachColumn<(kComplex ? 4 : 8) / (kCount == 1 ? 1 : 2)>(
      a.columns, [&](auto d, auto vectors, int64_t c) HWY_ATTR {
        ProjectAt<kComplex, kCount, vectors()>(d, a, v, sums_stride, sums, c);
      });
}

template <bool kComplex, int kCount, int kVectors, class D>
HWY_INLINE void SubtractAt(D d, const VectorGroup& v, int64_t rows_stride,
                           const Planes<const double>& rows, const RowBlock<double>& a, int64_t c) {
  using N = Numbers<kComplex, D>;
  N row[kCount][kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) LoadVectors(d, rows, j * rows_stride + c, row[j]);
  for (int64_t i = 0; i < a.rows; ++i) {
    N value[kVectors];
    const int64_t to = i * a.stride + c;
    LoadVectors(d, a.data, to, value);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      const int64_t at = j * v.stride + i;
      const N factor = N::Set(d, v.data.re[at], ImaginaryAt<kComplex>(v.data, at));
#pragma GCC unroll 8
      for (int k = 0; k < kVectors; ++k) value[k] = value[k] - factor * row[j][k];
    }
    StoreVectors(d, value, a.data, to);
  }
}
template <bool kComplex, int kCount>
void Subtract(const VectorGroup& v, int64_t rows_stride, const Planes<const double>& rows,
              const RowBlock<double>& a) {
  ForEachColumn<kComplex ? 2 : 4>(a.columns, [&](auto d, auto vectors, int64_t c) HWY_ATTR {
    SubtractAt<kComplex, kCount, vectors()>(d, v, rows_stride, rows, a, c);
  });
}

template <bool kComplex, int kRows, int kVectors, class D>
HWY_INLINE void ProductAt(D d, const ProductOperands& o, const RowBlock<double>& c, int64_t i,
                          int64_t j) {
  using N = Numbers<kComplex, D>;
  N sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) LoadVectors(d, c.data, (i + r) * c.stride + j, sum[r]);
  for (int64_t k = 0; k < o.depth; ++k) {
    N b[kVectors];
    LoadVectors(d, o.b, k * o.b_stride + j, b);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const int64_t at = (i + r) * o.a_stride + k;
      const N a = N::Set(d, o.a.re[at], ImaginaryAt<kComplex>(o.a, at));
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = sum[r][v] - a * b[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) StoreVectors(d, sum[r], c.data, (i + r) * c.stride + j);
}
template <bool kComplex, int kRows>
void ProductOfRows(const ProductOperands& o, const RowBlock<double>& c, int64_t i) {
  ForEachColumn<kComplex ? 2 : 4>(c.columns, [&](auto d, auto vectors, int64_t j) HWY_ATTR {
    ProductAt<kComplex, kRows, vectors()>(d, o, c, i, j);
  });
}
template <bool kComplex>
void MatrixProduct(const ProductOperands& o, const RowBlock<double>& c) {
  constexpr int kRows = 4;
  int64_t i = 0;
  for (; i + kRows <= c.rows; i += kRows) ProductOfRows<kComplex, kRows>(o, c, i);
  for (; i < c.rows; ++i) ProductOfRows<kComplex, 1>(o, c, i);
}

template <bool kComplex>
void FactorLanes(int64_t n, const Planes<double>& a, bool (&definite)[kSideBySide]) {
  using N = Numbers<kComplex, Tag>;
  const Tag d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  for (int64_t lane = 0; lane < kSideBySide; lane += kLanes) {
    const auto at = [&](int64_t i, int64_t j) { return (i * n + j) * kSideBySide + lane; };
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        N sum = N::Load(d, a, at(i, j));
        for (int64_t k = 0; k < j; ++k)
          sum = sum - N::Load(d, a, at(i, k)) * N::Load(d, a, at(j, k)).Conjugate();
        if (j < i) {
          const auto pivot = hn::LoadU(d, a.re + at(j, j));
          sum.re = hn::Div(sum.re, pivot);
          if constexpr (kComplex) sum.im = hn::Div(sum.im, pivot);
        } else {
          alignas(64) double pivots[kLanes];
          hn::Store(sum.re, d, pivots);
          for (int64_t l = 0; l < kLanes; ++l)
            definite[lane + l] = (i == 0 || definite[lane + l]) && pivots[l] > 0;
          sum = {hn::Sqrt(sum.re), hn::Zero(d)};
        }
        sum.Store(d, a, at(i, j));
      }
    }
  }
}

template <bool kComplex, class D>
HWY_INLINE void RotateTwo(D d, const Rotation& rotation, Numbers<kComplex, D>& x,
                          Numbers<kComplex, D>& y) {
  const auto c = hn::Set(d, rotation.c);
  const auto s = Numbers<kComplex, D>::Set(d, rotation.s_re, rotation.s_im);
  const Numbers<kComplex, D> first = x.Times(c) - y * s.Conjugate();
  y = x * s + y.Times(c);
  x = first;
}
template <bool kComplex, class D>
HWY_INLINE void RotateAt(D d, const Rotation& rotation, const Planes<double>& x,
                         const Planes<double>& y, int64_t at) {
  using N = Numbers<kComplex, D>;
  N a = N::Load(d, x, at), b = N::Load(d, y, at);
  RotateTwo<kComplex>(d, rotation, a, b);
  a.Store(d, x, at);
  b.Store(d, y, at);
}
template <bool kComplex>
void Rotate(const Rotation& rotation, int64_t count, const Planes<double>& x,
            const Planes<double>& y) {
  ForEachColumn<1>(
      count, [&](auto d, auto, int64_t i) HWY_ATTR { RotateAt<kComplex>(d, rotation, x, y, i); });
}

template <bool kComplex>
void RotateInHalves(const Rotation& rotation, int64_t half, const double* c,
                    const Planes<const double>& s, const Halves<const double>& x,
                    const Halves<const double>& y, const Halves<double>& to_x,
                    const Halves<double>& to_y) {
  using N = Numbers<kComplex, Tag>;
  const Tag d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  // Elements stored beyond the end of a half overwrite nothing that is needed.
  for (int64_t i = 0; i < half; i += kLanes) {
    N x_left = N::Load(d, x.left, i), x_right = N::Load(d, x.right, i);
    N y_left = N::Load(d, y.left, i), y_right = N::Load(d, y.right, i);
    RotateTwo<kComplex>(d, rotation, x_left, y_left);
    RotateTwo<kComplex>(d, rotation, x_right, y_right);
    const auto cosine = hn::LoadU(d, c + i);
    const N sine = N::Load(d, s, i);
    (x_left.Times(cosine) - x_right * sine).Store(d, to_x.left, i + 1);
    (x_left * sine.Conjugate() + x_right.Times(cosine)).Store(d, to_x.right, i - 1);
    (y_left.Times(cosine) - y_right * sine).Store(d, to_y.left, i + 1);
    (y_left * sine.Conjugate() + y_right.Times(cosine)).Store(d, to_y.right, i - 1);
  }
}

constexpr int kMost = static_cast<int>(kMostVectors);

void ProjectAny(const RowBlock<const double>& a, const VectorGroup& v, int64_t sums_stride,
                const Planes<double>& sums) {
  const bool is_complex = sums.im != nullptr;
  if (v.count == 1) {
    is_complex ? Project<true, 1>(a, v, sums_stride, sums)
               : Project<false, 1>(a, v, sums_stride, sums);
  } else {
    is_complex ? Project<true, kMost>(a, v, sums_stride, sums)
               : Project<false, kMost>(a, v, sums_stride, sums);
  }
}
void SubtractAny(const VectorGroup& v, int64_t rows_stride, const Planes<const double>& rows,
                 const RowBlock<double>& a) {
  const bool is_complex = rows.im != nullptr;
  if (v.count == 1) {
    is_complex ? Subtract<true, 1>(v, rows_stride, rows, a)
               : Subtract<false, 1>(v, rows_stride, rows, a);
  } else {
    is_complex ? Subtract<true, kMost>(v, rows_stride, rows, a)
               : Subtract<false, kMost>(v, rows_stride, rows, a);
  }
}
void MatrixProductAny(const ProductOperands& o, const RowBlock<double>& c) {
  c.data.im == nullptr ? MatrixProduct<false>(o, c) : MatrixProduct<true>(o, c);
}
void FactorLanesAny(int64_t n, const Planes<double>& a, bool (&definite)[kSideBySide]) {
  a.im == nullptr ? FactorLanes<false>(n, a, definite) : FactorLanes<true>(n, a, definite);
}
void RotateAny(const Rotation& rotation, int64_t count, const Planes<double>& x,
               const Planes<double>& y) {
  x.im == nullptr ? Rotate<false>(rotation, count, x, y) : Rotate<true>(rotation, count, x, y);
}
void RotateHalvesAny(const Rotation& rotation, int64_t half, const double* c,
                     const Planes<const double>& s, const Halves<const double>& x,
                     const Halves<const double>& y, const Halves<double>& to_x,
                     const Halves<double>& to_y) {
  s.im == nullptr ? RotateInHalves<false>(rotation, half, c, s, x, y, to_x, to_y)
                  : RotateInHalves<true>(rotation, half, c, s, x, y, to_x, to_y);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::kernels {

HWY_EXPORT(ProjectAny);
HWY_EXPORT(SubtractAny);
HWY_EXPORT(MatrixProductAny);
HWY_EXPORT(FactorLanesAny);
HWY_EXPORT(RotateAny);
HWY_EXPORT(RotateHalvesAny);

void ProjectRows(const RowBlock<const double>& a, const VectorGroup& v, int64_t sums_stride,
                 const Planes<double>& sums) {
  HWY_DYNAMIC_DISPATCH(ProjectAny)(a, v, sums_stride, sums);
}
void SubtractProducts(const VectorGroup& v, int64_t rows_stride, const Planes<const double>& rows,
                      const RowBlock<double>& a) {
  HWY_DYNAMIC_DISPATCH(SubtractAny)(v, rows_stride, rows, a);
}
void SubtractMatrixProduct(const ProductOperands& operands, const RowBlock<double>& c) {
  HWY_DYNAMIC_DISPATCH(MatrixProductAny)(operands, c);
}
void FactorSideBySide(int64_t n, const Planes<double>& a, bool (&definite)[kSideBySide]) {
  HWY_DYNAMIC_DISPATCH(FactorLanesAny)(n, a, definite);
}
void RotateRows(const Rotation& rotation, int64_t count, const Planes<double>& x,
                const Planes<double>& y) {
  HWY_DYNAMIC_DISPATCH(RotateAny)(rotation, count, x, y);
}
void RotateHalves(const Rotation& rotation, int64_t half, const double* c,
                  const Planes<const double>& s, const Halves<const double>& x,
                  const Halves<const double>& y, const Halves<double>& to_x,
                  const Halves<double>& to_y) {
  HWY_DYNAMIC_DISPATCH(RotateHalvesAny)(rotation, half, c, s, x, y, to_x, to_y);
}

}  // namespace xla::kernels
#endif  // HWY_ONCE
