// SPDX-License-Identifier: Apache-2.0
// Elementary functions composed of others such that intermediate results do not overflow early.
// Internal to xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_EXPANSIONS_H_
#define XLA_HLO_BUILDER_EXPANSIONS_H_

#include "xla/hlo/builder/xla_op.h"

namespace xla {

// Errors are noted in the builder.
XlaOp ExpandAcos(XlaOp x);
XlaOp ExpandAcosh(XlaOp x);
XlaOp ExpandAsin(XlaOp x);
XlaOp ExpandAsinh(XlaOp x);
XlaOp ExpandAtanh(XlaOp x);
XlaOp ExpandCosh(XlaOp x);
XlaOp ExpandSinh(XlaOp x);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_EXPANSIONS_H_
