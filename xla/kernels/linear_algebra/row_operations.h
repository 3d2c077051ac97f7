// SPDX-License-Identifier: Apache-2.0
// Inner loops of factorizations by reflections and rotations: the same bits for any instruction
// set.
#ifndef XLA_KERNELS_LINEAR_ALGEBRA_ROW_OPERATIONS_H_
#define XLA_KERNELS_LINEAR_ALGEBRA_ROW_OPERATIONS_H_

#include <cstdint>

namespace xla::kernels {

// Real numbers, or real and imaginary parts in two arrays; `im` is null for real numbers.
template <typename T>
struct Planes {
  T* re = nullptr;
  T* im = nullptr;
  // Elements from `offset` on.
  Planes At(int64_t offset) const { return {re + offset, im == nullptr ? nullptr : im + offset}; }
  operator Planes<const T>() const { return {re, im}; }  // NOLINT(google-explicit-constructor)
};

// Rows i < rows of a matrix, at i * stride, and `columns` of each.
template <typename T>
struct RowBlock {
  int64_t rows, columns, stride;
  Planes<T> data;
};

// Vectors v[j] at j * stride, for j < count.
inline constexpr int64_t kMostVectors = 4;
struct VectorGroup {
  int64_t count;  // 1 or kMostVectors
  int64_t stride;
  Planes<const double> data;
};

// sums[j * sums_stride + c] = sum over rows of conj(v[j][i]) * a[i][c], in order of i.
void ProjectRows(const RowBlock<const double>& a, const VectorGroup& v, int64_t sums_stride,
                 const Planes<double>& sums);
// a[i][c] -= v[j][i] * rows[j * rows_stride + c] for each j, in order.
void SubtractProducts(const VectorGroup& v, int64_t rows_stride, const Planes<const double>& rows,
                      const RowBlock<double>& a);

// c[i][j] -= sum over k < depth of a[i][k] * b[k][j]: products are subtracted in order of k.
struct ProductOperands {
  int64_t depth;
  Planes<const double> a;
  int64_t a_stride;
  Planes<const double> b;
  int64_t b_stride;
};
void SubtractMatrixProduct(const ProductOperands& operands, const RowBlock<double>& c);

// Factors interleaved matrices: element [i, j] of each is at (i * n + j) * kSideBySide of `a`. The
// lower triangles become their Cholesky factors; *definite[l] says whether matrix l has one.
inline constexpr int64_t kSideBySide = 8;
void FactorSideBySide(int64_t n, const Planes<double>& a, bool (&definite)[kSideBySide]);

// Replaces two rows by c * x - conj(s) * y and s * x + c * y. s has one element.
struct Rotation {
  double c;
  double s_re, s_im;
};
void RotateRows(const Rotation& rotation, int64_t count, const Planes<double>& x,
                const Planes<double>& y);

// A row in halves, each of which may be read and written up to 8 elements beyond its end.
template <typename T>
struct Halves {
  Planes<T> left, right;
};
// Rotates rows x and y like RotateRows; then replaces the halves of each, l and r, by c[i] * l[i] -
// s[i] * r[i], stored one place later, and conj(s[i]) * l[i] + c[i] * r[i], one place earlier.
void RotateHalves(const Rotation& rotation, int64_t half, const double* c,
                  const Planes<const double>& s, const Halves<const double>& x,
                  const Halves<const double>& y, const Halves<double>& to_x,
                  const Halves<double>& to_y);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_LINEAR_ALGEBRA_ROW_OPERATIONS_H_
