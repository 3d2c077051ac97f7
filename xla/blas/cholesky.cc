// SPDX-License-Identifier: Apache-2.0
// xPOTRF2, in place of LAPACK's: the same recursion, which ends at blocks of a few rows instead of
// at single elements. LAPACK's spends most of its time on calls for matrices of 1 by 1, so that
// small matrices took four times as long.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/triangular_matrix.h"
#include "xla/util.h"

namespace xla::blas {
namespace {

constexpr int64_t kBlock = 8;

// Lower triangles: A = L * L^H. Of A = U^H * U the transpose is given, whose lower triangle becomes
// U^T; the same operations are done on conjugates then. Returns the order of the first leading
// minor that is not positive, or 0.
template <typename T>
Int FactorBlock(int64_t n, const Matrix<T>& a) {
  for (int64_t j = 0; j < n; ++j) {
    Part<T> pivot = RealPart(*a.At(j, j));
    for (int64_t k = 0; k < j; ++k)
      pivot -= RealPart(Multiplied(*a.At(j, k), Conjugate(*a.At(j, k))));
    *a.At(j, j) = T(pivot);
    if (!(pivot > 0)) return static_cast<Int>(j + 1);
    pivot = std::sqrt(pivot);
    *a.At(j, j) = T(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      T sum = *a.At(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= Multiplied(*a.At(i, k), Conjugate(*a.At(j, k)));
      *a.At(i, j) = sum / pivot;
    }
  }
  return 0;
}

// `update(n, k, a, c)`: C -= A * A^H, or A^H * A for upper triangles, of the stored triangle of C.
template <typename T, class Update>
Int Factor(bool lower, int64_t n, T* a, Int lda, const Update& update) {
  const Matrix<T> matrix = ByColumns(a, lda);
  if (n <= kBlock) return FactorBlock(n, lower ? matrix : matrix.Transposed());
  const int64_t half = RoundUpTo(n / 2, kBlock), rest = n - half;
  if (const Int info = Factor(lower, half, a, lda, update); info != 0) return info;
  // X * L^H = A21, whose transpose is conj(L) * X^T = A21^T; or U^H * X = A12.
  Matrix<const T> triangle = ByColumns<const T>(a, lda);
  if (!lower) triangle = triangle.Transposed();
  triangle.conjugate = kIsComplex<T>;
  const Matrix<T> beside = lower ? matrix.From(half, 0) : matrix.From(0, half);
  SolveTriangular<T>({triangle, /*lower=*/true, /*unit_diagonal=*/false}, half, rest, T(1),
                     lower ? beside.Transposed() : beside, BlasThreads::Current());
  T* const last = matrix.At(half, half);
  update(static_cast<Int>(rest), static_cast<Int>(half), beside.data, last);
  const Int info = Factor(lower, rest, last, lda, update);
  return info == 0 ? 0 : info + static_cast<Int>(half);
}

// `syrk` is that of the type, or xHERK.
template <typename T, class Syrk>
void RunPotrf2(const char* uplo, Int n, T* a, Int lda, Int* info, const Syrk& syrk) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo)).Require(2, n >= 0).Require(4, lda >= std::max(1, n));
  *info = -arguments.position();
  if (arguments.Invalid<T>("POTRF2")) return;
  const bool lower = Is(uplo, 'L');
  const Part<T> minus_one = -1, one = 1;
  const char* const trans = lower ? "N" : kIsComplex<T> ? "C" : "T";
  *info = Factor(lower, n, a, lda, [&](Int rest, Int k, const T* beside, T* c) {
    syrk(uplo, trans, &rest, &k, &minus_one, beside, &lda, &one, c, &lda);
  });
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_POTRF2(name, syrk, T)                                                   \
  XLA_BLAS_ROUTINE void syrk(const char*, const char*, const xla::blas::Int*,            \
                             const xla::blas::Int*, const xla::blas::Part<T>*, const T*, \
                             const xla::blas::Int*, const xla::blas::Part<T>*, T*,       \
                             const xla::blas::Int*);                                     \
  XLA_BLAS_ROUTINE void name(const char* uplo, const xla::blas::Int* n, T* a,            \
                             const xla::blas::Int* lda, xla::blas::Int* info) {          \
    xla::blas::RunPotrf2(uplo, *n, a, *lda, info, syrk);                                 \
  }
XLA_BLAS_POTRF2(spotrf2_, ssyrk_, float)
XLA_BLAS_POTRF2(dpotrf2_, dsyrk_, double)
XLA_BLAS_POTRF2(cpotrf2_, cherk_, std::complex<float>)
XLA_BLAS_POTRF2(zpotrf2_, zherk_, std::complex<double>)
#undef XLA_BLAS_POTRF2
