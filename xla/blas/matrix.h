// SPDX-License-Identifier: Apache-2.0
// Matrices in memory, and the arithmetic of their elements: float, double and complex of both.
#ifndef XLA_BLAS_MATRIX_H_
#define XLA_BLAS_MATRIX_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace xla::blas {

template <typename T>
struct PartOf {
  using type = T;
  static constexpr bool kComplex = false;
};
template <typename P>
struct PartOf<std::complex<P>> {
  using type = P;
  static constexpr bool kComplex = true;
};
// The type of real and imaginary parts.
template <typename T>
using Part = typename PartOf<T>::type;
template <typename T>
inline constexpr bool kIsComplex = PartOf<T>::kComplex;
// Numbers of type Part<T> in an element.
template <typename T>
inline constexpr int64_t kParts = kIsComplex<T> ? 2 : 1;

// Products as in Fortran: the operator of std::complex repairs products of infinities, at a cost.
template <typename T>
inline T Multiplied(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

template <typename T>
inline T Conjugate(T a) {
  if constexpr (kIsComplex<T>) return std::conj(a);
  return a;
}

template <typename T>
inline Part<T> RealPart(T a) {
  if constexpr (kIsComplex<T>)
    return a.real();
  else
    return a;
}

// A division whose part that depends on the divisor is prepared, by the method of Smith (Algorithm
// 116: Complex division, CACM 1962), as in compilers of Fortran.
template <typename T>
struct Divisor {
  explicit Divisor(T d) : den(d) {}
  T Divide(T a) const { return a / den; }
  T den;
};
template <typename P>
struct Divisor<std::complex<P>> {
  explicit Divisor(std::complex<P> d) {
    if (std::abs(d.real()) >= std::abs(d.imag())) {
      const P ratio = d.imag() / d.real();
      p = 1, q = ratio, den = d.real() + d.imag() * ratio;
    } else {
      const P ratio = d.real() / d.imag();
      p = ratio, q = 1, den = d.real() * ratio + d.imag();
    }
  }
  std::complex<P> Divide(std::complex<P> a) const {
    return {(a.real() * p + a.imag() * q) / den, (a.imag() * p - a.real() * q) / den};
  }
  P p, q, den;
};

// Element (i, j) at data[i * row_stride + j * column_stride]. T is const for matrices that are only
// read; those may stand for the conjugates of what is in memory.
template <typename T>
struct Matrix {
  using Value = std::remove_const_t<T>;

  T* data;
  int64_t row_stride, column_stride;
  bool conjugate = false;

  T* At(int64_t i, int64_t j) const { return data + i * row_stride + j * column_stride; }
  Value operator()(int64_t i, int64_t j) const {
    return conjugate ? Conjugate<Value>(*At(i, j)) : *At(i, j);
  }
  Matrix From(int64_t i, int64_t j) const {
    return {At(i, j), row_stride, column_stride, conjugate};
  }
  Matrix Transposed() const { return {data, column_stride, row_stride, conjugate}; }
  operator Matrix<const Value>() const {  // NOLINT(google-explicit-constructor)
    return {data, row_stride, column_stride, conjugate};
  }
};

// A triangular matrix, of which the other triangle is not read, nor the diagonal if it is one.
template <typename T>
struct Triangle {
  Matrix<const T> a;
  bool lower;
  bool unit_diagonal;

  // The triangle of rows and columns i and on.
  Triangle From(int64_t i) const { return {a.From(i, i), lower, unit_diagonal}; }
};

}  // namespace xla::blas

#endif  // XLA_BLAS_MATRIX_H_
