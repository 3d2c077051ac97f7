// SPDX-License-Identifier: Apache-2.0
// Rotations of pairs of columns and rows, for Jacobi's methods on batches of matrices. Internal to
// xla/hlo/builder.
//
// Column i is paired with column i + h of 2h columns, so that h rotations run at once. A round
// robin (NextRound) forms each pair once in 2h - 1 rounds, after which all are in order again.
#ifndef XLA_HLO_BUILDER_LIB_JACOBI_H_
#define XLA_HLO_BUILDER_LIB_JACOBI_H_

#include "absl/status/statusor.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla::lib_internal {

// J = [[c, s], [-s conj(phase), c conj(phase)]] of each pair. All are [..., h]; `phase` is
// uninitialized for real matrices.
struct JacobiRotations {
  XlaOp cosine, sine, phase;
};

// The rotations that make J^H [[p, w], [conj(w), q]] J diagonal: p and q are real, w may be
// complex. Where |w| <= threshold, J is the identity.
JacobiRotations MakeJacobiRotations(XlaOp p, XlaOp q, XlaOp w, XlaOp threshold);

// x J and J^H x, for the columns and rows of x.
absl::StatusOr<XlaOp> RotateColumns(XlaOp x, const JacobiRotations& rotations);
absl::StatusOr<XlaOp> RotateRows(XlaOp x, const JacobiRotations& rotations);

// Columns, or rows, in the order of the next round.
absl::StatusOr<XlaOp> NextRoundOfColumns(XlaOp x);
absl::StatusOr<XlaOp> NextRoundOfRows(XlaOp x);

// |x|^2.
XlaOp SquaredMagnitude(XlaOp x, PrimitiveType type);

// The columns of x [..., m, n] by ascending or descending keys [..., n].
struct SortedColumns {
  XlaOp keys;
  XlaOp order;  // [..., n]: the former number of each column
};
absl::StatusOr<SortedColumns> SortKeys(XlaOp keys, bool descending);
absl::StatusOr<XlaOp> SelectColumns(XlaOp x, XlaOp order);

}  // namespace xla::lib_internal

#endif  // XLA_HLO_BUILDER_LIB_JACOBI_H_
