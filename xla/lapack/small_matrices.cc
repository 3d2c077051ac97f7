// SPDX-License-Identifier: Apache-2.0
// A matrix is copied to rows of whole vectors, complex ones as planes of real and imaginary parts.
// Each step changes rows by multiples of another, a vector at a time; elements of a vector that a
// step must leave alone are masked. The order of sums depends on sizes alone.
#include "xla/lapack/small_matrices.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "xla/kernels/kernel.h"
#include "xla/kernels/simd_targets.h"

#ifndef XLA_LAPACK_SMALL_ROWS_H_
#define XLA_LAPACK_SMALL_ROWS_H_

namespace xla::lapack {

// Lanes of the widest vectors; rows are padded to a multiple.
inline constexpr int64_t kMostLanes = 16;

// Element (i, j) at i * stride + j of each plane; `im` is null for real numbers.
template <typename Real>
struct SmallRows {
  Real* re;
  Real* im;
  int64_t rows, columns, stride;
  // For vectors of `rows` elements.
  Real* vector_re;
  Real* vector_im;

  std::complex<Real> Get(int64_t i, int64_t j) const {
    return {re[i * stride + j], im == nullptr ? Real{0} : im[i * stride + j]};
  }
  void Set(int64_t i, int64_t j, std::complex<Real> x) const {
    re[i * stride + j] = x.real();
    if (im != nullptr) im[i * stride + j] = x.imag();
  }
};

// I - tau v v^H, where v has a one at element k and the elements after it are in the vector.
template <typename Real>
struct SmallReflection {
  int64_t k;
  Real tau_re, tau_im;
};

}  // namespace xla::lapack

#endif  // XLA_LAPACK_SMALL_ROWS_H_

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xla/lapack/small_matrices.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::lapack {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements of the row from `first` on become those less the multiple of the other row.
template <bool kComplex, typename Real>
HWY_INLINE void SubtractRow(const SmallRows<Real>& w, int64_t row, int64_t other, int64_t first,
                            Real factor_re, Real factor_im) {
  const hn::CappedTag<Real, kMostLanes> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto f_re = hn::Set(d, factor_re), f_im = hn::Set(d, factor_im);
  const int64_t begin = first / lanes * lanes;
  for (int64_t j = begin; j < w.columns; j += lanes) {
    const int64_t to = row * w.stride + j, from = other * w.stride + j;
    const auto re = hn::Load(d, w.re + from);
    const auto old_re = hn::Load(d, w.re + to);
    auto new_re = hn::NegMulAdd(f_re, re, old_re);
    if constexpr (kComplex) {
      const auto im = hn::Load(d, w.im + from);
      const auto old_im = hn::Load(d, w.im + to);
      new_re = hn::MulAdd(f_im, im, new_re);
      auto new_im = hn::NegMulAdd(f_re, im, old_im);
      new_im = hn::NegMulAdd(f_im, re, new_im);
      if (j < first) new_im = hn::IfThenElse(hn::FirstN(d, first - j), old_im, new_im);
      hn::Store(new_im, d, w.im + to);
    }
    if (j < first) new_re = hn::IfThenElse(hn::FirstN(d, first - j), old_re, new_re);
    hn::Store(new_re, d, w.re + to);
  }
}

// The upper triangle becomes U with W = U^H U. Returns the number of the first row without a pivot,
// from 1; 0 if all have one.
template <bool kComplex, typename Real>
Int FactorUpper(const SmallRows<Real>& w) {
  const int64_t n = w.columns;
  for (int64_t k = 0; k < n; ++k) {
    Real* const re = w.re + k * w.stride;
    Real* const im = kComplex ? w.im + k * w.stride : nullptr;
    if (!(re[k] > 0)) return static_cast<Int>(k + 1);
    const Real pivot = std::sqrt(re[k]);
    if constexpr (kComplex) im[k] = 0;
    const hn::CappedTag<Real, kMostLanes> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto divisor = hn::Set(d, pivot);
    for (int64_t j = k / lanes * lanes; j < n; j += lanes) {
      hn::Store(hn::Div(hn::Load(d, re + j), divisor), d, re + j);
      if constexpr (kComplex) hn::Store(hn::Div(hn::Load(d, im + j), divisor), d, im + j);
    }
    re[k] = pivot;
    for (int64_t i = k + 1; i < n; ++i) {
      // What is left of the diagonal is not used.
      SubtractRow<kComplex, Real>(w, i, k, i, re[i], kComplex ? -im[i] : Real{0});
    }
  }
  return 0;
}

template <bool kComplex, typename Real>
Int FactorWithExchanges(const SmallRows<Real>& w, Int* pivots) {
  const int64_t steps = std::min(w.rows, w.columns);
  Int info = 0;
  for (int64_t k = 0; k < steps; ++k) {
    int64_t pivot = k;
    Real largest = -1;
    for (int64_t i = k; i < w.rows; ++i) {
      Real size = std::abs(w.re[i * w.stride + k]);
      if constexpr (kComplex) size += std::abs(w.im[i * w.stride + k]);
      if (i == k) {
        largest = size;
      } else if (size > largest) {
        largest = size;
        pivot = i;
      }
    }
    pivots[k] = static_cast<Int>(pivot + 1);
    if (largest == 0) {
      if (info == 0) info = static_cast<Int>(k + 1);
      continue;
    }
    if (pivot != k) {
      std::swap_ranges(w.re + k * w.stride, w.re + k * w.stride + w.columns,
                       w.re + pivot * w.stride);
      if constexpr (kComplex) {
        std::swap_ranges(w.im + k * w.stride, w.im + k * w.stride + w.columns,
                         w.im + pivot * w.stride);
      }
    }
    const std::complex<Real> by = w.Get(k, k);
    const bool divides = largest < std::numeric_limits<Real>::min();
    const std::complex<Real> inverse =
        kComplex ? Real{1} / by : std::complex<Real>(Real{1} / by.real());
    for (int64_t i = k + 1; i < w.rows; ++i) {
      Real& re = w.re[i * w.stride + k];
      if constexpr (kComplex) {
        Real& im = w.im[i * w.stride + k];
        const std::complex<Real> x = {re, im};
        const std::complex<Real> factor =
            divides ? x / by
                    : std::complex<Real>(re * inverse.real() - im * inverse.imag(),
                                         re * inverse.imag() + im * inverse.real());
        re = factor.real();
        im = factor.imag();
        SubtractRow<true, Real>(w, i, k, k + 1, re, im);
      } else {
        re = divides ? re / by.real() : re * inverse.real();
        SubtractRow<false, Real>(w, i, k, k + 1, re, Real{0});
      }
    }
  }
  return info;
}

// Columns from `first` on become those of the product with the reflection.
template <bool kComplex, typename Real>
HWY_INLINE void Reflect(const SmallRows<Real>& w, const SmallReflection<Real>& h, int64_t first) {
  const hn::CappedTag<Real, kMostLanes> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto tau_re = hn::Set(d, h.tau_re), tau_im = hn::Set(d, h.tau_im);
  for (int64_t j = first / lanes * lanes; j < w.columns; j += lanes) {
    const int64_t at = h.k * w.stride + j;
    const auto mask = hn::FirstN(d, std::max<int64_t>(first - j, 0));
    // v^H times the columns.
    const auto top_re = hn::Load(d, w.re + at);
    auto sum_re = top_re;
    auto top_im = hn::Zero(d), sum_im = hn::Zero(d);
    if constexpr (kComplex) top_im = sum_im = hn::Load(d, w.im + at);
    for (int64_t i = h.k + 1; i < w.rows; ++i) {
      const auto v_re = hn::Set(d, w.vector_re[i]);
      const auto re = hn::Load(d, w.re + i * w.stride + j);
      sum_re = hn::MulAdd(v_re, re, sum_re);
      if constexpr (kComplex) {
        const auto v_im = hn::Set(d, w.vector_im[i]);
        const auto im = hn::Load(d, w.im + i * w.stride + j);
        sum_re = hn::MulAdd(v_im, im, sum_re);
        sum_im = hn::MulAdd(v_re, im, sum_im);
        sum_im = hn::NegMulAdd(v_im, re, sum_im);
      }
    }
    auto by_re = hn::Mul(tau_re, sum_re), by_im = hn::Zero(d);
    if constexpr (kComplex) {
      by_re = hn::NegMulAdd(tau_im, sum_im, by_re);
      by_im = hn::MulAdd(tau_im, sum_re, hn::Mul(tau_re, sum_im));
      by_im = hn::IfThenZeroElse(mask, by_im);
      hn::Store(hn::Sub(top_im, by_im), d, w.im + at);
    }
    by_re = hn::IfThenZeroElse(mask, by_re);
    hn::Store(hn::Sub(top_re, by_re), d, w.re + at);
    for (int64_t i = h.k + 1; i < w.rows; ++i) {
      const auto v_re = hn::Set(d, w.vector_re[i]);
      Real* const to = w.re + i * w.stride + j;
      auto re = hn::NegMulAdd(v_re, by_re, hn::Load(d, to));
      if constexpr (kComplex) {
        const auto v_im = hn::Set(d, w.vector_im[i]);
        Real* const to_im = w.im + i * w.stride + j;
        re = hn::MulAdd(v_im, by_im, re);
        auto im = hn::NegMulAdd(v_re, by_im, hn::Load(d, to_im));
        im = hn::NegMulAdd(v_im, by_re, im);
        hn::Store(im, d, to_im);
      }
      hn::Store(re, d, to);
    }
  }
}

template <bool kComplex, typename Real>
void FactorByReflections(const SmallRows<Real>& w, Real* taus) {
  constexpr int64_t kParts = kComplex ? 2 : 1;
  const int64_t steps = std::min(w.rows, w.columns);
  for (int64_t k = 0; k < steps; ++k) {
    Real* const tau = taus + k * kParts;
    // The norm of what is below the diagonal, in double precision; numbers whose squares that does
    // not hold are scaled first.
    double sum = 0, scale = 1;
    const auto add_squares = [&] {
      sum = 0;
      for (int64_t i = k + 1; i < w.rows; ++i) {
        const double re = w.re[i * w.stride + k] * scale;
        sum += re * re;
        if constexpr (kComplex) {
          const double im = w.im[i * w.stride + k] * scale;
          sum += im * im;
        }
      }
    };
    add_squares();
    if (!(sum > 1e-290 && sum < 1e290)) {
      double largest = 0;
      for (int64_t i = k + 1; i < w.rows; ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(w.re[i * w.stride + k])));
        if constexpr (kComplex)
          largest = std::max(largest, static_cast<double>(std::abs(w.im[i * w.stride + k])));
      }
      if (largest > 0 && largest <= std::numeric_limits<double>::max()) {
        int exponent = 0;
        (void)std::frexp(largest, &exponent);
        scale = std::ldexp(1.0, std::clamp(-exponent, -1020, 1020));
        add_squares();
      }
    }
    const double alpha_re = w.re[k * w.stride + k],
                 alpha_im = kComplex ? w.im[k * w.stride + k] : Real{0};
    if (sum == 0 && alpha_im == 0) {
      std::fill_n(tau, kParts, Real{0});
      continue;  // nothing to reflect
    }
    const double norm = std::sqrt(sum) / scale;
    double size;
    const double squares = alpha_re * alpha_re + alpha_im * alpha_im + sum;
    if (scale == 1 && squares > 1e-290 && squares < 1e290) {
      size = std::sqrt(squares);
    } else {
      size = std::hypot(alpha_re, alpha_im, norm);
    }
    const double beta = alpha_re < 0 || (alpha_re == 0 && std::signbit(alpha_re)) ? size : -size;
    tau[0] = static_cast<Real>((beta - alpha_re) / beta);
    if constexpr (kComplex) tau[1] = static_cast<Real>(-alpha_im / beta);
    // v is divided by alpha - beta.
    const double divisor_re = alpha_re - beta;
    if constexpr (kComplex) {
      const std::complex<double> inverse = 1.0 / std::complex<double>(divisor_re, alpha_im);
      const bool is_normal =
          std::isnormal(inverse.real()) && std::abs(divisor_re) > std::numeric_limits<Real>::min();
      for (int64_t i = k + 1; i < w.rows; ++i) {
        const std::complex<double> x = {w.re[i * w.stride + k], w.im[i * w.stride + k]};
        const std::complex<double> v =
            is_normal ? std::complex<double>(x.real() * inverse.real() - x.imag() * inverse.imag(),
                                             x.real() * inverse.imag() + x.imag() * inverse.real())
                      : x / std::complex<double>(divisor_re, alpha_im);
        w.vector_re[i] = w.re[i * w.stride + k] = static_cast<Real>(v.real());
        w.vector_im[i] = w.im[i * w.stride + k] = static_cast<Real>(v.imag());
      }
    } else {
      for (int64_t i = k + 1; i < w.rows; ++i)
        w.vector_re[i] = w.re[i * w.stride + k] =
            static_cast<Real>(w.re[i * w.stride + k] / divisor_re);
    }
    w.re[k * w.stride + k] = static_cast<Real>(beta);
    if constexpr (kComplex) w.im[k * w.stride + k] = 0;
    if (k + 1 < w.columns)
      Reflect<kComplex, Real>(w, {k, tau[0], kComplex ? -tau[kParts - 1] : Real{0}}, k + 1);
  }
}

template <bool kComplex, typename Real>
void MultiplyReflections(const SmallRows<Real>& w, int64_t count, const Real* taus) {
  constexpr int64_t kParts = kComplex ? 2 : 1;
  const auto clear_column = [&](int64_t j, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) w.Set(i, j, Real{0});
  };
  for (int64_t j = count; j < w.columns; ++j) {
    clear_column(j, 0, w.rows);
    w.Set(j, j, Real{1});
  }
  for (int64_t k = count - 1; k >= 0; --k) {
    const Real tau_re = taus[k * kParts],
               tau_im = kComplex ? taus[k * kParts + kParts - 1] : Real{0};
    for (int64_t i = k + 1; i < w.rows; ++i) {
      w.vector_re[i] = w.re[i * w.stride + k];
      if constexpr (kComplex) w.vector_im[i] = w.im[i * w.stride + k];
    }
    if (k + 1 < w.columns) Reflect<kComplex, Real>(w, {k, tau_re, tau_im}, k + 1);
    clear_column(k, 0, k);
    w.Set(k, k, {Real{1} - tau_re, -tau_im});
    for (int64_t i = k + 1; i < w.rows; ++i) {
      const Real re = w.vector_re[i], im = kComplex ? w.vector_im[i] : Real{0};
      w.Set(i, k, {-(tau_re * re - tau_im * im), -(tau_re * im + tau_im * re)});
    }
  }
}

Int PotrfF32(const SmallRows<float>& w) {
  return w.im == nullptr ? FactorUpper<false>(w) : FactorUpper<true>(w);
}
Int PotrfF64(const SmallRows<double>& w) {
  return w.im == nullptr ? FactorUpper<false>(w) : FactorUpper<true>(w);
}
Int GetrfF32(const SmallRows<float>& w, Int* pivots) {
  return w.im == nullptr ? FactorWithExchanges<false>(w, pivots)
                         : FactorWithExchanges<true>(w, pivots);
}
Int GetrfF64(const SmallRows<double>& w, Int* pivots) {
  return w.im == nullptr ? FactorWithExchanges<false>(w, pivots)
                         : FactorWithExchanges<true>(w, pivots);
}
void GeqrfF32(const SmallRows<float>& w, float* taus) {
  w.im == nullptr ? FactorByReflections<false>(w, taus) : FactorByReflections<true>(w, taus);
}
void GeqrfF64(const SmallRows<double>& w, double* taus) {
  w.im == nullptr ? FactorByReflections<false>(w, taus) : FactorByReflections<true>(w, taus);
}
void UngqrF32(const SmallRows<float>& w, int64_t count, const float* taus) {
  w.im == nullptr ? MultiplyReflections<false>(w, count, taus)
                  : MultiplyReflections<true>(w, count, taus);
}
void UngqrF64(const SmallRows<double>& w, int64_t count, const double* taus) {
  w.im == nullptr ? MultiplyReflections<false>(w, count, taus)
                  : MultiplyReflections<true>(w, count, taus);
}

}  // namespace HWY_NAMESPACE
}  // namespace xla::lapack
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xla::lapack {

HWY_EXPORT(PotrfF32);
HWY_EXPORT(PotrfF64);
HWY_EXPORT(GetrfF32);
HWY_EXPORT(GetrfF64);
HWY_EXPORT(GeqrfF32);
HWY_EXPORT(GeqrfF64);
HWY_EXPORT(UngqrF32);
HWY_EXPORT(UngqrF64);

namespace {

int64_t StrideOf(int64_t columns) { return (columns + kMostLanes - 1) / kMostLanes * kMostLanes; }

template <typename T>
SmallRows<RealOf<T>> TakeRows(int64_t rows, int64_t columns, char* work) {
  using Real = RealOf<T>;
  SmallRows<Real> w = {};
  w.rows = rows;
  w.columns = columns;
  w.stride = StrideOf(columns);
  Real* next = reinterpret_cast<Real*>(work);
  const auto take = [&](int64_t count) {
    Real* const taken = next;
    next += StrideOf(count);
    return taken;
  };
  w.re = take(rows * w.stride);
  w.vector_re = take(rows);
  if constexpr (kIsComplex<T>) {
    w.im = take(rows * w.stride);
    w.vector_im = take(rows);
  }
  // Lanes behind the last column take part and mean nothing.
  for (int64_t i = 0; i < rows; ++i) {
    std::fill(w.re + i * w.stride + columns, w.re + (i + 1) * w.stride, Real{0});
    if constexpr (kIsComplex<T>)
      std::fill(w.im + i * w.stride + columns, w.im + (i + 1) * w.stride, Real{0});
  }
  return w;
}

// Calls f(i, j, element) for all elements.
template <typename T, typename F>
void ForElements(const Matrices& m, T* data, F&& f) {
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < m.columns; ++j) f(i, j, data[i * m.row_stride + j * m.column_stride]);
  }
}

// One element of the planes; the sign is that of the imaginary part.
template <typename T>
void Put(const SmallRows<RealOf<T>>& w, int64_t at, const T& x, RealOf<T> sign = 1) {
  if constexpr (kIsComplex<T>) {
    w.re[at] = x.real();
    w.im[at] = sign * x.imag();
  } else {
    w.re[at] = x;
  }
}
template <typename T>
T Take(const SmallRows<RealOf<T>>& w, int64_t at, RealOf<T> sign = 1) {
  if constexpr (kIsComplex<T>) {
    // Conjugated, 0 is still 0.
    return {w.re[at], sign * w.im[at] + 0};
  } else {
    return w.re[at];
  }
}

template <typename T>
void Load(const Matrices& m, const T* x, const SmallRows<RealOf<T>>& w) {
  if constexpr (!kIsComplex<T>) {
    if (m.column_stride == 1) {
      for (int64_t i = 0; i < m.rows; ++i)
        std::copy_n(x + i * m.row_stride, m.columns, w.re + i * w.stride);
      return;
    }
  }
  ForElements(m, x,
              [&](int64_t i, int64_t j, const T& element) { Put(w, i * w.stride + j, element); });
}

template <typename T>
void Store(const Matrices& m, const SmallRows<RealOf<T>>& w, T* out) {
  if constexpr (!kIsComplex<T>) {
    if (m.column_stride == 1) {
      for (int64_t i = 0; i < m.rows; ++i)
        std::copy_n(w.re + i * w.stride, m.columns, out + i * m.row_stride);
      return;
    }
  }
  ForElements(m, out,
              [&](int64_t i, int64_t j, T& element) { element = Take<T>(w, i * w.stride + j); });
}

}  // namespace

template <typename T>
int64_t SmallBytes(int64_t rows, int64_t columns) {
  const int64_t plane = rows * StrideOf(columns) + StrideOf(rows);
  return kernels::Aligned(plane * static_cast<int64_t>(sizeof(T)));
}

template <typename T>
Int SmallPotrf(char uplo, const Matrices& x_place, const T* x, const Matrices& out_place, T* out,
               char* work) {
  const int64_t n = x_place.rows;
  const SmallRows<RealOf<T>> w = TakeRows<T>(n, n, work);
  // The upper triangle, of a lower one its adjoint.
  const bool is_lower = uplo == 'L';
  const RealOf<T> sign = is_lower ? -1 : 1;
  const auto for_triangle = [&](const Matrices& m, auto* data, auto&& f) {
    const int64_t row_stride = is_lower ? m.column_stride : m.row_stride,
                  column_stride = is_lower ? m.row_stride : m.column_stride;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i; j < n; ++j) f(i * w.stride + j, data[i * row_stride + j * column_stride]);
    }
  };
  for_triangle(x_place, x, [&](int64_t at, const T& element) { Put(w, at, element, sign); });
  for (int64_t i = 1; i < n; ++i) {
    // Vectors reach into what is left of the diagonal.
    std::fill_n(w.re + i * w.stride, i, RealOf<T>{0});
    if constexpr (kIsComplex<T>) std::fill_n(w.im + i * w.stride, i, RealOf<T>{0});
  }
  Int info;
  if constexpr (sizeof(RealOf<T>) == 4) {
    info = HWY_DYNAMIC_DISPATCH(PotrfF32)(w);
  } else {
    info = HWY_DYNAMIC_DISPATCH(PotrfF64)(w);
  }
  for_triangle(out_place, out, [&](int64_t at, T& element) { element = Take<T>(w, at, sign); });
  return info;
}

template <typename T>
Int SmallGetrf(const Matrices& x_place, const T* x, const Matrices& out_place, T* out, Int* pivots,
               char* work) {
  const SmallRows<RealOf<T>> w = TakeRows<T>(x_place.rows, x_place.columns, work);
  Load(x_place, x, w);
  Int info;
  if constexpr (sizeof(RealOf<T>) == 4) {
    info = HWY_DYNAMIC_DISPATCH(GetrfF32)(w, pivots);
  } else {
    info = HWY_DYNAMIC_DISPATCH(GetrfF64)(w, pivots);
  }
  Store(out_place, w, out);
  return info;
}

template <typename T>
void SmallGeqrf(const Matrices& x_place, const T* x, const Matrices& out_place, T* out, T* taus,
                char* work) {
  const SmallRows<RealOf<T>> w = TakeRows<T>(x_place.rows, x_place.columns, work);
  Load(x_place, x, w);
  if constexpr (sizeof(RealOf<T>) == 4) {
    HWY_DYNAMIC_DISPATCH(GeqrfF32)(w, reinterpret_cast<float*>(taus));
  } else {
    HWY_DYNAMIC_DISPATCH(GeqrfF64)(w, reinterpret_cast<double*>(taus));
  }
  Store(out_place, w, out);
}

template <typename T>
void SmallUngqr(int64_t k, const Matrices& x_place, const T* x, const T* taus,
                const Matrices& out_place, T* out, char* work) {
  const SmallRows<RealOf<T>> w = TakeRows<T>(x_place.rows, x_place.columns, work);
  Load(x_place, x, w);
  if constexpr (sizeof(RealOf<T>) == 4) {
    HWY_DYNAMIC_DISPATCH(UngqrF32)(w, k, reinterpret_cast<const float*>(taus));
  } else {
    HWY_DYNAMIC_DISPATCH(UngqrF64)(w, k, reinterpret_cast<const double*>(taus));
  }
  Store(out_place, w, out);
}

#define XYLEM_LAPACK_INSTANTIATE(T)                                                              \
  template int64_t SmallBytes<T>(int64_t, int64_t);                                              \
  template Int SmallPotrf<T>(char, const Matrices&, const T*, const Matrices&, T*, char*);       \
  template Int SmallGetrf<T>(const Matrices&, const T*, const Matrices&, T*, Int*, char*);       \
  template void SmallGeqrf<T>(const Matrices&, const T*, const Matrices&, T*, T*, char*);        \
  template void SmallUngqr<T>(int64_t, const Matrices&, const T*, const T*, const Matrices&, T*, \
                              char*);
XYLEM_LAPACK_INSTANTIATE(float)
XYLEM_LAPACK_INSTANTIATE(double)
XYLEM_LAPACK_INSTANTIATE(complex64)
XYLEM_LAPACK_INSTANTIATE(complex128)
#undef XYLEM_LAPACK_INSTANTIATE

}  // namespace xla::lapack
#endif  // HWY_ONCE
