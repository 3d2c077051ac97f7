// SPDX-License-Identifier: Apache-2.0
// Updates by products of vectors: xGER, xGERU, xGERC, xSYR, xHER, xSYR2 and xHER2.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "xla/blas/blas_threads.h"
#include "xla/blas/contiguous_vector.h"
#include "xla/blas/fortran.h"
#include "xla/blas/matrix.h"
#include "xla/blas/vector_kernels.h"
#include "xla/util.h"

namespace xla::blas {
namespace {

constexpr int64_t kRowBlock = 2048;
constexpr int64_t kColumnBlock = 64;
// Columns whose part on the diagonal is updated element by element.
constexpr int64_t kDiagonalBlock = 8;
constexpr int64_t kParallelBytes = 1 << 19;

// The number of parts that columns are divided into: elements do not depend on it.
template <typename T>
int64_t PartsOfColumns(BlasThreads* threads, int64_t columns, int64_t elements,
                       int64_t per_worker) {
  if (threads == nullptr || elements * static_cast<int64_t>(sizeof(T)) < kParallelBytes) return 1;
  return std::clamp<int64_t>(per_worker * threads->workers(), 1,
                             std::max<int64_t>(columns / 32, 1));
}

template <typename T>
void RunGer(bool conjugate, const char* name, Int m, Int n, T alpha, const T* x, Int incx,
            const T* y, Int incy, T* a, Int lda) {
  Arguments arguments;
  arguments.Require(1, m >= 0)
      .Require(2, n >= 0)
      .Require(5, incx != 0)
      .Require(7, incy != 0)
      .Require(9, lda >= std::max(1, m));
  if (arguments.Invalid<T>(name) || m == 0 || n == 0 || alpha == T(0)) return;
  ContiguousVector<const T> xs(x, m, incx);
  const T* const first_y = FirstElement(y, n, incy);
  const auto& kernels = GetVectorKernels<T>();
  const auto update = [&](int64_t begin, int64_t end) {
    T factors[kColumnBlock];
    for (int64_t j = begin; j < end; j += kColumnBlock) {
      const int64_t columns = std::min(kColumnBlock, end - j);
      for (int64_t c = 0; c < columns; ++c) {
        const T element = first_y[(j + c) * incy];
        factors[c] = Multiplied(alpha, conjugate ? Conjugate(element) : element);
      }
      for (int64_t i = 0; i < m; i += kRowBlock) {
        kernels.update_columns({std::min(kRowBlock, m - i), columns, a + i + j * lda, lda}, factors,
                               xs.data() + i);
      }
    }
  };
  BlasThreads* const threads = BlasThreads::Current();
  const int64_t parts = PartsOfColumns<T>(threads, n, int64_t{m} * n, 2);
  if (parts == 1) return update(0, n);
  threads->Run(parts, [&](int64_t i) { update(n * i / parts, n * (i + 1) / parts); });
}

// A += x * factors^T + x2 * factors2^T in one triangle, where the second product is left out if x2
// is null. factor(j, c) is called for columns before they are updated.
template <typename T>
struct TriangleUpdate {
  bool lower;
  int64_t n;
  const T *x, *x2;
  T alpha;
  T* a;
  int64_t lda;

  void Run(int64_t begin, int64_t end) const {
    const auto& kernels = GetVectorKernels<T>();
    T factors[kDiagonalBlock], factors2[kDiagonalBlock];
    for (int64_t j = begin; j < end; j += kDiagonalBlock) {
      const int64_t columns = std::min(kDiagonalBlock, end - j);
      for (int64_t c = 0; c < columns; ++c) {
        if (x2 == nullptr) {
          factors[c] = Multiplied(alpha, Conjugate(x[j + c]));
        } else {
          factors[c] = Multiplied(alpha, Conjugate(x2[j + c]));
          factors2[c] = Conjugate(Multiplied(alpha, x[j + c]));
        }
        T* const column = a + (j + c) * lda + j;
        for (int64_t r = lower ? c : 0; r < (lower ? columns : c + 1); ++r) {
          T product = Multiplied(x[j + r], factors[c]);
          if (x2 != nullptr) product += Multiplied(x2[j + r], factors2[c]);
          column[r] += product;
        }
        column[c] = T(RealPart(column[c]));
      }
      const int64_t row = lower ? j + columns : 0, rows = lower ? n - row : j;
      if (rows == 0) continue;
      const Columns<T> block = {rows, columns, a + j * lda + row, lda};
      if (x2 == nullptr) {
        kernels.update_columns(block, factors, x + row);
      } else {
        kernels.update_columns_twice(block, factors, x + row, factors2, x2 + row);
      }
    }
  }

  void RunOnThreads() const {
    BlasThreads* const threads = BlasThreads::Current();
    const int64_t parts = PartsOfColumns<T>(threads, n, n * n / 2, 4);
    if (parts == 1) return Run(0, n);
    const int64_t part = RoundUpTo(CeilOfRatio(n, parts), kDiagonalBlock);
    threads->Run(CeilOfRatio(n, part),
                 [&](int64_t i) { Run(i * part, std::min(n, (i + 1) * part)); });
  }
};

template <typename T>
void RunSyr(const char* uplo, Int n, Part<T> alpha, const T* x, Int incx, T* a, Int lda) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo))
      .Require(2, n >= 0)
      .Require(5, incx != 0)
      .Require(7, lda >= std::max(1, n));
  if (arguments.Invalid<T>(kIsComplex<T> ? "HER" : "SYR") || n == 0 || alpha == 0) return;
  ContiguousVector<const T> xs(x, n, incx);
  TriangleUpdate<T>{Is(uplo, 'L'), n, xs.data(), nullptr, T(alpha), a, lda}.RunOnThreads();
}

template <typename T>
void RunSyr2(const char* uplo, Int n, T alpha, const T* x, Int incx, const T* y, Int incy, T* a,
             Int lda) {
  Arguments arguments;
  arguments.Require(1, IsTriangle(uplo))
      .Require(2, n >= 0)
      .Require(5, incx != 0)
      .Require(7, incy != 0)
      .Require(9, lda >= std::max(1, n));
  if (arguments.Invalid<T>(kIsComplex<T> ? "HER2" : "SYR2") || n == 0 || alpha == T(0)) return;
  ContiguousVector<const T> xs(x, n, incx), ys(y, n, incy);
  TriangleUpdate<T>{Is(uplo, 'L'), n, xs.data(), ys.data(), alpha, a, lda}.RunOnThreads();
}

}  // namespace
}  // namespace xla::blas

#define XLA_BLAS_GER(name, label, T, conjugate)                                                \
  XLA_BLAS_ROUTINE void name(const xla::blas::Int* m, const xla::blas::Int* n, const T* alpha, \
                             const T* x, const xla::blas::Int* incx, const T* y,               \
                             const xla::blas::Int* incy, T* a, const xla::blas::Int* lda) {    \
    xla::blas::RunGer(conjugate, label, *m, *n, *alpha, x, *incx, y, *incy, a, *lda);          \
  }
XLA_BLAS_GER(sger_, "GER", float, false)
XLA_BLAS_GER(dger_, "GER", double, false)
XLA_BLAS_GER(cgeru_, "GERU", std::complex<float>, false)
XLA_BLAS_GER(zgeru_, "GERU", std::complex<double>, false)
XLA_BLAS_GER(cgerc_, "GERC", std::complex<float>, true)
XLA_BLAS_GER(zgerc_, "GERC", std::complex<double>, true)
#undef XLA_BLAS_GER

#define XLA_BLAS_SYR(syr, syr2, T)                                                          \
  XLA_BLAS_ROUTINE void syr(const char* uplo, const xla::blas::Int* n,                      \
                            const xla::blas::Part<T>* alpha, const T* x,                    \
                            const xla::blas::Int* incx, T* a, const xla::blas::Int* lda) {  \
    xla::blas::RunSyr<T>(uplo, *n, *alpha, x, *incx, a, *lda);                              \
  }                                                                                         \
  XLA_BLAS_ROUTINE void syr2(const char* uplo, const xla::blas::Int* n, const T* alpha,     \
                             const T* x, const xla::blas::Int* incx, const T* y,            \
                             const xla::blas::Int* incy, T* a, const xla::blas::Int* lda) { \
    xla::blas::RunSyr2(uplo, *n, *alpha, x, *incx, y, *incy, a, *lda);                      \
  }
XLA_BLAS_SYR(ssyr_, ssyr2_, float)
XLA_BLAS_SYR(dsyr_, dsyr2_, double)
XLA_BLAS_SYR(cher_, cher2_, std::complex<float>)
XLA_BLAS_SYR(zher_, zher2_, std::complex<double>)
#undef XLA_BLAS_SYR
