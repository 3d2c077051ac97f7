// SPDX-License-Identifier: Apache-2.0
// LAPACK's routines as Fortran compilers export them (gfortran: a trailing underscore; lengths of
// strings follow the other arguments), and one name for the routines of all four types.
#ifndef XLA_LAPACK_FORTRAN_H_
#define XLA_LAPACK_FORTRAN_H_

#include <complex>
#include <cstddef>
#include <cstdint>

#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla::lapack {

using Int = int32_t;  // Fortran's INTEGER
// SELECT of gees; never called, since eigenvalues are not sorted.
using Select = Int (*)(const void*, const void*);

// The declarations of a routine for one type: T its elements, R their real type.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define XYLEM_LAPACK_ALL_TYPES(letter, T, R)                                                       \
  void letter##potrf_(const char* uplo, const Int* n, T* a, const Int* lda, Int* info, size_t);    \
  void letter##getrf_(const Int* m, const Int* n, T* a, const Int* lda, Int* ipiv, Int* info);     \
  void letter##geqrf_(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work,           \
                      const Int* lwork, Int* info);                                                \
  void letter##gehrd_(const Int* n, const Int* ilo, const Int* ihi, T* a, const Int* lda, T* tau,  \
                      T* work, const Int* lwork, Int* info);                                       \
  void letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag,      \
                     const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda, T* b, \
                     const Int* ldb, size_t, size_t, size_t, size_t);

#define XYLEM_LAPACK_REAL(letter, T)                                                               \
  XYLEM_LAPACK_ALL_TYPES(letter, T, T)                                                             \
  void letter##orgqr_(const Int* m, const Int* n, const Int* k, T* a, const Int* lda,              \
                      const T* tau, T* work, const Int* lwork, Int* info);                         \
  void letter##ormqr_(const char* side, const char* trans, const Int* m, const Int* n,             \
                      const Int* k, const T* a, const Int* lda, const T* tau, T* c,                \
                      const Int* ldc, T* work, const Int* lwork, Int* info, size_t, size_t);       \
  void letter##sytrd_(const char* uplo, const Int* n, T* a, const Int* lda, T* d, T* e, T* tau,    \
                      T* work, const Int* lwork, Int* info, size_t);                               \
  void letter##geqp3_(const Int* m, const Int* n, T* a, const Int* lda, Int* jpvt, T* tau,         \
                      T* work, const Int* lwork, Int* info);                                       \
  void letter##gesdd_(const char* jobz, const Int* m, const Int* n, T* a, const Int* lda, T* s,    \
                      T* u, const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork,     \
                      Int* iwork, Int* info, size_t);                                              \
  void letter##gesvd_(const char* jobu, const char* jobvt, const Int* m, const Int* n, T* a,       \
                      const Int* lda, T* s, T* u, const Int* ldu, T* vt, const Int* ldvt, T* work, \
                      const Int* lwork, Int* info, size_t, size_t);                                \
  void letter##syevd_(const char* jobz, const char* uplo, const Int* n, T* a, const Int* lda,      \
                      T* w, T* work, const Int* lwork, Int* iwork, const Int* liwork, Int* info,   \
                      size_t, size_t);                                                             \
  void letter##geev_(const char* jobvl, const char* jobvr, const Int* n, T* a, const Int* lda,     \
                     T* wr, T* wi, T* vl, const Int* ldvl, T* vr, const Int* ldvr, T* work,        \
                     const Int* lwork, Int* info, size_t, size_t);                                 \
  void letter##gees_(const char* jobvs, const char* sort, Select select, const Int* n, T* a,       \
                     const Int* lda, Int* sdim, T* wr, T* wi, T* vs, const Int* ldvs, T* work,     \
                     const Int* lwork, Int* bwork, Int* info, size_t, size_t);

#define XYLEM_LAPACK_COMPLEX(letter, T, R)                                                         \
  XYLEM_LAPACK_ALL_TYPES(letter, T, R)                                                             \
  void letter##ungqr_(const Int* m, const Int* n, const Int* k, T* a, const Int* lda,              \
                      const T* tau, T* work, const Int* lwork, Int* info);                         \
  void letter##unmqr_(const char* side, const char* trans, const Int* m, const Int* n,             \
                      const Int* k, const T* a, const Int* lda, const T* tau, T* c,                \
                      const Int* ldc, T* work, const Int* lwork, Int* info, size_t, size_t);       \
  void letter##hetrd_(const char* uplo, const Int* n, T* a, const Int* lda, R* d, R* e, T* tau,    \
                      T* work, const Int* lwork, Int* info, size_t);                               \
  void letter##geqp3_(const Int* m, const Int* n, T* a, const Int* lda, Int* jpvt, T* tau,         \
                      T* work, const Int* lwork, R* rwork, Int* info);                             \
  void letter##gesdd_(const char* jobz, const Int* m, const Int* n, T* a, const Int* lda, R* s,    \
                      T* u, const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork,     \
                      R* rwork, Int* iwork, Int* info, size_t);                                    \
  void letter##gesvd_(const char* jobu, const char* jobvt, const Int* m, const Int* n, T* a,       \
                      const Int* lda, R* s, T* u, const Int* ldu, T* vt, const Int* ldvt, T* work, \
                      const Int* lwork, R* rwork, Int* info, size_t, size_t);                      \
  void letter##heevd_(const char* jobz, const char* uplo, const Int* n, T* a, const Int* lda,      \
                      R* w, T* work, const Int* lwork, R* rwork, const Int* lrwork, Int* iwork,    \
                      const Int* liwork, Int* info, size_t, size_t);                               \
  void letter##geev_(const char* jobvl, const char* jobvr, const Int* n, T* a, const Int* lda,     \
                     T* w, T* vl, const Int* ldvl, T* vr, const Int* ldvr, T* work,                \
                     const Int* lwork, R* rwork, Int* info, size_t, size_t);                       \
  void letter##gees_(const char* jobvs, const char* sort, Select select, const Int* n, T* a,       \
                     const Int* lda, Int* sdim, T* w, T* vs, const Int* ldvs, T* work,             \
                     const Int* lwork, R* rwork, Int* bwork, Int* info, size_t, size_t);

extern "C" {
XYLEM_LAPACK_REAL(s, float)
XYLEM_LAPACK_REAL(d, double)
XYLEM_LAPACK_COMPLEX(c, complex64, float)
XYLEM_LAPACK_COMPLEX(z, complex128, double)
}
#undef XYLEM_LAPACK_REAL
#undef XYLEM_LAPACK_COMPLEX
#undef XYLEM_LAPACK_ALL_TYPES
// NOLINTEND(bugprone-macro-parentheses)

// Fortran<T>::potrf is that of T; orthogonal and symmetric routines have the names of their unitary
// and Hermitian kin.
template <typename T>
struct Fortran;

#define XYLEM_LAPACK_NAMES(T, R, letter, orthogonal, symmetric) \
  template <>                                                   \
  struct Fortran<T> {                                           \
    using Real = R;                                             \
    static constexpr auto potrf = letter##potrf_;               \
    static constexpr auto getrf = letter##getrf_;               \
    static constexpr auto geqrf = letter##geqrf_;               \
    static constexpr auto gehrd = letter##gehrd_;               \
    static constexpr auto trsm = letter##trsm_;                 \
    static constexpr auto geqp3 = letter##geqp3_;               \
    static constexpr auto gesdd = letter##gesdd_;               \
    static constexpr auto gesvd = letter##gesvd_;               \
    static constexpr auto geev = letter##geev_;                 \
    static constexpr auto gees = letter##gees_;                 \
    static constexpr auto ungqr = letter##orthogonal##gqr_;     \
    static constexpr auto unmqr = letter##orthogonal##mqr_;     \
    static constexpr auto hetrd = letter##symmetric##trd_;      \
    static constexpr auto heevd = letter##symmetric##evd_;      \
  };
XYLEM_LAPACK_NAMES(float, float, s, or, sy)
XYLEM_LAPACK_NAMES(double, double, d, or, sy)
XYLEM_LAPACK_NAMES(complex64, float, c, un, he)
XYLEM_LAPACK_NAMES(complex128, double, z, un, he)
#undef XYLEM_LAPACK_NAMES

template <typename T>
using RealOf = typename Fortran<T>::Real;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, RealOf<T>>;
template <typename T>
inline constexpr PrimitiveType kTypeOf = std::is_same_v<T, float>       ? F32
                                         : std::is_same_v<T, double>    ? F64
                                         : std::is_same_v<T, complex64> ? C64
                                                                        : C128;

}  // namespace xla::lapack

#endif  // XLA_LAPACK_FORTRAN_H_
