// SPDX-License-Identifier: Apache-2.0
// Operations on rows of matrices for each instruction set. Products and sums are rounded
// separately, in a fixed order.
#include "xla/kernels/linear_algebra/row_operations.h"

#include <algorithm>
#include <cstdint>

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

template <bool kComplex>
double ImaginaryAt(const Planes<const double>& from, int64_t i) {
  return kComplex ? from.im[i] : 0;
}

template <bool kComplex, int kCount, int kVectors, class D>
HWY_INLINE void ProjectAt(D d, const RowBlock<const double>& a, const VectorGroup& v,
                          int64_t sums_stride, const Planes<double>& sums, int64_t c) {
  using N = Numbers<kComplex, D>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  N sum[kCount][kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) sum[j][k] = {hn::Zero(d), hn::Zero(d)};
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    N value[kVectors];
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) value[k] = N::Load(d, a.data, i * a.stride + c + k * kLanes);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      const int64_t at = j * v.stride + i;
      const N factor = N::Set(d, v.data.re[at], -ImaginaryAt<kComplex>(v.data, at));
#pragma GCC unroll 8
      for (int k = 0; k < kVectors; ++k) sum[j][k] = sum[j][k] + factor * value[k];
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) sum[j][k].Store(d, sums, j * sums_stride + c + k * kLanes);
  }
}
template <bool kComplex, int kCount>
void Project(const RowBlock<const double>& a, const VectorGroup& v, int64_t sums_stride,
             const Planes<double>& sums) {
  const Tag d;
  constexpr int kVectors = (kComplex ? 4 : 8) / (kCount == 1 ? 1 : 2);
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t c = 0;
  for (; c + kVectors * kLanes <= a.columns; c += kVectors * kLanes)
    ProjectAt<kComplex, kCount, kVectors>(d, a, v, sums_stride, sums, c);
  for (; c + kLanes <= a.columns; c += kLanes)
    ProjectAt<kComplex, kCount, 1>(d, a, v, sums_stride, sums, c);
  for (; c < a.columns; ++c) ProjectAt<kComplex, kCount, 1>(OneTag(), a, v, sums_stride, sums, c);
}

template <bool kComplex, int kCount, int kVectors, class D>
HWY_INLINE void SubtractAt(D d, const VectorGroup& v, int64_t rows_stride,
                           const Planes<const double>& rows, const RowBlock<double>& a, int64_t c) {
  using N = Numbers<kComplex, D>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  N row[kCount][kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kCount; ++j) {
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k)
      row[j][k] = N::Load(d, rows, j * rows_stride + c + k * kLanes);
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    N value[kVectors];
    const int64_t to = i * a.stride + c;
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) value[k] = N::Load(d, a.data, to + k * kLanes);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      const int64_t at = j * v.stride + i;
      const N factor = N::Set(d, v.data.re[at], ImaginaryAt<kComplex>(v.data, at));
#pragma GCC unroll 8
      for (int k = 0; k < kVectors; ++k) value[k] = value[k] - factor * row[j][k];
    }
#pragma GCC unroll 8
    for (int k = 0; k < kVectors; ++k) value[k].Store(d, a.data, to + k * kLanes);
  }
}
template <bool kComplex, int kCount>
void Subtract(const VectorGroup& v, int64_t rows_stride, const Planes<const double>& rows,
              const RowBlock<double>& a) {
  const Tag d;
  constexpr int kVectors = kComplex ? 2 : 4;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t c = 0;
  for (; c + kVectors * kLanes <= a.columns; c += kVectors * kLanes)
    SubtractAt<kComplex, kCount, kVectors>(d, v, rows_stride, rows, a, c);
  for (; c + kLanes <= a.columns; c += kLanes)
    SubtractAt<kComplex, kCount, 1>(d, v, rows_stride, rows, a, c);
  for (; c < a.columns; ++c) SubtractAt<kComplex, kCount, 1>(OneTag(), v, rows_stride, rows, a, c);
}

template <bool kComplex, int kRows, int kVectors, class D>
HWY_INLINE void ProductAt(D d, const ProductOperands& o, const RowBlock<double>& c, int64_t i,
                          int64_t j) {
  using N = Numbers<kComplex, D>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  N sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = N::Load(d, c.data, (i + r) * c.stride + j + v * kLanes);
  }
  for (int64_t k = 0; k < o.depth; ++k) {
    N b[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) b[v] = N::Load(d, o.b, k * o.b_stride + j + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const int64_t at = (i + r) * o.a_stride + k;
      const N a = N::Set(d, o.a.re[at], ImaginaryAt<kComplex>(o.a, at));
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = sum[r][v] - a * b[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      sum[r][v].Store(d, c.data, (i + r) * c.stride + j + v * kLanes);
  }
}
template <bool kComplex, int kRows>
void ProductOfRows(const ProductOperands& o, const RowBlock<double>& c, int64_t i) {
  const Tag d;
  constexpr int kVectors = kComplex ? 2 : 4;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t j = 0;
  for (; j + kVectors * kLanes <= c.columns; j += kVectors * kLanes)
    ProductAt<kComplex, kRows, kVectors>(d, o, c, i, j);
  for (; j + kLanes <= c.columns; j += kLanes) ProductAt<kComplex, kRows, 1>(d, o, c, i, j);
  for (; j < c.columns; ++j) ProductAt<kComplex, kRows, 1>(OneTag(), o, c, i, j);
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
  const Tag d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) RotateAt<kComplex>(d, rotation, x, y, i);
  for (; i < count; ++i) RotateAt<kComplex>(OneTag(), rotation, x, y, i);
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
