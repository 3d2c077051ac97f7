// SPDX-License-Identifier: Apache-2.0
// Packing for each instruction set.
#include "xla/blas/product_packing.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/element_types.h"
#include "xla/blas/matrix.h"
#include "xla/kernels/movement/transpose.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/product_packing.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "xla/blas/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {

// to[i * to_stride + k] = from[i + k * from_stride], in elements.
template <typename T>
void TransposeElements(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                       int64_t to_stride) {
  if constexpr (sizeof(T) == 4) {
    kernels::Transpose32(rows, columns, from, from_stride, to, to_stride);
  } else if constexpr (sizeof(T) == 8) {
    kernels::Transpose64(rows, columns, from, from_stride, to, to_stride);
  } else {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < columns; ++k) to[i * to_stride + k] = from[i + k * from_stride];
    }
  }
}

// x = factor * x, or its conjugate; each product and sum is rounded. (Of a plain loop GCC 12 makes
// fused operations that alternate between addition and subtraction, whatever -ffp-contract says.)
template <typename T>
void ConjugateAndScale(bool conjugate, T factor, int64_t count, T* x) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t i = 0; i < count; ++i) x[i] = Multiplied(factor, conjugate ? Conjugate(x[i]) : x[i]);
#else
  using P = Part<T>;
  const hn::ScalableTag<P> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const V re = hn::Set(d, RealPart(factor));
  V im = re;
  if constexpr (kIsComplex<T>)
    im = hn::OddEven(hn::Set(d, factor.imag()), hn::Set(d, -factor.imag()));
  P* const parts = reinterpret_cast<P*>(x);
  const auto scale = [&](auto access, int64_t i) HWY_ATTR {
    V v = access.Load(d, parts + i);
    if constexpr (kIsComplex<T>) {
      if (conjugate) v = hn::OddEven(hn::Neg(v), v);
      if (factor == T(-1)) {
        v = hn::Neg(v);
      } else if (factor != T(1)) {
        v = hn::Add(hn::Mul(re, v), hn::Mul(im, hn::Reverse2(d, v)));
      }
    } else {
      v = hn::Mul(re, v);
    }
    access.Store(d, v, parts + i);
  };
  const int64_t all = count * kParts<T>;
  int64_t i = 0;
  for (; i + kLanes <= all; i += kLanes) scale(Whole(), i);
  if (i < all) scale(Rest{static_cast<size_t>(all - i)}, i);
#endif
}

template <typename T>
void PackRows(const Matrix<const T>& a, int64_t lines, int64_t depth, T factor, int64_t stride,
              Part<T>* rows) {
  T* const to = reinterpret_cast<T*>(rows);
  const int64_t to_stride = stride / kParts<T>;
  if (a.column_stride == 1) {
    for (int64_t i = 0; i < lines; ++i) std::copy_n(a.At(i, 0), depth, to + i * to_stride);
  } else if (a.row_stride == 1) {
    TransposeElements(lines, depth, a.data, a.column_stride, to, to_stride);
  } else {
    for (int64_t i = 0; i < lines; ++i) {
      for (int64_t k = 0; k < depth; ++k) to[i * to_stride + k] = *a.At(i, k);
    }
  }
  if (!a.conjugate && factor == T(1)) return;
  for (int64_t i = 0; i < lines; ++i)
    ConjugateAndScale(a.conjugate, factor, depth, to + i * to_stride);
}

// A row of elements as two rows of parts: z, and i * z.
template <typename T>
HWY_INLINE void StoreRowPair(bool conjugate, int64_t columns, const T* from, int64_t width,
                             Part<T>* to) {
  const Part<T> sign = conjugate ? -1 : 1;
  for (int64_t j = 0; j < columns; ++j) {
    const Part<T> re = from[j].real(), im = sign * from[j].imag();
    to[2 * j] = re;
    to[2 * j + 1] = im;
    to[width + 2 * j] = -im;
    to[width + 2 * j + 1] = re;
  }
}

template <typename T>
void PackPanel(const Matrix<const T>& b, int64_t depth, int64_t columns, int64_t width,
               Part<T>* panel) {
  if constexpr (kIsComplex<T>) {
    constexpr int64_t kRows = 16, kMostColumns = kernels::kMaxPanelColumns / 2;
    T block[kRows * kMostColumns];
    for (int64_t k0 = 0; k0 < depth; k0 += kRows) {
      const int64_t rows = std::min(kRows, depth - k0);
      const Matrix<const T> from = b.From(k0, 0);
      if (b.column_stride != 1) {
        if (b.row_stride == 1) {
          TransposeElements(rows, columns, from.data, b.column_stride, block, columns);
        } else {
          for (int64_t k = 0; k < rows; ++k) {
            for (int64_t j = 0; j < columns; ++j) block[k * columns + j] = *from.At(k, j);
          }
        }
      }
      for (int64_t k = 0; k < rows; ++k) {
        const T* const row = b.column_stride == 1 ? from.At(k, 0) : block + k * columns;
        StoreRowPair(b.conjugate, columns, row, width, panel + 2 * (k0 + k) * width);
      }
    }
  } else if (b.row_stride == 1 && b.column_stride != 1) {
    TransposeElements(depth, columns, b.data, b.column_stride, panel, width);
  } else {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t j = 0; j < columns; ++j) panel[k * width + j] = *b.At(k, j);
    }
  }
  if (columns * kParts<T> == width) return;
  for (int64_t k = 0; k < depth * kParts<T>; ++k)
    std::fill(panel + k * width + columns * kParts<T>, panel + (k + 1) * width, Part<T>(0));
}

template <typename T>
PackingKernels<T> KernelsOf() {
  return {&PackRows<T>, &PackPanel<T>};
}

const ForElementTypes<PackingKernels>& AllKernels() {
  static const ForElementTypes<PackingKernels> kAll = {KernelsOf<float>(), KernelsOf<double>(),
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
const PackingKernels<T>& GetPackingKernels() {
  return std::get<PackingKernels<T>>(HWY_DYNAMIC_DISPATCH(AllKernels)());
}
template const PackingKernels<float>& GetPackingKernels();
template const PackingKernels<double>& GetPackingKernels();
template const PackingKernels<std::complex<float>>& GetPackingKernels();
template const PackingKernels<std::complex<double>>& GetPackingKernels();

}  // namespace xla::blas
#endif  // HWY_ONCE
