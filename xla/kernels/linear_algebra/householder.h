// SPDX-License-Identifier: Apache-2.0
// QR factorizations of batches of matrices by Householder reflections, real or complex.
//
// Computed in double precision and rounded once at the end (Golub and Van Loan, Matrix
// computations, 5.2), in panels of columns; the same bits for any number of threads and any
// instruction set.
#ifndef XLA_KERNELS_LINEAR_ALGEBRA_HOUSEHOLDER_H_
#define XLA_KERNELS_LINEAR_ALGEBRA_HOUSEHOLDER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/kernels/linear_algebra/linear_algebra.h"

namespace xla::kernels {

// For each matrix A [m, n], H[k]^H .. H[0]^H A = R with p = min(m, n) reflections H[k] = I - tau[k]
// v v^H, where v has zeros above element k and a one there, as LAPACK's geqrf: R in the upper
// triangle of `factors`, the rest of each v below it. `factors` has the type and strides of `a` and
// may be the same memory; `taus` are dense [count, p], of the same type.
absl::Status QrFactors(Context& context, const MatrixBatch& a, void* factors, void* taus);

// The first n columns of H[0] .. H[p-1], for matrices [m, n] with the rest of each v below the
// diagonal and n <= m. `taus` are dense [count, p] with p <= n. `result` has the type and strides
// of `a` and may be the same memory.
absl::Status HouseholderProduct(Context& context, const MatrixBatch& a, int64_t p, const void* taus,
                                void* result);

// Return the bytes that the two functions need at a time for each matrix.
int64_t QrBytes(const MatrixBatch& a);
int64_t HouseholderProductBytes(const MatrixBatch& a, int64_t p);
// Whether threads share each matrix, rather than work on separate matrices.
bool SharesReflections(const MatrixBatch& a);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_LINEAR_ALGEBRA_HOUSEHOLDER_H_
