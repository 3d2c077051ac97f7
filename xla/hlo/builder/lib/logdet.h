// SPDX-License-Identifier: Apache-2.0
// Determinants by their logarithms.
#ifndef XLA_HLO_BUILDER_LIB_LOGDET_H_
#define XLA_HLO_BUILDER_LIB_LOGDET_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// The determinants of square matrices [..., n, n]: sign * exp(logdet); 0 and -Inf if singular.
struct SignAndLogDet {
  XlaOp sign;  // of modulus 1 for complex matrices
  XlaOp logdet;
};
SignAndLogDet SLogDet(XlaOp a);
// log(det(a)) of real matrices; NaN if the determinant is negative.
XlaOp LogDet(XlaOp a);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_LOGDET_H_
