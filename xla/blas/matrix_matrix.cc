// SPDX-License-Identifier: Apache-2.0
// xGEMM, xSYMM and xHEMM.
#include "xla/blas/matrix.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/fortran.h"
#include "xla/blas/product.h"

namespace xla::blas {
namespace {

template <typename T>
void RunGemm(const char* transa, const char* transb, Int m, Int n, Int k, T alpha, const T* a,
             Int lda, const T* b, Int ldb, T beta, T* c, Int ldc) {
  Arguments arguments;
  arguments.Require(1, IsTransposition(transa))
      .Require(2, IsTransposition(transb))
      .Require(3, m >= 0)
      .Require(4, n >= 0)
      .Require(5, k >= 0)
      .Require(8, lda >= std::max(1, Is(transa, 'N') ? m : k))
      .Require(10, ldb >= std::max(1, Is(transb, 'N') ? k : n))
      .Require(13, ldc >= std::max(1, m));
  if (arguments.Invalid<T>("GEMM")) return;
  Multiply<T>({m, n, k}, alpha, Operand(a, lda, transa), Operand(b, ldb, transb), beta,
              ByColumns(c, ldc), BlasThreads::Current());
}

// C = alpha * A * B + beta * C for a symmetric or Hermitian matrix A of n rows, whose lower or
// upper triangle is stored. Blocks of A beside the diagonal are general matrices; those on it are
// completed.
template <typename T>
void MultiplySymmetric(bool hermitian, bool lower, int64_t n, int64_t columns, T alpha,
                       const Matrix<const T>& a, const Matrix<const T>& b, T beta,
                       const Matrix<T>& c) {
  BlasThreads* const threads = BlasThreads::Current();
  constexpr int64_t kBlock = 48;
  T square[kBlock * kBlock];
  if (n <= kBlock) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < n; ++i) {
        const bool stored = lower ? i >= j : i <= j;
        T element = stored ? *a.At(i, j) : *a.At(j, i);
        if (hermitian && !stored) element = Conjugate(element);
        if (hermitian && i == j) element = T(RealPart(element));
        square[i + j * kBlock] = a.conjugate ? Conjugate(element) : element;
      }
    }
    return Multiply<T>({n, columns, n}, alpha, {square, 1, kBlock}, b, beta, c, threads);
  }
  const int64_t half = n / 2, rest = n - half;
  Matrix<const T> below = lower ? a.From(half, 0) : a.From(0, half).Transposed();
  if (hermitian && !lower) below.conjugate = !below.conjugate;
  Matrix<const T> above = below.Transposed();
  if (hermitian) above.conjugate = !above.conjugate;
  MultiplySymmetric(hermitian, lower, half, columns, alpha, a, b, beta, c);
  Multiply<T>({half, columns, rest}, alpha, above, b.From(half, 0), T(1), c, threads);
  MultiplySymmetric(hermitian, lower, rest, columns, alpha, a.From(half, half), b.From(half, 0),
                    beta, c.From(half, 0));
  Multiply<T>({rest, columns, half}, alpha, below, b, T(1), c.From(half, 0), threads);
}

template <typename T>
void RunSymm(bool hermitian, const char* side, const char* uplo, Int m, Int n, T alpha, const T* a,
             Int lda, const T* b, Int ldb, T beta, T* c, Int ldc) {
  const bool left = Is(side, 'L');
  Arguments arguments;
  arguments.Require(1, left || Is(side, 'R'))
      .Require(2, IsTriangle(uplo))
      .Require(3, m >= 0)
      .Require(4, n >= 0)
      .Require(7, lda >= std::max(1, left ? m : n))
      .Require(9, ldb >= std::max(1, m))
      .Require(12, ldc >= std::max(1, m));
  if (arguments.Invalid<T>(hermitian ? "HEMM" : "SYMM") || m == 0 || n == 0) return;
  const Matrix<T> result = ByColumns(c, ldc);
  if (alpha == T(0)) return ScaleMatrix<T>(m, n, beta, result);
  Matrix<const T> symmetric = ByColumns(a, lda);
  const Matrix<const T> general = ByColumns(b, ldb);
  const bool lower = Is(uplo, 'L');
  if (left) {
    MultiplySymmetric(hermitian, lower, m, n, alpha, symmetric, general, beta, result);
  } else {
    // The transpose: C' = B' * A' with A' = conj(A) if A is Hermitian.
    symmetric.conjugate = hermitian;
    MultiplySymmetric(hermitian, lower, n, m, alpha, symmetric, general.Transposed(), beta,
                      result.Transposed());
  }
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_GEMM(letter, T)                                                                  \
  XLA_BLAS_ROUTINE void letter##gemm_(                                                            \
      const char* transa, const char* transb, const xla::blas::Int* m, const xla::blas::Int* n,   \
      const xla::blas::Int* k, const T* alpha, const T* a, const xla::blas::Int* lda, const T* b, \
      const xla::blas::Int* ldb, const T* beta, T* c, const xla::blas::Int* ldc) {                \
    xla::blas::RunGemm(transa, transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);     \
  }
XLA_BLAS_GEMM(s, float)
XLA_BLAS_GEMM(d, double)
XLA_BLAS_GEMM(c, std::complex<float>)
XLA_BLAS_GEMM(z, std::complex<double>)
#undef XLA_BLAS_GEMM

#define XLA_BLAS_SYMM(name, T, hermitian)                                                        \
  XLA_BLAS_ROUTINE void name(const char* side, const char* uplo, const xla::blas::Int* m,        \
                             const xla::blas::Int* n, const T* alpha, const T* a,                \
                             const xla::blas::Int* lda, const T* b, const xla::blas::Int* ldb,   \
                             const T* beta, T* c, const xla::blas::Int* ldc) {                   \
    xla::blas::RunSymm(hermitian, side, uplo, *m, *n, *alpha, a, *lda, b, *ldb, *beta, c, *ldc); \
  }
XLA_BLAS_SYMM(ssymm_, float, false)
XLA_BLAS_SYMM(dsymm_, double, false)
XLA_BLAS_SYMM(csymm_, std::complex<float>, false)
XLA_BLAS_SYMM(zsymm_, std::complex<double>, false)
XLA_BLAS_SYMM(chemm_, std::complex<float>, true)
XLA_BLAS_SYMM(zhemm_, std::complex<double>, true)
#undef XLA_BLAS_SYMM
