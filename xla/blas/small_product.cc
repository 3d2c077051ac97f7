// SPDX-License-Identifier: Apache-2.0
// Small products for each instruction set. Sums are those of the tiles of large products: fused
// multiplications and additions in order of k, from zero; blocks of k are added to C in order.
#include "xla/blas/small_product.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/matrix.h"
#include "xla/kernels/fused_product.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/small_product.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// a * b + sum, fused where the tiles' are.
template <typename P>
HWY_INLINE P MultiplyAdd(P a, P b, P sum) {
  const hn::CappedTag<P, 1> d;
  return hn::GetLane(hn::MulAdd(hn::Set(d, a), hn::Set(d, b), hn::Set(d, sum)));
}

template <typename T>
HWY_INLINE T AddProduct(T factor, T x, T sum) {
  if constexpr (kIsComplex<T>) {
    const Part<T> re = MultiplyAdd(factor.real(), x.real(), sum.real()),
                  im = MultiplyAdd(factor.real(), x.imag(), sum.imag());
    return {MultiplyAdd(factor.imag(), -x.imag(), re), MultiplyAdd(factor.imag(), x.real(), im)};
  } else {
    return MultiplyAdd(factor, x, sum);
  }
}

template <typename T>
HWY_INLINE void StoreSum(T sum, T beta, T* c) {
  if (beta == T(0)) {
    *c = sum;
  } else if (beta == T(1)) {
    *c += sum;
  } else {
    *c = Multiplied(beta, *c) + sum;
  }
}

#if HWY_TARGET == HWY_SCALAR
template <typename T>
int64_t AddWholeVectors(int64_t, int64_t, const T*, const T*, int64_t, T, T*) {
  return 0;
}
#else
// c[i] = beta * c[i] + sum over k of factors[k] * a[i + k * stride] for whole vectors of i; returns
// the number of elements.
template <typename T>
HWY_INLINE int64_t AddWholeVectors(int64_t m, int64_t depth, const T* factors, const T* a,
                                   int64_t stride, T beta, T* c) {
  using P = Part<T>;
  const hn::ScalableTag<P> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kElements = hn::MaxLanes(d) / kParts<T>;
  int64_t i = 0;
  for (; i + kElements <= m; i += kElements) {
    V sum = hn::Zero(d);
    for (int64_t k = 0; k < depth; ++k) {
      const V x = hn::LoadU(d, reinterpret_cast<const P*>(a + i + k * stride));
      sum = hn::MulAdd(hn::Set(d, RealPart(factors[k])), x, sum);
      if constexpr (kIsComplex<T>) {
        const P im = factors[k].imag();
        sum = hn::MulAdd(hn::OddEven(hn::Set(d, im), hn::Set(d, -im)), hn::Reverse2(d, x), sum);
      }
    }
    P* const to = reinterpret_cast<P*>(c + i);
    if (beta != T(0)) {
      if (beta != T(1)) {
        for (int64_t e = i; e < i + kElements; ++e) c[e] = Multiplied(beta, c[e]);
      }
      sum = hn::Add(hn::LoadU(d, to), sum);
    }
    hn::StoreU(sum, d, to);
  }
  return i;
}
#endif

template <typename T>
void MultiplyMatrices(const ProductSize& size, T alpha, const Matrix<const T>& a,
                      const Matrix<const T>& b, T beta, const Matrix<T>& c) {
  constexpr int64_t kDepth = kernels::kProductDepth / kParts<T>;
  const bool contiguous = a.row_stride == 1 && c.row_stride == 1 && !a.conjugate;
  T factors[kDepth];
  for (int64_t k0 = 0; k0 < size.k; k0 += kDepth) {
    const int64_t depth = std::min(kDepth, size.k - k0);
    const T block_beta = k0 == 0 ? beta : T(1);
    for (int64_t j = 0; j < size.n; ++j) {
      for (int64_t k = 0; k < depth; ++k) {
        const T factor = b(k0 + k, j);
        factors[k] = alpha == T(1) ? factor : Multiplied(alpha, factor);
      }
      const T* const column = a.At(0, k0);
      T* const to = c.At(0, j);
      int64_t i = contiguous ? AddWholeVectors(size.m, depth, factors, column, a.column_stride,
                                               block_beta, to)
                             : 0;
      for (; i < size.m; ++i) {
        T sum = T(0);
        for (int64_t k = 0; k < depth; ++k) {
          const T x = column[i * a.row_stride + k * a.column_stride];
          sum = AddProduct(factors[k], a.conjugate ? Conjugate(x) : x, sum);
        }
        StoreSum(sum, block_beta, to + i * c.row_stride);
      }
    }
  }
}

SmallProduct<float> ProductS() { return &MultiplyMatrices<float>; }
SmallProduct<double> ProductD() { return &MultiplyMatrices<double>; }
SmallProduct<std::complex<float>> ProductC() { return &MultiplyMatrices<std::complex<float>>; }
SmallProduct<std::complex<double>> ProductZ() { return &MultiplyMatrices<std::complex<double>>; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xla::blas
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::blas {
namespace {

HWY_EXPORT(ProductS);
HWY_EXPORT(ProductD);
HWY_EXPORT(ProductC);
HWY_EXPORT(ProductZ);

}  // namespace

template <>
SmallProduct<float> GetSmallProduct() {
  static const SmallProduct<float> product = HWY_DYNAMIC_DISPATCH(ProductS)();
  return product;
}
template <>
SmallProduct<double> GetSmallProduct() {
  static const SmallProduct<double> product = HWY_DYNAMIC_DISPATCH(ProductD)();
  return product;
}
template <>
SmallProduct<std::complex<float>> GetSmallProduct() {
  static const SmallProduct<std::complex<float>> product = HWY_DYNAMIC_DISPATCH(ProductC)();
  return product;
}
template <>
SmallProduct<std::complex<double>> GetSmallProduct() {
  static const SmallProduct<std::complex<double>> product = HWY_DYNAMIC_DISPATCH(ProductZ)();
  return product;
}

}  // namespace xla::blas
#endif  // HWY_ONCE
