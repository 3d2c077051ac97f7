// SPDX-License-Identifier: Apache-2.0
// xTRMV and xTRSV: blocks on the diagonal element by element, those beside it by the loops on
// columns.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/contiguous_vector.h"
#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/vector_kernels.h"

namespace xla::blas {
namespace {

constexpr int64_t kBlock = 16;

// x[row, row + rows) += sign * A * x[column, column + columns) for a block of A at (row, column).
template <typename T>
void AddBlock(const Triangle<T>& t, int64_t row, int64_t rows, int64_t column, int64_t columns,
              T sign, T* x) {
  if (rows == 0 || columns == 0) return;
  const auto& kernels = GetVectorKernels<T>();
  const T* const data = t.a.At(row, column);
  if (t.a.row_stride == 1) {
    // As many columns as a block, since the other dimension may be long.
    T factors[kBlock];
    for (int64_t c = 0; c < columns; ++c) factors[c] = Multiplied(sign, x[column + c]);
    kernels.add_columns({rows, columns, data, t.a.column_stride}, factors, x + row);
  } else {
    T sums[kBlock];
    kernels.dot_columns({columns, rows, data, t.a.row_stride}, x + column, t.a.conjugate, sums);
    for (int64_t r = 0; r < rows; ++r) x[row + r] += Multiplied(sign, sums[r]);
  }
}

// What lies beside the block on the diagonal at `at`: below or above it if A is by columns, else to
// its left or right.
template <typename T>
void AddBeside(const Triangle<T>& t, int64_t n, int64_t at, int64_t size, T sign, T* x) {
  const bool by_columns = t.a.row_stride == 1;
  const int64_t other = t.lower == by_columns ? at + size : 0;
  const int64_t count = t.lower == by_columns ? n - other : at;
  if (by_columns) {
    AddBlock(t, other, count, at, size, sign, x);
  } else {
    AddBlock(t, at, size, other, count, sign, x);
  }
}

template <typename T>
void SolveBlock(const Triangle<T>& t, int64_t at, int64_t size, T* x) {
  for (int64_t step = 0; step < size; ++step) {
    const int64_t i = at + (t.lower ? step : size - 1 - step);
    const int64_t begin = t.lower ? at : i + 1, end = t.lower ? i : at + size;
    T sum = x[i];
    for (int64_t k = begin; k < end; ++k) sum -= Multiplied(t.a(i, k), x[k]);
    x[i] = t.unit_diagonal ? sum : Divisor<T>(t.a(i, i)).Divide(sum);
  }
}

template <typename T>
void MultiplyBlock(const Triangle<T>& t, int64_t at, int64_t size, T* x) {
  for (int64_t step = 0; step < size; ++step) {
    const int64_t i = at + (t.lower ? size - 1 - step : step);
    const int64_t begin = t.lower ? at : i + 1, end = t.lower ? i : at + size;
    T sum = t.unit_diagonal ? x[i] : Multiplied(t.a(i, i), x[i]);
    for (int64_t k = begin; k < end; ++k) sum += Multiplied(t.a(i, k), x[k]);
    x[i] = sum;
  }
}

template <typename T>
void Solve(const Triangle<T>& t, int64_t n, T* x) {
  const bool by_columns = t.a.row_stride == 1;
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t at = (t.lower ? step : blocks - 1 - step) * kBlock;
    const int64_t size = std::min(kBlock, n - at);
    if (!by_columns) AddBeside(t, n, at, size, T(-1), x);
    SolveBlock(t, at, size, x);
    if (by_columns) AddBeside(t, n, at, size, T(-1), x);
  }
}

template <typename T>
void Multiply(const Triangle<T>& t, int64_t n, T* x) {
  const bool by_columns = t.a.row_stride == 1;
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t at = (t.lower ? blocks - 1 - step : step) * kBlock;
    const int64_t size = std::min(kBlock, n - at);
    // By columns, what is added elsewhere is multiples of elements that have not changed yet.
    if (by_columns) AddBeside(t, n, at, size, T(1), x);
    MultiplyBlock(t, at, size, x);
    if (!by_columns) AddBeside(t, n, at, size, T(1), x);
  }
}

template <typename T, class Operation>
void Run(const char* name, const char* uplo, const char* trans, const char* diag, Int n, const T* a,
         Int lda, T* x, Int incx, const Operation& operation) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo))
      .Require(2, IsTransposition(trans))
      .Require(3, IsDiagonal(diag))
      .Require(4, n >= 0)
      .Require(6, lda >= std::max(1, n))
      .Require(8, incx != 0);
  if (arguments.Invalid<T>(name) || n == 0) return;
  ContiguousVector<T> xs(x, n, incx);
  const bool transposed = !Is(trans, 'N');
  operation({Operand(a, lda, trans), Is(uplo, 'L') != transposed, Is(diag, 'U')}, n, xs.data());
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_TRIANGULAR_VECTOR(letter, T)                                                     \
  XLA_BLAS_ROUTINE void letter##trsv_(                                                            \
      const char* uplo, const char* trans, const char* diag, const xla::blas::Int* n, const T* a, \
      const xla::blas::Int* lda, T* x, const xla::blas::Int* incx) {                              \
    xla::blas::Run("TRSV", uplo, trans, diag, *n, a, *lda, x, *incx, xla::blas::Solve<T>);        \
  }                                                                                               \
  XLA_BLAS_ROUTINE void letter##trmv_(                                                            \
      const char* uplo, const char* trans, const char* diag, const xla::blas::Int* n, const T* a, \
      const xla::blas::Int* lda, T* x, const xla::blas::Int* incx) {                              \
    xla::blas::Run("TRMV", uplo, trans, diag, *n, a, *lda, x, *incx, xla::blas::Multiply<T>);     \
  }
XLA_BLAS_TRIANGULAR_VECTOR(s, float)
XLA_BLAS_TRIANGULAR_VECTOR(d, double)
XLA_BLAS_TRIANGULAR_VECTOR(c, std::complex<float>)
XLA_BLAS_TRIANGULAR_VECTOR(z, std::complex<double>)
#undef XLA_BLAS_TRIANGULAR_VECTOR
