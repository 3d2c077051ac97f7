// SPDX-License-Identifier: Apache-2.0
// The Fortran routines of xla/blas, overloaded by type, with arguments by value.
#ifndef TESTS_BLAS_ROUTINES_H_
#define TESTS_BLAS_ROUTINES_H_

#include <complex>
#include <cstdint>

#include "xla/blas/matrix.h"

// Fortran's complex numbers are returned as std::complex is.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif

namespace xla::blas {

using Int = int32_t;
using C = std::complex<float>;
using Z = std::complex<double>;

// The letter before the names of a type: R for routines with a result or a scalar of the type of
// the parts, as scnrm2_ and csscal_ for complex<float>.
#define XLA_BLAS_TEST_COMMON(p, T)                                                                 \
  extern "C" {                                                                                     \
  void p##axpy_(const Int*, const T*, const T*, const Int*, T*, const Int*);                       \
  void p##copy_(const Int*, const T*, const Int*, T*, const Int*);                                 \
  void p##swap_(const Int*, T*, const Int*, T*, const Int*);                                       \
  void p##scal_(const Int*, const T*, T*, const Int*);                                             \
  Int i##p##amax_(const Int*, const T*, const Int*);                                               \
  void p##gemv_(const char*, const Int*, const Int*, const T*, const T*, const Int*, const T*,     \
                const Int*, const T*, T*, const Int*);                                             \
  void p##trmv_(const char*, const char*, const char*, const Int*, const T*, const Int*, T*,       \
                const Int*);                                                                       \
  void p##trsv_(const char*, const char*, const char*, const Int*, const T*, const Int*, T*,       \
                const Int*);                                                                       \
  void p##gemm_(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,  \
                const Int*, const T*, const Int*, const T*, T*, const Int*);                       \
  void p##symm_(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,  \
                const T*, const Int*, const T*, T*, const Int*);                                   \
  void p##syrk_(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,  \
                const T*, T*, const Int*);                                                         \
  void p##syr2k_(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*, \
                 const T*, const Int*, const T*, T*, const Int*);                                  \
  void p##trmm_(const char*, const char*, const char*, const char*, const Int*, const Int*,        \
                const T*, const T*, const Int*, T*, const Int*);                                   \
  void p##trsm_(const char*, const char*, const char*, const char*, const Int*, const Int*,        \
                const T*, const T*, const Int*, T*, const Int*);                                   \
  }                                                                                                \
  inline void Axpy(Int n, T alpha, const T* x, Int incx, T* y, Int incy) {                         \
    p##axpy_(&n, &alpha, x, &incx, y, &incy);                                                      \
  }                                                                                                \
  inline void Copy(Int n, const T* x, Int incx, T* y, Int incy) {                                  \
    p##copy_(&n, x, &incx, y, &incy);                                                              \
  }                                                                                                \
  inline void Swap(Int n, T* x, Int incx, T* y, Int incy) { p##swap_(&n, x, &incx, y, &incy); }    \
  inline void Scal(Int n, T alpha, T* x, Int incx) { p##scal_(&n, &alpha, x, &incx); }             \
  inline Int Iamax(Int n, const T* x, Int incx) { return i##p##amax_(&n, x, &incx); }              \
  inline void Gemv(char trans, Int m, Int n, T alpha, const T* a, Int lda, const T* x, Int incx,   \
                   T beta, T* y, Int incy) {                                                       \
    p##gemv_(&trans, &m, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);                          \
  }                                                                                                \
  inline void Trmv(char uplo, char trans, char diag, Int n, const T* a, Int lda, T* x, Int incx) { \
    p##trmv_(&uplo, &trans, &diag, &n, a, &lda, x, &incx);                                         \
  }                                                                                                \
  inline void Trsv(char uplo, char trans, char diag, Int n, const T* a, Int lda, T* x, Int incx) { \
    p##trsv_(&uplo, &trans, &diag, &n, a, &lda, x, &incx);                                         \
  }                                                                                                \
  inline void Gemm(char transa, char transb, Int m, Int n, Int k, T alpha, const T* a, Int lda,    \
                   const T* b, Int ldb, T beta, T* c, Int ldc) {                                   \
    p##gemm_(&transa, &transb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);              \
  }                                                                                                \
  inline void Symm(char side, char uplo, Int m, Int n, T alpha, const T* a, Int lda, const T* b,   \
                   Int ldb, T beta, T* c, Int ldc) {                                               \
    p##symm_(&side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                      \
  }                                                                                                \
  inline void Syrk(char uplo, char trans, Int n, Int k, T alpha, const T* a, Int lda, T beta,      \
                   T* c, Int ldc) {                                                                \
    p##syrk_(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);                              \
  }                                                                                                \
  inline void Syr2k(char uplo, char trans, Int n, Int k, T alpha, const T* a, Int lda, const T* b, \
                    Int ldb, T beta, T* c, Int ldc) {                                              \
    p##syr2k_(&uplo, &trans, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                    \
  }                                                                                                \
  inline void Trmm(char side, char uplo, char trans, char diag, Int m, Int n, T alpha, const T* a, \
                   Int lda, T* b, Int ldb) {                                                       \
    p##trmm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb);                       \
  }                                                                                                \
  inline void Trsm(char side, char uplo, char trans, char diag, Int m, Int n, T alpha, const T* a, \
                   Int lda, T* b, Int ldb) {                                                       \
    p##trsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb);                       \
  }
XLA_BLAS_TEST_COMMON(s, float)
XLA_BLAS_TEST_COMMON(d, double)
XLA_BLAS_TEST_COMMON(c, C)
XLA_BLAS_TEST_COMMON(z, Z)
#undef XLA_BLAS_TEST_COMMON

// Hermitian for complex numbers, symmetric for real ones.
#define XLA_BLAS_TEST_HERMITIAN(p, T, dot, ger, hemv, her, her2, hemm, herk, her2k, asum, nrm2,    \
                                rot)                                                               \
  extern "C" {                                                                                     \
  T dot(const Int*, const T*, const Int*, const T*, const Int*);                                   \
  void ger(const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*, T*,       \
           const Int*);                                                                            \
  void hemv(const char*, const Int*, const T*, const T*, const Int*, const T*, const Int*,         \
            const T*, T*, const Int*);                                                             \
  void her(const char*, const Int*, const Part<T>*, const T*, const Int*, T*, const Int*);         \
  void her2(const char*, const Int*, const T*, const T*, const Int*, const T*, const Int*, T*,     \
            const Int*);                                                                           \
  void hemm(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,      \
            const T*, const Int*, const T*, T*, const Int*);                                       \
  void herk(const char*, const char*, const Int*, const Int*, const Part<T>*, const T*,            \
            const Int*, const Part<T>*, T*, const Int*);                                           \
  void her2k(const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,     \
             const T*, const Int*, const Part<T>*, T*, const Int*);                                \
  Part<T> asum(const Int*, const T*, const Int*);                                                  \
  Part<T> nrm2(const Int*, const T*, const Int*);                                                  \
  void rot(const Int*, T*, const Int*, T*, const Int*, const Part<T>*, const Part<T>*);            \
  }                                                                                                \
  inline T Dotc(Int n, const T* x, Int incx, const T* y, Int incy) {                               \
    return dot(&n, x, &incx, y, &incy);                                                            \
  }                                                                                                \
  inline void Gerc(Int m, Int n, T alpha, const T* x, Int incx, const T* y, Int incy, T* a,        \
                   Int lda) {                                                                      \
    ger(&m, &n, &alpha, x, &incx, y, &incy, a, &lda);                                              \
  }                                                                                                \
  inline void Hemv(char uplo, Int n, T alpha, const T* a, Int lda, const T* x, Int incx, T beta,   \
                   T* y, Int incy) {                                                               \
    hemv(&uplo, &n, &alpha, a, &lda, x, &incx, &beta, y, &incy);                                   \
  }                                                                                                \
  inline void Her(char uplo, Int n, Part<T> alpha, const T* x, Int incx, T* a, Int lda) {          \
    her(&uplo, &n, &alpha, x, &incx, a, &lda);                                                     \
  }                                                                                                \
  inline void Her2(char uplo, Int n, T alpha, const T* x, Int incx, const T* y, Int incy, T* a,    \
                   Int lda) {                                                                      \
    her2(&uplo, &n, &alpha, x, &incx, y, &incy, a, &lda);                                          \
  }                                                                                                \
  inline void Hemm(char side, char uplo, Int m, Int n, T alpha, const T* a, Int lda, const T* b,   \
                   Int ldb, T beta, T* c, Int ldc) {                                               \
    hemm(&side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                          \
  }                                                                                                \
  inline void Herk(char uplo, char trans, Int n, Int k, Part<T> alpha, const T* a, Int lda,        \
                   Part<T> beta, T* c, Int ldc) {                                                  \
    herk(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);                                  \
  }                                                                                                \
  inline void Her2k(char uplo, char trans, Int n, Int k, T alpha, const T* a, Int lda, const T* b, \
                    Int ldb, Part<T> beta, T* c, Int ldc) {                                        \
    her2k(&uplo, &trans, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                        \
  }                                                                                                \
  inline Part<T> Asum(Int n, const T* x, Int incx) { return asum(&n, x, &incx); }                  \
  inline Part<T> Nrm2(Int n, const T* x, Int incx) { return nrm2(&n, x, &incx); }                  \
  inline void Rot(Int n, T* x, Int incx, T* y, Int incy, Part<T> cosine, Part<T> sine) {           \
    rot(&n, x, &incx, y, &incy, &cosine, &sine);                                                   \
  }
XLA_BLAS_TEST_HERMITIAN(s, float, sdot_, sger_, ssymv_, ssyr_, ssyr2_, ssymm_, ssyrk_, ssyr2k_,
                        sasum_, snrm2_, srot_)
XLA_BLAS_TEST_HERMITIAN(d, double, ddot_, dger_, dsymv_, dsyr_, dsyr2_, dsymm_, dsyrk_, dsyr2k_,
                        dasum_, dnrm2_, drot_)
XLA_BLAS_TEST_HERMITIAN(c, C, cdotc_, cgerc_, chemv_, cher_, cher2_, chemm_, cherk_, cher2k_,
                        scasum_, scnrm2_, csrot_)
XLA_BLAS_TEST_HERMITIAN(z, Z, zdotc_, zgerc_, zhemv_, zher_, zher2_, zhemm_, zherk_, zher2k_,
                        dzasum_, dznrm2_, zdrot_)
#undef XLA_BLAS_TEST_HERMITIAN

// Only of complex numbers.
#define XLA_BLAS_TEST_COMPLEX(p, T, real_scale)                                                   \
  extern "C" {                                                                                    \
  T p##dotu_(const Int*, const T*, const Int*, const T*, const Int*);                             \
  void p##geru_(const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*, T*, \
                const Int*);                                                                      \
  void real_scale(const Int*, const Part<T>*, T*, const Int*);                                    \
  }                                                                                               \
  inline T Dotu(Int n, const T* x, Int incx, const T* y, Int incy) {                              \
    return p##dotu_(&n, x, &incx, y, &incy);                                                      \
  }                                                                                               \
  inline void Geru(Int m, Int n, T alpha, const T* x, Int incx, const T* y, Int incy, T* a,       \
                   Int lda) {                                                                     \
    p##geru_(&m, &n, &alpha, x, &incx, y, &incy, a, &lda);                                        \
  }                                                                                               \
  inline void RealScal(Int n, Part<T> alpha, T* x, Int incx) { real_scale(&n, &alpha, x, &incx); }
XLA_BLAS_TEST_COMPLEX(c, C, csscal_)
XLA_BLAS_TEST_COMPLEX(z, Z, zdscal_)
#undef XLA_BLAS_TEST_COMPLEX

}  // namespace xla::blas

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif  // TESTS_BLAS_ROUTINES_H_
