// SPDX-License-Identifier: Apache-2.0
// Factorizations of small matrices, which LAPACK's routines and those of BLAS below them would
// spend more time to call each other for than to compute: rows in registers, nothing divided in
// blocks.
#ifndef XLA_LAPACK_SMALL_MATRICES_H_
#define XLA_LAPACK_SMALL_MATRICES_H_

#include <cstdint>

#include "xla/lapack/fortran.h"
#include "xla/lapack/matrices.h"

namespace xla::lapack {

// Rows and columns of the largest matrices. Beyond, blocked routines are as fast.
inline constexpr int64_t kSmallSize = 64;
inline bool IsSmall(int64_t rows, int64_t columns) {
  return rows <= kSmallSize && columns <= kSmallSize;
}

// Working memory of the functions below, aligned to 64 bytes.
template <typename T>
int64_t SmallBytes(int64_t rows, int64_t columns);

// As LAPACK's routines: x becomes `out`, which may be the same memory if the order is. They return
// INFO.

// The triangle of the factor; the rest of `out` is not written.
template <typename T>
Int SmallPotrf(char uplo, const Matrices& x_place, const T* x, const Matrices& out_place, T* out,
               char* work);
template <typename T>
Int SmallGetrf(const Matrices& x_place, const T* x, const Matrices& out_place, T* out, Int* pivots,
               char* work);
template <typename T>
void SmallGeqrf(const Matrices& x_place, const T* x, const Matrices& out_place, T* out, T* taus,
                char* work);
// `k` reflections.
template <typename T>
void SmallUngqr(int64_t k, const Matrices& x_place, const T* x, const T* taus,
                const Matrices& out_place, T* out, char* work);

}  // namespace xla::lapack

#endif  // XLA_LAPACK_SMALL_MATRICES_H_
