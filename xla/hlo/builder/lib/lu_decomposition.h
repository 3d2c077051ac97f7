// SPDX-License-Identifier: Apache-2.0
// The LU decomposition of matrices with partial pivoting, as a program.
#ifndef XLA_HLO_BUILDER_LIB_LU_DECOMPOSITION_H_
#define XLA_HLO_BUILDER_LIB_LU_DECOMPOSITION_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Of matrices [..., m, n]: P a = L U with the unit lower triangle of L and the upper one of U in
// `lu`; the row that was exchanged with row i, s32[..., min(m, n)]; the rows of a in the order of
// P a, s32[..., m].
struct LuDecompositionResult {
  XlaOp lu;
  XlaOp pivots;
  XlaOp permutation;
};
LuDecompositionResult LuDecomposition(XlaOp a);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_LU_DECOMPOSITION_H_
