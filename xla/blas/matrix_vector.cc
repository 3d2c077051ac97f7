// SPDX-License-Identifier: Apache-2.0
// xGEMV, xSYMV and xHEMV.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <new>

#include "xla/blas/blas_threads.h"
#include "xla/blas/contiguous_vector.h"
#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/vector_kernels.h"
#include "xla/util.h"

namespace xla::blas {
namespace {

// Vectors of so many elements stay in the first-level cache.
constexpr int64_t kRowBlock = 1024;
constexpr int64_t kColumnBlock = 64;
// Elements of matrices worth the time that threads take to start.
constexpr int64_t kParallelBytes = 1 << 19;

template <typename T>
void ScaleVector(int64_t n, T beta, T* y, int64_t increment) {
  if (beta == T(1)) return;
  for (int64_t i = 0; i < n; ++i) {
    T& element = y[i * increment];
    element = beta == T(0) ? T(0) : Multiplied(beta, element);
  }
}

// y += alpha * A * x for some rows of A, with y contiguous.
template <typename T>
void AddColumnsTimes(const Columns<const T>& a, T alpha, const T* x, int64_t incx, T* y) {
  const auto& kernels = GetVectorKernels<T>();
  T factors[kColumnBlock];
  for (int64_t i = 0; i < a.rows; i += kRowBlock) {
    const Columns<const T> rows = a.Rows(i, std::min(i + kRowBlock, a.rows));
    for (int64_t j = 0; j < a.columns; j += kColumnBlock) {
      const int64_t end = std::min(j + kColumnBlock, a.columns);
      for (int64_t c = j; c < end; ++c) factors[c - j] = Multiplied(alpha, x[c * incx]);
      kernels.add_columns(rows.ColumnRange(j, end), factors, y + i);
    }
  }
}

// y += alpha * A^T * x, or A^H, for some columns of A, with x contiguous.
template <typename T>
void AddDotsTimes(const Columns<const T>& a, bool conjugate, T alpha, const T* x, T* y,
                  int64_t incy) {
  const auto& kernels = GetVectorKernels<T>();
  T sums[kColumnBlock], partial[kColumnBlock];
  for (int64_t j = 0; j < a.columns; j += kColumnBlock) {
    const int64_t end = std::min(j + kColumnBlock, a.columns);
    const Columns<const T> columns = a.ColumnRange(j, end);
    kernels.dot_columns(columns.Rows(0, std::min(4 * kRowBlock, a.rows)), x, conjugate, sums);
    for (int64_t i = 4 * kRowBlock; i < a.rows; i += 4 * kRowBlock) {
      kernels.dot_columns(columns.Rows(i, std::min(i + 4 * kRowBlock, a.rows)), x + i, conjugate,
                          partial);
      for (int64_t c = 0; c < end - j; ++c) sums[c] += partial[c];
    }
    for (int64_t c = j; c < end; ++c) y[c * incy] += Multiplied(alpha, sums[c - j]);
  }
}

// Calls body(begin, end) for ranges of [0, count), on threads if the matrix is large.
template <typename T, class Body>
void InRanges(int64_t count, int64_t elements, const Body& body) {
  BlasThreads* const threads = BlasThreads::Current();
  if (threads == nullptr || elements * static_cast<int64_t>(sizeof(T)) < kParallelBytes ||
      count < 128) {
    return body(0, count);
  }
  const int64_t range = RoundUpTo(
      CeilOfRatio(count, std::min<int64_t>(2 * threads->workers(), count / 64)), int64_t{8});
  threads->Run(CeilOfRatio(count, range),
               [&](int64_t i) { body(i * range, std::min(count, (i + 1) * range)); });
}

template <typename T>
void RunGemv(const char* trans, Int m, Int n, T alpha, const T* a, Int lda, const T* x, Int incx,
             T beta, T* y, Int incy) {
  Arguments arguments;
  arguments.Require(1, IsTransposition(trans))
      .Require(2, m >= 0)
      .Require(3, n >= 0)
      .Require(6, lda >= std::max(1, m))
      .Require(8, incx != 0)
      .Require(11, incy != 0);
  if (arguments.Invalid<T>("GEMV") || m == 0 || n == 0) return;
  const bool transposed = !Is(trans, 'N');
  const Int x_size = transposed ? m : n, y_size = transposed ? n : m;
  T* const first_y = FirstElement(y, y_size, incy);
  ScaleVector(y_size, beta, first_y, incy);
  if (alpha == T(0)) return;
  const Columns<const T> columns = {m, n, a, lda};
  const int64_t elements = int64_t{m} * n;
  if (transposed) {
    ContiguousVector<const T> contiguous_x(x, x_size, incx);
    InRanges<T>(n, elements, [&](int64_t begin, int64_t end) {
      AddDotsTimes(columns.ColumnRange(begin, end), Is(trans, 'C'), alpha, contiguous_x.data(),
                   first_y + begin * incy, incy);
    });
  } else {
    ContiguousVector<T> contiguous_y(y, y_size, incy);
    const T* const first_x = FirstElement(x, x_size, incx);
    InRanges<T>(m, elements, [&](int64_t begin, int64_t end) {
      AddColumnsTimes(columns.Rows(begin, end), alpha, first_x, incx, contiguous_y.data() + begin);
    });
  }
}

// Large matrices are cut into strips of columns of about the same size, each with sums of its own,
// which are added in order.
template <typename T>
void AddSymmetric(const HalfMatrix<T>& a, T alpha, const T* x, T* y) {
  const auto& kernels = GetVectorKernels<T>();
  constexpr int64_t kStrips = 8;
  const double bytes = 0.5 * static_cast<double>(a.n) * static_cast<double>(a.n) * sizeof(T);
  std::unique_ptr<T[]> sums;
  if (bytes >= 2 * kParallelBytes) sums.reset(new (std::nothrow) T[kStrips * a.n]);
  if (sums == nullptr) return kernels.add_symmetric_columns(a, alpha, 0, a.n, x, y);
  const auto strip_begin = [&](int64_t strip) {
    const double part = static_cast<double>(strip) / kStrips;
    const double at =
        static_cast<double>(a.n) * (a.lower ? 1 - std::sqrt(1 - part) : std::sqrt(part));
    return std::min(a.n, RoundUpTo(static_cast<int64_t>(at), int64_t{8}));
  };
  RunOn(BlasThreads::Current(), kStrips, [&](int64_t strip) {
    T* const partial = sums.get() + strip * a.n;
    std::fill_n(partial, a.n, T(0));
    kernels.add_symmetric_columns(a, alpha, strip_begin(strip), strip_begin(strip + 1), x, partial);
  });
  for (int64_t strip = 0; strip < kStrips; ++strip) {
    const T* const partial = sums.get() + strip * a.n;
    const int64_t begin = a.lower ? strip_begin(strip) : 0,
                  end = a.lower ? a.n : strip_begin(strip + 1);
    for (int64_t i = begin; i < end; ++i) y[i] += partial[i];
  }
}

template <typename T>
void RunSymv(const char* uplo, Int n, T alpha, const T* a, Int lda, const T* x, Int incx, T beta,
             T* y, Int incy) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo))
      .Require(2, n >= 0)
      .Require(5, lda >= std::max(1, n))
      .Require(7, incx != 0)
      .Require(10, incy != 0);
  if (arguments.Invalid<T>(kIsComplex<T> ? "HEMV" : "SYMV") || n == 0) return;
  ScaleVector<T>(n, beta, FirstElement(y, n, incy), incy);
  if (alpha == T(0)) return;
  ContiguousVector<const T> contiguous_x(x, n, incx);
  ContiguousVector<T> contiguous_y(y, n, incy);
  AddSymmetric<T>({Is(uplo, 'L'), n, a, lda}, alpha, contiguous_x.data(), contiguous_y.data());
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_MATRIX_VECTOR(gemv, symv, T)                                                     \
  XLA_BLAS_ROUTINE void gemv(const char* trans, const xla::blas::Int* m, const xla::blas::Int* n, \
                             const T* alpha, const T* a, const xla::blas::Int* lda, const T* x,   \
                             const xla::blas::Int* incx, const T* beta, T* y,                     \
                             const xla::blas::Int* incy) {                                        \
    xla::blas::RunGemv(trans, *m, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);                \
  }                                                                                               \
  XLA_BLAS_ROUTINE void symv(const char* uplo, const xla::blas::Int* n, const T* alpha,           \
                             const T* a, const xla::blas::Int* lda, const T* x,                   \
                             const xla::blas::Int* incx, const T* beta, T* y,                     \
                             const xla::blas::Int* incy) {                                        \
    xla::blas::RunSymv(uplo, *n, *alpha, a, *lda, x, *incx, *beta, y, *incy);                     \
  }
XLA_BLAS_MATRIX_VECTOR(sgemv_, ssymv_, float)
XLA_BLAS_MATRIX_VECTOR(dgemv_, dsymv_, double)
XLA_BLAS_MATRIX_VECTOR(cgemv_, chemv_, std::complex<float>)
XLA_BLAS_MATRIX_VECTOR(zgemv_, zhemv_, std::complex<double>)
#undef XLA_BLAS_MATRIX_VECTOR
