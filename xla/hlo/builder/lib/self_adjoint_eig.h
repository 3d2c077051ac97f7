// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric and Hermitian matrices in batches, by Jacobi's method.
#ifndef XLA_HLO_BUILDER_LIB_SELF_ADJOINT_EIG_H_
#define XLA_HLO_BUILDER_LIB_SELF_ADJOINT_EIG_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// a = v diag(w) v^H.
struct SelfAdjointEigResult {
  XlaOp v;  // [..., n, n]: column i is the eigenvector of eigenvalue i, of length 1
  XlaOp w;  // [..., n], real
};

// Of a [..., n, n], real or complex, of which only the lower or the upper triangle is read. Sweeps
// over all pairs of columns are repeated, at most max_iter times, until what is off the diagonal is
// at most `tol` times the matrix (Frobenius norms). The eigenvalues ascend if sort_eigenvalues.
SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower = true, int64_t max_iter = 15,
                                    float tol = 1e-5, bool sort_eigenvalues = true);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SELF_ADJOINT_EIG_H_
