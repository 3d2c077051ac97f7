// SPDX-License-Identifier: Apache-2.0
// Systems of equations with tridiagonal matrices, in batches.
#ifndef XLA_HLO_BUILDER_LIB_TRIDIAGONAL_H_
#define XLA_HLO_BUILDER_LIB_TRIDIAGONAL_H_

#include "absl/status/statusor.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {
namespace tridiagonal {

// Elimination without pivoting, for matrices that need none (diagonally dominant ones, say).
enum SolverAlgorithm { kThomas };

// Solves A x = b. The diagonals are [..., 1, n]; of the lower one the first element is not used, of
// the upper one the last. rhs and the result are [..., k, n]: k right-hand sides.
absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algorithm, XlaOp lower_diagonal,
                                        XlaOp main_diagonal, XlaOp upper_diagonal, XlaOp rhs);
// The same with the diagonals (upper, main, lower) as the rows of one array [..., 3, n].
absl::StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm algorithm, XlaOp diagonals, XlaOp rhs);

// A times rhs, of [..., n, k].
absl::StatusOr<XlaOp> TridiagonalMatMul(XlaOp upper_diagonal, XlaOp main_diagonal,
                                        XlaOp lower_diagonal, XlaOp rhs);

}  // namespace tridiagonal
}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_TRIDIAGONAL_H_
