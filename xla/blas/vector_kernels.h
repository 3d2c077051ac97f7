// SPDX-License-Identifier: Apache-2.0
// Inner loops on vectors and on few columns of matrices, bound by the speed of memory. Elements of
// vectors and columns are contiguous. T: float, double, or complex of them.
#ifndef XLA_BLAS_VECTOR_KERNELS_H_
#define XLA_BLAS_VECTOR_KERNELS_H_

#include <cstdint>

#include "xla/blas/matrix.h"

namespace xla::blas {

// `columns` columns of `rows` elements; `stride` elements from one to the next.
template <typename T>
struct Columns {
  int64_t rows, columns;
  T* data;
  int64_t stride;

  Columns<T> From(int64_t row, int64_t column) const {
    return {rows - row, columns - column, data + row + column * stride, stride};
  }
  Columns<T> Rows(int64_t begin, int64_t end) const {
    return {end - begin, columns, data + begin, stride};
  }
  Columns<T> ColumnRange(int64_t begin, int64_t end) const {
    return {rows, end - begin, data + begin * stride, stride};
  }
};

// A symmetric matrix, or Hermitian if elements are complex, of which one triangle is stored.
template <typename T>
struct HalfMatrix {
  bool lower;
  int64_t n;
  const T* data;
  int64_t stride;
};

// The loops of one instruction set. Each element of a result is summed in an order that depends on
// the number of elements alone, not on which columns are processed together.
template <typename T>
struct VectorKernels {
  // y += sum over j of factors[j] * a[:, j], in order of j.
  void (*add_columns)(const Columns<const T>& a, const T* factors, T* y);
  // sums[j] = sum over i of a[i, j] * x[i]; of conj(a[i, j]) with `conjugate`.
  void (*dot_columns)(const Columns<const T>& a, const T* x, bool conjugate, T* sums);
  // y += alpha times what columns [begin, end) of the stored triangle, and the rows that mirror
  // them, add to the product of the matrix with x. Each element is read once.
  void (*add_symmetric_columns)(const HalfMatrix<T>& a, T alpha, int64_t begin, int64_t end,
                                const T* x, T* y);
  // a[:, j] += factors[j] * x.
  void (*update_columns)(const Columns<T>& a, const T* factors, const T* x);
  // a[:, j] += factors[j] * x + factors2[j] * x2.
  void (*update_columns_twice)(const Columns<T>& a, const T* factors, const T* x, const T* factors2,
                               const T* x2);
  // These three round each product and each sum, as does plain code: what becomes of an element
  // does not depend on where it lies. Tests of LAPACK rely on it: eigenvalues are the same whether
  // eigenvectors are wanted or not.
  void (*scale)(int64_t count, T factor, T* x);
  // y += factor * x.
  void (*add_multiple)(int64_t count, T factor, const T* x, T* y);
  // x, y = c * x + s * y, c * y - s * x.
  void (*rotate)(int64_t count, Part<T> c, Part<T> s, T* x, T* y);
  // The sum of |re| + |im|.
  Part<T> (*absolute_sum)(int64_t count, const T* x);
  // The sum of squares of all parts; of float in double precision.
  double (*sum_of_squares)(int64_t count, const T* x);
  // The largest |re| + |im|. NaN is not larger than anything; 0 if there is no other element.
  Part<T> (*largest)(int64_t count, const T* x);
};

// Of the machine.
template <typename T>
const VectorKernels<T>& GetVectorKernels();

}  // namespace xla::blas

#endif  // XLA_BLAS_VECTOR_KERNELS_H_
