// SPDX-License-Identifier: Apache-2.0
// Packing for each instruction set.
#include "xla/blas/product_packing.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/matrix.h"
#include "xla/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/blas/product_packing.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
HWY_INLINE void StoreRowElement(T value, Part<T>* to) {
  if constexpr (kIsComplex<T>) {
    to[0] = value.real();
    to[1] = value.imag();
  } else {
    *to = value;
  }
}

template <typename T, bool kConjugate, bool kScale>
HWY_INLINE T RowElement(T value, T factor) {
  if constexpr (kConjugate) value = Conjugate(value);
  if constexpr (kScale) value = Multiplied(factor, value);
  return value;
}

template <typename T, bool kConjugate, bool kScale>
void PackRowsAs(const Matrix<const T>& a, int64_t lines, int64_t depth, T factor, int64_t stride,
                Part<T>* rows) {
  constexpr int64_t kGroup = 8;
  if (a.column_stride == 1) {
    for (int64_t i = 0; i < lines; ++i) {
      const T* from = a.data + i * a.row_stride;
      Part<T>* to = rows + i * stride;
      for (int64_t k = 0; k < depth; ++k)
        StoreRowElement(RowElement<T, kConjugate, kScale>(from[k], factor), to + k * kParts<T>);
    }
    return;
  }
  // Few rows at a time, so that the lines of the cache that are written to stay in it.
  for (int64_t i0 = 0; i0 < lines; i0 += kGroup) {
    const int64_t group = std::min(kGroup, lines - i0);
    for (int64_t k = 0; k < depth; ++k) {
      const T* from = a.data + i0 * a.row_stride + k * a.column_stride;
      Part<T>* to = rows + i0 * stride + k * kParts<T>;
      for (int64_t i = 0; i < group; ++i) {
        StoreRowElement(RowElement<T, kConjugate, kScale>(from[i * a.row_stride], factor),
                        to + i * stride);
      }
    }
  }
}

template <typename T>
void PackRows(const Matrix<const T>& a, int64_t lines, int64_t depth, T factor, int64_t stride,
              Part<T>* rows) {
  if (factor == T(1)) {
    a.conjugate ? PackRowsAs<T, kIsComplex<T>, false>(a, lines, depth, factor, stride, rows)
                : PackRowsAs<T, false, false>(a, lines, depth, factor, stride, rows);
  } else {
    a.conjugate ? PackRowsAs<T, kIsComplex<T>, true>(a, lines, depth, factor, stride, rows)
                : PackRowsAs<T, false, true>(a, lines, depth, factor, stride, rows);
  }
}

// Element (k, j) of a panel.
template <typename T, bool kConjugate>
HWY_INLINE void StorePanelElement(T value, int64_t k, int64_t j, int64_t width, Part<T>* panel) {
  if constexpr (kIsComplex<T>) {
    const Part<T> re = value.real(), im = kConjugate ? -value.imag() : value.imag();
    Part<T>* const to = panel + 2 * k * width + 2 * j;
    to[0] = re;
    to[1] = im;
    to[width] = -im;
    to[width + 1] = re;
  } else {
    panel[k * width + j] = value;
  }
}

template <typename T, bool kConjugate>
void PackPanelAs(const Matrix<const T>& b, int64_t depth, int64_t columns, int64_t width,
                 Part<T>* panel) {
  if (b.row_stride == 1) {
    for (int64_t j = 0; j < columns; ++j) {
      const T* from = b.data + j * b.column_stride;
      for (int64_t k = 0; k < depth; ++k)
        StorePanelElement<T, kConjugate>(from[k], k, j, width, panel);
    }
  } else if (b.column_stride == 1) {
    for (int64_t k = 0; k < depth; ++k) {
      const T* from = b.data + k * b.row_stride;
      for (int64_t j = 0; j < columns; ++j)
        StorePanelElement<T, kConjugate>(from[j], k, j, width, panel);
    }
  } else {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t j = 0; j < columns; ++j)
        StorePanelElement<T, kConjugate>(*b.At(k, j), k, j, width, panel);
    }
  }
  if (columns * kParts<T> == width) return;
  for (int64_t k = 0; k < depth * kParts<T>; ++k)
    std::fill(panel + k * width + columns * kParts<T>, panel + (k + 1) * width, Part<T>(0));
}

template <typename T>
void PackPanel(const Matrix<const T>& b, int64_t depth, int64_t columns, int64_t width,
               Part<T>* panel) {
  b.conjugate ? PackPanelAs<T, kIsComplex<T>>(b, depth, columns, width, panel)
              : PackPanelAs<T, false>(b, depth, columns, width, panel);
}

template <typename T>
PackingKernels<T> KernelsOf() {
  return {&PackRows<T>, &PackPanel<T>};
}

PackingKernels<float> KernelsS() { return KernelsOf<float>(); }
PackingKernels<double> KernelsD() { return KernelsOf<double>(); }
PackingKernels<std::complex<float>> KernelsC() { return KernelsOf<std::complex<float>>(); }
PackingKernels<std::complex<double>> KernelsZ() { return KernelsOf<std::complex<double>>(); }

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
const PackingKernels<float>& GetPackingKernels() {
  static const PackingKernels<float> kernels = HWY_DYNAMIC_DISPATCH(KernelsS)();
  return kernels;
}
template <>
const PackingKernels<double>& GetPackingKernels() {
  static const PackingKernels<double> kernels = HWY_DYNAMIC_DISPATCH(KernelsD)();
  return kernels;
}
template <>
const PackingKernels<std::complex<float>>& GetPackingKernels() {
  static const PackingKernels<std::complex<float>> kernels = HWY_DYNAMIC_DISPATCH(KernelsC)();
  return kernels;
}
template <>
const PackingKernels<std::complex<double>>& GetPackingKernels() {
  static const PackingKernels<std::complex<double>> kernels = HWY_DYNAMIC_DISPATCH(KernelsZ)();
  return kernels;
}

}  // namespace xla::blas
#endif  // HWY_ONCE
