// SPDX-License-Identifier: Apache-2.0
// The loops of vector_kernels.h for machines without vectors, whose lanes do not hold complex
// numbers.
#ifndef XLA_BLAS_PLAIN_VECTOR_KERNELS_H_
#define XLA_BLAS_PLAIN_VECTOR_KERNELS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "xla/blas/matrix.h"
#include "xla/blas/vector_kernels.h"

namespace xla::blas {

template <typename T>
struct PlainVectorKernels {
  static void AddColumns(const Columns<const T>& a, const T* factors, T* y) {
    for (int64_t j = 0; j < a.columns; ++j) {
      for (int64_t i = 0; i < a.rows; ++i) y[i] += Multiplied(factors[j], a.data[i + j * a.stride]);
    }
  }
  static void DotColumns(const Columns<const T>& a, const T* x, bool conjugate, T* sums) {
    for (int64_t j = 0; j < a.columns; ++j) {
      sums[j] = T();
      for (int64_t i = 0; i < a.rows; ++i) {
        const T element = a.data[i + j * a.stride];
        sums[j] += Multiplied(conjugate ? Conjugate(element) : element, x[i]);
      }
    }
  }
  static void AddSymmetricColumns(const HalfMatrix<T>& a, T alpha, int64_t begin, int64_t end,
                                  const T* x, T* y) {
    for (int64_t j = begin; j < end; ++j) {
      const T* const column = a.data + j * a.stride;
      const T factor = Multiplied(alpha, x[j]);
      T sum = RealPart(column[j]) * x[j];
      for (int64_t i = a.lower ? j + 1 : 0; i < (a.lower ? a.n : j); ++i) {
        y[i] += Multiplied(column[i], factor);
        sum += Multiplied(Conjugate(column[i]), x[i]);
      }
      y[j] += Multiplied(alpha, sum);
    }
  }
  static void UpdateColumns(const Columns<T>& a, const T* factors, const T* x) {
    for (int64_t j = 0; j < a.columns; ++j) {
      for (int64_t i = 0; i < a.rows; ++i) a.data[i + j * a.stride] += Multiplied(factors[j], x[i]);
    }
  }
  static void UpdateColumnsTwice(const Columns<T>& a, const T* factors, const T* x,
                                 const T* factors2, const T* x2) {
    UpdateColumns(a, factors, x);
    UpdateColumns(a, factors2, x2);
  }
  static void Scale(int64_t count, T factor, T* x) {
    for (int64_t i = 0; i < count; ++i) x[i] = Multiplied(factor, x[i]);
  }
  static void AddMultiple(int64_t count, T factor, const T* x, T* y) {
    for (int64_t i = 0; i < count; ++i) y[i] += Multiplied(factor, x[i]);
  }
  static void Rotate(int64_t count, Part<T> c, Part<T> s, T* x, T* y) {
    for (int64_t i = 0; i < count; ++i) {
      const T a = x[i], b = y[i];
      x[i] = c * a + s * b;
      y[i] = c * b - s * a;
    }
  }
  static Part<T> AbsoluteSum(int64_t count, const T* x) {
    Part<T> sum = 0;
    for (int64_t i = 0; i < count * kParts<T>; ++i)
      sum += std::abs(reinterpret_cast<const Part<T>*>(x)[i]);
    return sum;
  }
  static double SumOfSquares(int64_t count, const T* x) {
    double sum = 0;
    for (int64_t i = 0; i < count * kParts<T>; ++i) {
      const double part = reinterpret_cast<const Part<T>*>(x)[i];
      sum += part * part;
    }
    return sum;
  }
  static Part<T> Largest(int64_t count, const T* x) {
    Part<T> largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      Part<T> value = std::abs(RealPart(x[i]));
      if constexpr (kIsComplex<T>) value += std::abs(x[i].imag());
      if (value > largest) largest = value;
    }
    return largest;
  }

  static VectorKernels<T> Get() {
    return {&AddColumns,
            &DotColumns,
            &AddSymmetricColumns,
            &UpdateColumns,
            &UpdateColumnsTwice,
            &Scale,
            &AddMultiple,
            &Rotate,
            &AbsoluteSum,
            &SumOfSquares,
            &Largest};
  }
};

}  // namespace xla::blas

#endif  // XLA_BLAS_PLAIN_VECTOR_KERNELS_H_
