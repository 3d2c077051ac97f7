// SPDX-License-Identifier: Apache-2.0
// Matrices of a batch in the memory of an array, and copies of them in LAPACK's order.
#ifndef XLA_LAPACK_MATRICES_H_
#define XLA_LAPACK_MATRICES_H_

#include <cstdint>
#include <cstring>

#include "xla/shape.h"

namespace xla::lapack {

// Element (row, column) of matrix b is at b * matrix_stride + row * row_stride + column *
// column_stride, in elements. One of the last two strides is 1.
struct Matrices {
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 1, column_stride = 1, matrix_stride = 0;

  bool is_column_major() const { return row_stride == 1; }
  bool is_vector() const { return rows <= 1 || columns <= 1; }
  int64_t size() const { return rows * columns; }
};

// Whether the last two dimensions are laid out column by column, or all dimensions row by row:
// dimensions of one element count as either.
bool HasMatrixLayout(const Shape& shape);
// Of an array in row-major memory whose layout is one of these.
Matrices MatricesOf(const Shape& shape);

// Copies columns of `rows` elements to columns `to_stride` apart, or from there: blocks of a
// row-major matrix are transposed.
template <typename T>
void Transpose(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
               int64_t to_stride) {
  constexpr int64_t kBlock = 64 / sizeof(T) < 8 ? 8 : 64 / sizeof(T);
  for (int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    const int64_t i1 = i0 + kBlock < rows ? i0 + kBlock : rows;
    for (int64_t j0 = 0; j0 < columns; j0 += kBlock) {
      const int64_t j1 = j0 + kBlock < columns ? j0 + kBlock : columns;
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) to[j * to_stride + i] = from[i * from_stride + j];
      }
    }
  }
}

// The matrix at `from` as columns, one after the other.
template <typename T>
void LoadColumns(const Matrices& m, const T* from, T* columns) {
  if (m.is_column_major()) {
    if (m.size() > 0 && columns != from)
      std::memmove(columns, from, static_cast<size_t>(m.size()) * sizeof(T));
  } else {
    Transpose(m.rows, m.columns, from, m.row_stride, columns, m.rows);
  }
}
template <typename T>
void StoreColumns(const Matrices& m, const T* columns, T* to) {
  if (m.is_column_major()) {
    if (m.size() > 0 && columns != to)
      std::memmove(to, columns, static_cast<size_t>(m.size()) * sizeof(T));
  } else {
    Transpose(m.columns, m.rows, columns, m.rows, to, m.row_stride);
  }
}

// Between arrays of any order; the memory may be the same where the order is.
template <typename T>
void CopyMatrix(const Matrices& m, const T* from, const Matrices& out, T* to) {
  if (m.size() == 0) return;
  if (m.is_vector() || m.is_column_major() == out.is_column_major()) {
    if (from != to) std::memcpy(to, from, static_cast<size_t>(m.size()) * sizeof(T));
  } else if (out.is_column_major()) {
    LoadColumns(m, from, to);
  } else {
    StoreColumns(out, from, to);
  }
}

}  // namespace xla::lapack

#endif  // XLA_LAPACK_MATRICES_H_
