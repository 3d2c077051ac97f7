// SPDX-License-Identifier: Apache-2.0
// Small products for each instruction set. Sums are those of the tiles of large products: fused
// multiplications and additions in order of k, from zero; blocks of k are added to C in order.
#include "xla/blas/small_product.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/element_types.h"
#include "xla/blas/matrix.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/small_product.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "xla/blas/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Columns of C at a time, and the depth of a block.
constexpr int64_t kGroup = 4;
template <typename T>
constexpr int64_t kDepth = kernels::kProductDepth / kParts<T>;

#if HWY_TARGET == HWY_SCALAR
template <typename T>
void MultiplyColumns(int64_t m, int64_t n, int64_t depth, const T* a, int64_t a_stride,
                     const T* factors, T beta, T* c, int64_t ldc) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) {
      T sum = T(0);
      for (int64_t k = 0; k < depth; ++k)
        sum += Multiplied(factors[k * kGroup + j], a[i + k * a_stride]);
      T& to = c[i + j * ldc];
      to = beta == T(0) ? sum : (beta == T(1) ? to : Multiplied(beta, to)) + sum;
    }
  }
}
#else
// kVectors vectors of each of kColumns columns of C.
template <typename T, int kColumns, int kVectors, class Access>
HWY_INLINE void MultiplyTile(Access access, int64_t depth, const T* a_elements, int64_t a_stride,
                             const T* factors, T beta, T* c_elements, int64_t ldc) {
  using P = Part<T>;
  const hn::ScalableTag<P> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const P* a = reinterpret_cast<const P*>(a_elements);
  V sum[kColumns][kVectors];
#pragma GCC unroll 4
  for (int j = 0; j < kColumns; ++j) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sum[j][v] = hn::Zero(d);
  }
  for (int64_t k = 0; k < depth; ++k) {
    V x[kVectors], turned[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      x[v] = InRegister(access.Load(d, a + v * kLanes));
      if constexpr (kIsComplex<T>) {
        // i * x.
        const V swapped = hn::Reverse2(d, x[v]);
        turned[v] = hn::OddEven(swapped, hn::Neg(swapped));
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) {
      const V re = hn::Set(d, RealPart(factors[j]));
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sum[j][v] = hn::MulAdd(re, x[v], sum[j][v]);
      if constexpr (kIsComplex<T>) {
        const V im = hn::Set(d, factors[j].imag());
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sum[j][v] = hn::MulAdd(im, turned[v], sum[j][v]);
      }
    }
    factors += kGroup;
    a += a_stride * kParts<T>;
  }
#pragma GCC unroll 4
  for (int j = 0; j < kColumns; ++j) {
    P* const c = reinterpret_cast<P*>(c_elements + j * ldc);
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      V result = sum[j][v];
      if (beta != T(0)) {
        V old = access.Load(d, c + v * kLanes);
        if (beta != T(1)) {
          V scaled = hn::Mul(hn::Set(d, RealPart(beta)), old);
          if constexpr (kIsComplex<T>) {
            const V im = hn::OddEven(hn::Set(d, beta.imag()), hn::Set(d, -beta.imag()));
            scaled = hn::Add(scaled, hn::Mul(im, hn::Reverse2(d, old)));
          }
          old = scaled;
        }
        result = hn::Add(old, result);
      }
      access.Store(d, result, c + v * kLanes);
    }
  }
}

template <typename T, int kColumns>
void MultiplyTiles(int64_t m, int64_t depth, const T* a, int64_t a_stride, const T* factors, T beta,
                   T* c, int64_t ldc) {
  constexpr int64_t kElements = hn::MaxLanes(hn::ScalableTag<Part<T>>()) / kParts<T>;
  int64_t i = 0;
  for (; i + 2 * kElements <= m; i += 2 * kElements) {
    MultiplyTile<T, kColumns, 2>(Whole(), depth, a + i, a_stride, factors, beta, c + i, ldc);
  }
  for (; i + kElements <= m; i += kElements)
    MultiplyTile<T, kColumns, 1>(Whole(), depth, a + i, a_stride, factors, beta, c + i, ldc);
  if (i < m) {
    MultiplyTile<T, kColumns, 1>(Rest{static_cast<size_t>((m - i) * kParts<T>)}, depth, a + i,
                                 a_stride, factors, beta, c + i, ldc);
  }
}

// n columns of C, at most kGroup: c = beta * c + a * factors, where a has contiguous columns.
template <typename T>
void MultiplyColumns(int64_t m, int64_t n, int64_t depth, const T* a, int64_t a_stride,
                     const T* factors, T beta, T* c, int64_t ldc) {
  constexpr decltype(&MultiplyTiles<T, 1>) kTable[] = {&MultiplyTiles<T, 1>, &MultiplyTiles<T, 2>,
                                                       &MultiplyTiles<T, 3>, &MultiplyTiles<T, 4>};
  static_assert(kGroup == 4);
  kTable[n - 1](m, depth, a, a_stride, factors, beta, c, ldc);
}
#endif

// A by columns, depth at most kDepth.
template <typename T>
void MultiplyBlock(const ProductSize& size, T alpha, const T* a, int64_t a_stride,
                   const Matrix<const T>& b, T beta, T* c, int64_t ldc) {
  T factors[kGroup * kDepth<T>];
  for (int64_t j = 0; j < size.n; j += kGroup) {
    const int64_t columns = std::min(kGroup, size.n - j);
    for (int64_t q = 0; q < columns; ++q) {
      for (int64_t k = 0; k < size.k; ++k) {
        const T factor = b(k, j + q);
        factors[k * kGroup + q] = alpha == T(1)    ? factor
                                  : alpha == T(-1) ? -factor
                                                   : Multiplied(alpha, factor);
      }
    }
    MultiplyColumns(size.m, columns, size.k, a, a_stride, factors, beta, c + j * ldc, ldc);
  }
}

template <typename T>
void MultiplyMatrices(const ProductSize& size, T alpha, const Matrix<const T>& a,
                      const Matrix<const T>& b, T beta, const Matrix<T>& c) {
  const bool in_place = (a.row_stride == 1 || size.m == 1) && !a.conjugate;
  // Copies of other matrices have so many rows at most.
  constexpr int64_t kRows = 32;
  for (int64_t k = 0; k < size.k; k += kDepth<T>) {
    const int64_t depth = std::min(kDepth<T>, size.k - k);
    const T block_beta = k == 0 ? beta : T(1);
    if (in_place) {
      MultiplyBlock<T>({size.m, size.n, depth}, alpha, a.At(0, k), a.column_stride, b.From(k, 0),
                       block_beta, c.data, c.column_stride);
      continue;
    }
    T copy[kRows * kDepth<T>];
    for (int64_t i = 0; i < size.m; i += kRows) {
      const int64_t rows = std::min(kRows, size.m - i);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t l = 0; l < depth; ++l) copy[l * rows + r] = a(i + r, k + l);
      }
      MultiplyBlock<T>({rows, size.n, depth}, alpha, copy, rows, b.From(k, 0), block_beta,
                       c.At(i, 0), c.column_stride);
    }
  }
}

const ForElementTypes<SmallProduct>& AllKernels() {
  static const ForElementTypes<SmallProduct> kAll = {
      &MultiplyMatrices<float>, &MultiplyMatrices<double>, &MultiplyMatrices<std::complex<float>>,
      &MultiplyMatrices<std::complex<double>>};
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
SmallProduct<T> GetSmallProduct() {
  return std::get<SmallProduct<T>>(HWY_DYNAMIC_DISPATCH(AllKernels)());
}
template SmallProduct<float> GetSmallProduct();
template SmallProduct<double> GetSmallProduct();
template SmallProduct<std::complex<float>> GetSmallProduct();
template SmallProduct<std::complex<double>> GetSmallProduct();

}  // namespace xla::blas
#endif  // HWY_ONCE
