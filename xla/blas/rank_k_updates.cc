// SPDX-License-Identifier: Apache-2.0
// xSYRK, xHERK, xSYR2K and xHER2K: products of which one triangle is wanted.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "xla/blas/blas_threads.h"
#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/product.h"
#include "xla/util.h"

namespace xla::blas {
namespace {

// The triangle of C that is updated; the diagonal of a Hermitian matrix stays real.
template <typename T>
struct Update {
  bool lower, hermitian;
  T beta;
  Matrix<T> c;
  // c = beta * c + the update's rows [i, i + m) and columns [j, j + n).
  absl::FunctionRef<void(int64_t i, int64_t j, int64_t m, int64_t n, T beta, const Matrix<T>& c)>
      add;
};

constexpr int64_t kWholeBlock = 32;
// Blocks that are tasks of threads.
constexpr int64_t kTaskBlock = 192;
constexpr double kParallelProducts = 1 << 21;

template <typename T>
void UpdateWholeBlock(const Update<T>& u, int64_t at, int64_t n) {
  if (n == 1 && !u.hermitian) return u.add(at, at, 1, 1, u.beta, u.c.From(at, at));
  T sums[kWholeBlock * kWholeBlock];
  u.add(at, at, n, n, T(0), {sums, 1, n});
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = u.lower ? j : 0; i < (u.lower ? n : j + 1); ++i) {
      T& c = *u.c.At(at + i, at + j);
      const T sum = sums[i + j * n];
      c = u.beta == T(0) ? sum : u.beta == T(1) ? c + sum : Multiplied(u.beta, c) + sum;
      if (u.hermitian && i == j) c = T(RealPart(c));
    }
  }
}

// The triangle of rows and columns [at, at + n).
template <typename T>
void UpdateTriangle(const Update<T>& u, int64_t at, int64_t n) {
  if (n <= kWholeBlock) return UpdateWholeBlock(u, at, n);
  const int64_t half = RoundUpTo(n / 2, int64_t{16}), rest = n - half;
  UpdateTriangle(u, at, half);
  if (u.lower) {
    u.add(at + half, at, rest, half, u.beta, u.c.From(at + half, at));
  } else {
    u.add(at, at + half, half, rest, u.beta, u.c.From(at, at + half));
  }
  UpdateTriangle(u, at + half, rest);
}

template <typename T>
void RunUpdate(const Update<T>& u, int64_t n, int64_t k) {
  BlasThreads* const threads = BlasThreads::Current();
  const double products = 0.5 * static_cast<double>(n) * static_cast<double>(n) *
                          static_cast<double>(k) * (kIsComplex<T> ? 4 : 1);
  if (products < kParallelProducts || n <= kTaskBlock) return UpdateTriangle(u, 0, n);
  // Task (i, j) is block i of block column j, which is below the diagonal or on it, or the mirror
  // image of that.
  const int64_t blocks = CeilOfRatio(n, kTaskBlock);
  RunOn(threads, blocks * (blocks + 1) / 2, [&](int64_t task) {
    int64_t row = 0;
    while ((row + 1) * (row + 2) / 2 <= task) ++row;
    const int64_t column = task - row * (row + 1) / 2;
    const int64_t i = row * kTaskBlock, j = column * kTaskBlock;
    const int64_t rows = std::min(kTaskBlock, n - i);
    if (row == column) return UpdateTriangle(u, i, rows);
    if (u.lower) {
      u.add(i, j, rows, kTaskBlock, u.beta, u.c.From(i, j));
    } else {
      u.add(j, i, kTaskBlock, rows, u.beta, u.c.From(j, i));
    }
  });
}

// C = beta * C.
template <typename T>
void ScaleTriangle(bool lower, bool hermitian, int64_t n, T beta, const Matrix<T>& c) {
  if (beta == T(1)) return;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i) {
      T& element = *c.At(i, j);
      element = beta == T(0) ? T(0) : Multiplied(beta, element);
      if (hermitian && i == j) element = T(RealPart(element));
    }
  }
}

template <typename T>
bool IsTranspositionOf(bool hermitian, const char* trans) {
  return Is(trans, 'N') || (!hermitian && Is(trans, 'T')) ||
         ((hermitian || !kIsComplex<T>)&&Is(trans, 'C'));
}

// A of the form n by k.
template <typename T>
Matrix<const T> ByRowsOfResult(bool hermitian, const char* trans, const T* a, Int lda) {
  const Matrix<const T> matrix = ByColumns(a, lda);
  if (Is(trans, 'N')) return matrix;
  Matrix<const T> transposed = matrix.Transposed();
  transposed.conjugate = hermitian;
  return transposed;
}

template <typename T>
Matrix<const T> Adjoint(bool hermitian, const Matrix<const T>& a) {
  Matrix<const T> result = a.Transposed();
  if (hermitian) result.conjugate = !result.conjugate;
  return result;
}

// `Scalar` is real for xHERK.
template <typename T, typename Scalar>
void RunSyrk(bool hermitian, const char* uplo, const char* trans, Int n, Int k, Scalar alpha,
             const T* a, Int lda, Scalar beta, T* c, Int ldc) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo))
      .Require(2, IsTranspositionOf<T>(hermitian, trans))
      .Require(3, n >= 0)
      .Require(4, k >= 0)
      .Require(7, lda >= std::max(1, Is(trans, 'N') ? n : k))
      .Require(10, ldc >= std::max(1, n));
  if (arguments.Invalid<T>(hermitian ? "HERK" : "SYRK") || n == 0) return;
  if ((alpha == Scalar(0) || k == 0) && beta == Scalar(1)) return;
  const bool lower = Is(uplo, 'L');
  const Matrix<T> result = ByColumns(c, ldc);
  if (alpha == Scalar(0) || k == 0) return ScaleTriangle(lower, hermitian, n, T(beta), result);
  const Matrix<const T> left = ByRowsOfResult(hermitian, trans, a, lda),
                        right = Adjoint(hermitian, left);
  const auto add = [&](int64_t i, int64_t j, int64_t rows, int64_t columns, T block_beta,
                       const Matrix<T>& block) {
    Multiply<T>({rows, columns, k}, T(alpha), left.From(i, 0), right.From(0, j), block_beta, block,
                nullptr);
  };
  RunUpdate<T>({lower, hermitian, T(beta), result, add}, n, k);
}

template <typename T, typename Scalar>
void RunSyr2k(bool hermitian, const char* uplo, const char* trans, Int n, Int k, T alpha,
              const T* a, Int lda, const T* b, Int ldb, Scalar beta, T* c, Int ldc) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo))
      .Require(2, IsTranspositionOf<T>(hermitian, trans))
      .Require(3, n >= 0)
      .Require(4, k >= 0)
      .Require(7, lda >= std::max(1, Is(trans, 'N') ? n : k))
      .Require(9, ldb >= std::max(1, Is(trans, 'N') ? n : k))
      .Require(12, ldc >= std::max(1, n));
  if (arguments.Invalid<T>(hermitian ? "HER2K" : "SYR2K") || n == 0) return;
  if ((alpha == T(0) || k == 0) && beta == Scalar(1)) return;
  const bool lower = Is(uplo, 'L');
  const Matrix<T> result = ByColumns(c, ldc);
  if (alpha == T(0) || k == 0) return ScaleTriangle(lower, hermitian, n, T(beta), result);
  const Matrix<const T> left_a = ByRowsOfResult(hermitian, trans, a, lda),
                        left_b = ByRowsOfResult(hermitian, trans, b, ldb),
                        right_a = Adjoint(hermitian, left_a), right_b = Adjoint(hermitian, left_b);
  const T alpha2 = hermitian ? Conjugate(alpha) : alpha;
  const auto add = [&](int64_t i, int64_t j, int64_t rows, int64_t columns, T block_beta,
                       const Matrix<T>& block) {
    Multiply<T>({rows, columns, k}, alpha, left_a.From(i, 0), right_b.From(0, j), block_beta, block,
                nullptr);
    Multiply<T>({rows, columns, k}, alpha2, left_b.From(i, 0), right_a.From(0, j), T(1), block,
                nullptr);
  };
  RunUpdate<T>({lower, hermitian, T(beta), result, add}, n, 2 * int64_t{k});
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_SYRK(name, T, Scalar, hermitian)                                          \
  XLA_BLAS_ROUTINE void name(const char* uplo, const char* trans, const xla::blas::Int* n, \
                             const xla::blas::Int* k, const Scalar* alpha, const T* a,     \
                             const xla::blas::Int* lda, const Scalar* beta, T* c,          \
                             const xla::blas::Int* ldc) {                                  \
    xla::blas::RunSyrk(hermitian, uplo, trans, *n, *k, *alpha, a, *lda, *beta, c, *ldc);   \
  }
XLA_BLAS_SYRK(ssyrk_, float, float, false)
XLA_BLAS_SYRK(dsyrk_, double, double, false)
XLA_BLAS_SYRK(csyrk_, std::complex<float>, std::complex<float>, false)
XLA_BLAS_SYRK(zsyrk_, std::complex<double>, std::complex<double>, false)
XLA_BLAS_SYRK(cherk_, std::complex<float>, float, true)
XLA_BLAS_SYRK(zherk_, std::complex<double>, double, true)
#undef XLA_BLAS_SYRK

#define XLA_BLAS_SYR2K(name, T, Scalar, hermitian)                                                 \
  XLA_BLAS_ROUTINE void name(const char* uplo, const char* trans, const xla::blas::Int* n,         \
                             const xla::blas::Int* k, const T* alpha, const T* a,                  \
                             const xla::blas::Int* lda, const T* b, const xla::blas::Int* ldb,     \
                             const Scalar* beta, T* c, const xla::blas::Int* ldc) {                \
    xla::blas::RunSyr2k(hermitian, uplo, trans, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc); \
  }
XLA_BLAS_SYR2K(ssyr2k_, float, float, false)
XLA_BLAS_SYR2K(dsyr2k_, double, double, false)
XLA_BLAS_SYR2K(csyr2k_, std::complex<float>, std::complex<float>, false)
XLA_BLAS_SYR2K(zsyr2k_, std::complex<double>, std::complex<double>, false)
XLA_BLAS_SYR2K(cher2k_, std::complex<float>, float, true)
XLA_BLAS_SYR2K(zher2k_, std::complex<double>, double, true)
#undef XLA_BLAS_SYR2K
