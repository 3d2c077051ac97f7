// SPDX-License-Identifier: Apache-2.0
// Level 1: operations on vectors. Contiguous ones take the loops of vector_kernels.h.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/vector_kernels.h"

namespace xla::blas {
namespace {

// Fewer elements take less time than the choice of a loop.
constexpr Int kShort = 8;

template <typename T>
void Axpy(Int n, T alpha, const T* x, Int incx, T* y, Int incy) {
  if (n <= 0 || alpha == T(0)) return;
  if (incx == 1 && incy == 1 && n >= kShort)
    return GetVectorKernels<T>().add_multiple(n, alpha, x, y);
  x = FirstElement(x, n, incx);
  y = FirstElement(y, n, incy);
  for (int64_t i = 0; i < n; ++i) y[i * incy] += Multiplied(alpha, x[i * incx]);
}

template <typename T>
T Dot(bool conjugate, Int n, const T* x, Int incx, const T* y, Int incy) {
  T sum = T();
  if (n <= 0) return sum;
  if (incx == 1 && incy == 1 && n >= kShort) {
    GetVectorKernels<T>().dot_columns({n, 1, x, n}, y, conjugate, &sum);
    return sum;
  }
  x = FirstElement(x, n, incx);
  y = FirstElement(y, n, incy);
  for (int64_t i = 0; i < n; ++i) {
    const T element = x[i * incx];
    sum += Multiplied(conjugate ? Conjugate(element) : element, y[i * incy]);
  }
  return sum;
}

template <typename T>
void Copy(Int n, const T* x, Int incx, T* y, Int incy) {
  if (n <= 0) return;
  if (incx == 1 && incy == 1) {
    std::copy_n(x, n, y);
    return;
  }
  x = FirstElement(x, n, incx);
  y = FirstElement(y, n, incy);
  for (int64_t i = 0; i < n; ++i) y[i * incy] = x[i * incx];
}

template <typename T>
void Swap(Int n, T* x, Int incx, T* y, Int incy) {
  if (n <= 0) return;
  if (incx == 1 && incy == 1) {
    std::swap_ranges(x, x + n, y);
    return;
  }
  x = FirstElement(x, n, incx);
  y = FirstElement(y, n, incy);
  for (int64_t i = 0; i < n; ++i) std::swap(x[i * incx], y[i * incy]);
}

// `Scalar` is T or its part.
template <typename T, typename Scalar>
void Scale(Int n, Scalar alpha, T* x, Int incx) {
  if (n <= 0 || incx <= 0 || alpha == Scalar(1)) return;
  if (incx == 1 && n >= kShort) {
    if constexpr (std::is_same_v<T, Scalar>) {
      GetVectorKernels<T>().scale(n, alpha, x);
    } else {
      GetVectorKernels<Scalar>().scale(2 * int64_t{n}, alpha, reinterpret_cast<Scalar*>(x));
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, Scalar>) {
      x[i * incx] = Multiplied(alpha, x[i * incx]);
    } else {
      x[i * incx] = {alpha * x[i * incx].real(), alpha * x[i * incx].imag()};
    }
  }
}

template <typename T>
void Rotate(Int n, T* x, Int incx, T* y, Int incy, Part<T> c, Part<T> s) {
  if (n <= 0) return;
  if (incx == 1 && incy == 1 && n >= kShort) return GetVectorKernels<T>().rotate(n, c, s, x, y);
  x = FirstElement(x, n, incx);
  y = FirstElement(y, n, incy);
  for (int64_t i = 0; i < n; ++i) {
    const T a = x[i * incx], b = y[i * incy];
    x[i * incx] = c * a + s * b;
    y[i * incy] = c * b - s * a;
  }
}

template <typename T>
Part<T> AbsoluteValue(T x) {
  if constexpr (kIsComplex<T>)
    return std::abs(x.real()) + std::abs(x.imag());
  else
    return std::abs(x);
}

template <typename T>
Part<T> AbsoluteSum(Int n, const T* x, Int incx) {
  if (n <= 0 || incx <= 0) return 0;
  if (incx == 1 && n >= kShort) return GetVectorKernels<T>().absolute_sum(n, x);
  Part<T> sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += AbsoluteValue(x[i * incx]);
  return sum;
}

// The position from 1 of the first element of the largest absolute value; an element that is not a
// number is passed over, unless it is the first one.
template <typename T>
Int PositionOfLargest(Int n, const T* x, Int incx) {
  if (n <= 0 || incx <= 0) return 0;
  Part<T> largest = AbsoluteValue(x[0]);
  if (n == 1 || std::isnan(largest)) return 1;
  if (incx == 1 && n >= kShort) {
    largest = GetVectorKernels<T>().largest(n, x);
    for (Int i = 0; i < n; ++i) {
      if (AbsoluteValue(x[i]) == largest) return i + 1;
    }
    return 1;
  }
  Int position = 1;
  for (Int i = 1; i < n; ++i) {
    const Part<T> value = AbsoluteValue(x[int64_t{i} * incx]);
    if (value > largest) {
      largest = value;
      position = i + 1;
    }
  }
  return position;
}

// The sum of squares of x * scale; in double precision, in which squares of float do not overflow.
template <typename T>
double SumOfSquares(Int n, const T* x, int64_t incx, double scale) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T element = x[i * incx];
    const double re = scale * RealPart(element);
    sum += re * re;
    if constexpr (kIsComplex<T>) {
      const double im = scale * element.imag();
      sum += im * im;
    }
  }
  return sum;
}

template <typename T>
Part<T> Norm(Int n, const T* x, Int incx) {
  if (n <= 0) return 0;
  x = FirstElement(x, n, incx);
  const double sum = incx == 1 && n >= kShort ? GetVectorKernels<T>().sum_of_squares(n, x)
                                              : SumOfSquares(n, x, incx, 1);
  // Squares that vanished are too small to count beside such a sum.
  constexpr double kSmall = 1e-270, kLarge = std::numeric_limits<double>::max();
  if ((sum >= kSmall && sum <= kLarge) || std::isnan(sum))
    return static_cast<Part<T>>(std::sqrt(sum));
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T element = x[i * incx];
    largest = std::max<double>(largest, std::abs(RealPart(element)));
    if constexpr (kIsComplex<T>) largest = std::max<double>(largest, std::abs(element.imag()));
  }
  if (largest == 0 || std::isinf(largest)) return static_cast<Part<T>>(largest);
  // Scaled by a power of two in two steps, as the inverse of the smallest numbers overflows.
  const int exponent = std::ilogb(largest);
  const int first = std::clamp(-exponent, -1000, 1000);
  return static_cast<Part<T>>(
      std::ldexp(std::sqrt(SumOfSquares(n, x, incx, std::ldexp(1.0, first))), -first));
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_VECTORS(letter, T)                                                              \
  XLA_BLAS_ROUTINE void letter##axpy_(const xla::blas::Int* n, const T* alpha, const T* x,       \
                                      const xla::blas::Int* incx, T* y,                          \
                                      const xla::blas::Int* incy) {                              \
    xla::blas::Axpy(*n, *alpha, x, *incx, y, *incy);                                             \
  }                                                                                              \
  XLA_BLAS_ROUTINE void letter##copy_(const xla::blas::Int* n, const T* x,                       \
                                      const xla::blas::Int* incx, T* y,                          \
                                      const xla::blas::Int* incy) {                              \
    xla::blas::Copy(*n, x, *incx, y, *incy);                                                     \
  }                                                                                              \
  XLA_BLAS_ROUTINE void letter##swap_(const xla::blas::Int* n, T* x, const xla::blas::Int* incx, \
                                      T* y, const xla::blas::Int* incy) {                        \
    xla::blas::Swap(*n, x, *incx, y, *incy);                                                     \
  }                                                                                              \
  XLA_BLAS_ROUTINE void letter##scal_(const xla::blas::Int* n, const T* alpha, T* x,             \
                                      const xla::blas::Int* incx) {                              \
    xla::blas::Scale(*n, *alpha, x, *incx);                                                      \
  }                                                                                              \
  XLA_BLAS_ROUTINE xla::blas::Int i##letter##amax_(const xla::blas::Int* n, const T* x,          \
                                                   const xla::blas::Int* incx) {                 \
    return xla::blas::PositionOfLargest(*n, x, *incx);                                           \
  }
XLA_BLAS_VECTORS(s, float)
XLA_BLAS_VECTORS(d, double)
XLA_BLAS_VECTORS(c, std::complex<float>)
XLA_BLAS_VECTORS(z, std::complex<double>)
#undef XLA_BLAS_VECTORS

#define XLA_BLAS_DOT(name, T, conjugate)                                                   \
  XLA_BLAS_ROUTINE T name(const xla::blas::Int* n, const T* x, const xla::blas::Int* incx, \
                          const T* y, const xla::blas::Int* incy) {                        \
    return xla::blas::Dot(conjugate, *n, x, *incx, y, *incy);                              \
  }
XLA_BLAS_DOT(sdot_, float, false)
XLA_BLAS_DOT(ddot_, double, false)
// gfortran returns complex numbers as C does, and compilers return std::complex likewise, although
// C does not have it.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif
XLA_BLAS_DOT(cdotu_, std::complex<float>, false)
XLA_BLAS_DOT(zdotu_, std::complex<double>, false)
XLA_BLAS_DOT(cdotc_, std::complex<float>, true)
XLA_BLAS_DOT(zdotc_, std::complex<double>, true)
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#undef XLA_BLAS_DOT

#define XLA_BLAS_NORMS(asum, nrm2, rot, T)                                                   \
  XLA_BLAS_ROUTINE xla::blas::Part<T> asum(const xla::blas::Int* n, const T* x,              \
                                           const xla::blas::Int* incx) {                     \
    return xla::blas::AbsoluteSum(*n, x, *incx);                                             \
  }                                                                                          \
  XLA_BLAS_ROUTINE xla::blas::Part<T> nrm2(const xla::blas::Int* n, const T* x,              \
                                           const xla::blas::Int* incx) {                     \
    return xla::blas::Norm(*n, x, *incx);                                                    \
  }                                                                                          \
  XLA_BLAS_ROUTINE void rot(const xla::blas::Int* n, T* x, const xla::blas::Int* incx, T* y, \
                            const xla::blas::Int* incy, const xla::blas::Part<T>* c,         \
                            const xla::blas::Part<T>* s) {                                   \
    xla::blas::Rotate(*n, x, *incx, y, *incy, *c, *s);                                       \
  }
XLA_BLAS_NORMS(sasum_, snrm2_, srot_, float)
XLA_BLAS_NORMS(dasum_, dnrm2_, drot_, double)
XLA_BLAS_NORMS(scasum_, scnrm2_, csrot_, std::complex<float>)
XLA_BLAS_NORMS(dzasum_, dznrm2_, zdrot_, std::complex<double>)
#undef XLA_BLAS_NORMS

#define XLA_BLAS_REAL_SCALE(name, T)                                                         \
  XLA_BLAS_ROUTINE void name(const xla::blas::Int* n, const xla::blas::Part<T>* alpha, T* x, \
                             const xla::blas::Int* incx) {                                   \
    xla::blas::Scale(*n, *alpha, x, *incx);                                                  \
  }
XLA_BLAS_REAL_SCALE(csscal_, std::complex<float>)
XLA_BLAS_REAL_SCALE(zdscal_, std::complex<double>)
#undef XLA_BLAS_REAL_SCALE
