// SPDX-License-Identifier: Apache-2.0
// xTRSM and xTRMM: a triangle is cut into two triangles and a square, whose product is a general
// one, until it fits the kernels.
#include "xla/blas/triangular_matrix.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/product.h"
#include "xla/blas/triangular_kernels.h"
#include "xla/util.h"

namespace xla::blas {
namespace {

// Products worth the time that threads take to start.
constexpr double kParallelProducts = 1 << 21;

// Where a triangle is cut.
template <typename T>
int64_t Half(int64_t rows) {
  return std::min(RoundUpTo(rows / 2, kTriangleRows<T>), rows - 1);
}

template <typename T>
void Solve(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha, const Matrix<T>& x) {
  if (rows <= kTriangleRows<T>) {
    return GetTriangularKernels<T>().solve(a, rows, columns, alpha, x);
  }
  const int64_t half = Half<T>(rows), rest = rows - half;
  if (a.lower) {
    Solve(a, half, columns, alpha, x);
    Multiply<T>({rest, columns, half}, T(-1), a.a.From(half, 0), x, alpha, x.From(half, 0),
                nullptr);
    Solve(a.From(half), rest, columns, T(1), x.From(half, 0));
  } else {
    Solve(a.From(half), rest, columns, alpha, x.From(half, 0));
    Multiply<T>({half, columns, rest}, T(-1), a.a.From(0, half), x.From(half, 0), alpha, x,
                nullptr);
    Solve(a, half, columns, T(1), x);
  }
}

template <typename T>
void MultiplyBlocks(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                    const Matrix<T>& x) {
  if (rows <= kTriangleRows<T>) {
    return GetTriangularKernels<T>().multiply(a, rows, columns, alpha, x);
  }
  const int64_t half = Half<T>(rows), rest = rows - half;
  if (a.lower) {
    MultiplyBlocks(a.From(half), rest, columns, alpha, x.From(half, 0));
    Multiply<T>({rest, columns, half}, alpha, a.a.From(half, 0), x, T(1), x.From(half, 0), nullptr);
    MultiplyBlocks(a, half, columns, alpha, x);
  } else {
    MultiplyBlocks(a, half, columns, alpha, x);
    Multiply<T>({half, columns, rest}, alpha, a.a.From(0, half), x.From(half, 0), T(1), x, nullptr);
    MultiplyBlocks(a.From(half), rest, columns, alpha, x.From(half, 0));
  }
}

// Calls body(columns, x) for parts of X, on the threads if it pays.
template <typename T, class Body>
void InParts(int64_t rows, int64_t columns, const Matrix<T>& x, BlasThreads* threads,
             const Body& body) {
  constexpr int64_t kFewestColumns = 32;
  const double products = 0.5 * static_cast<double>(rows) * static_cast<double>(rows) *
                          static_cast<double>(columns) * (kIsComplex<T> ? 4 : 1);
  if (threads == nullptr || products < kParallelProducts) return body(columns, x);
  const int64_t part = RoundUpTo(
      std::max(kFewestColumns, CeilOfRatio(columns, int64_t{2} * threads->workers())), int64_t{16});
  RunOn(threads, CeilOfRatio(columns, part),
        [&](int64_t i) { body(std::min(part, columns - i * part), x.From(0, i * part)); });
}

}  // namespace

template <typename T>
void SolveTriangular(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                     const Matrix<T>& x, BlasThreads* threads) {
  InParts(rows, columns, x, threads,
          [&](int64_t count, const Matrix<T>& part) { Solve(a, rows, count, alpha, part); });
}

template <typename T>
void MultiplyTriangular(const Triangle<T>& a, int64_t rows, int64_t columns, T alpha,
                        const Matrix<T>& x, BlasThreads* threads) {
  InParts(rows, columns, x, threads, [&](int64_t count, const Matrix<T>& part) {
    MultiplyBlocks(a, rows, count, alpha, part);
  });
}

namespace {

// The arguments of the Fortran routines, brought to the form A * X with A by its effective
// triangle: from the right, X is taken by rows.
template <typename T, class Operation>
void Run(const char* name, const char* side, const char* uplo, const char* transa, const char* diag,
         Int m, Int n, T alpha, const T* a, Int lda, T* b, Int ldb, const Operation& operation) {
  const bool left = Is(side, 'L');
  Arguments arguments;
  arguments.Require(1, left || Is(side, 'R'))
      .Require(2, IsTriangle(uplo))
      .Require(3, IsTransposition(transa))
      .Require(4, IsDiagonal(diag))
      .Require(5, m >= 0)
      .Require(6, n >= 0)
      .Require(9, lda >= std::max(1, left ? m : n))
      .Require(11, ldb >= std::max(1, m));
  if (arguments.Invalid<T>(name) || m == 0 || n == 0) return;
  const Matrix<T> x = ByColumns(b, ldb);
  if (alpha == T(0)) return ScaleMatrix<T>(m, n, T(0), x);
  const bool transposed = !Is(transa, 'N');
  Triangle<T> triangle = {Operand(a, lda, transa), Is(uplo, 'L') != transposed, Is(diag, 'U')};
  if (!left) triangle = {triangle.a.Transposed(), !triangle.lower, triangle.unit_diagonal};
  operation(triangle, left ? m : n, left ? n : m, alpha, left ? x : x.Transposed(),
            BlasThreads::Current());
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_TRIANGULAR_MATRIX(letter, T)                                          \
  XLA_BLAS_ROUTINE void letter##trsm_(                                                 \
      const char* side, const char* uplo, const char* transa, const char* diag,        \
      const xla::blas::Int* m, const xla::blas::Int* n, const T* alpha, const T* a,    \
      const xla::blas::Int* lda, T* b, const xla::blas::Int* ldb) {                    \
    xla::blas::Run("TRSM", side, uplo, transa, diag, *m, *n, *alpha, a, *lda, b, *ldb, \
                   xla::blas::SolveTriangular<T>);                                     \
  }                                                                                    \
  XLA_BLAS_ROUTINE void letter##trmm_(                                                 \
      const char* side, const char* uplo, const char* transa, const char* diag,        \
      const xla::blas::Int* m, const xla::blas::Int* n, const T* alpha, const T* a,    \
      const xla::blas::Int* lda, T* b, const xla::blas::Int* ldb) {                    \
    xla::blas::Run("TRMM", side, uplo, transa, diag, *m, *n, *alpha, a, *lda, b, *ldb, \
                   xla::blas::MultiplyTriangular<T>);                                  \
  }
XLA_BLAS_TRIANGULAR_MATRIX(s, float)
XLA_BLAS_TRIANGULAR_MATRIX(d, double)
XLA_BLAS_TRIANGULAR_MATRIX(c, std::complex<float>)
XLA_BLAS_TRIANGULAR_MATRIX(z, std::complex<double>)
#undef XLA_BLAS_TRIANGULAR_MATRIX
