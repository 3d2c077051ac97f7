// SPDX-License-Identifier: Apache-2.0
// QR decomposition of matrices in batches, by Householder reflections.
#ifndef XLA_HLO_BUILDER_LIB_QR_H_
#define XLA_HLO_BUILDER_LIB_QR_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// As LAPACK's xGEQRF gives it.
struct QrDecomposition {
  // The shape of a: R in the upper triangle, below it the reflectors (their leading 1 is not
  // stored).
  XlaOp q_and_r;
  // [..., min(m, n)]: the factors of the reflectors.
  XlaOp taus;
};

// Of a [..., m, n], real or complex.
QrDecomposition Qr(XlaOp a);

// The product of the reflectors in the columns of a [..., m, n], m >= n: n columns of Q. As
// LAPACK's xORGQR.
XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus);

// Q and R themselves. full_matrices: q is [..., m, m], r [..., m, n]; else q is [..., m, p] and r
// [..., p, n], where p = min(m, n).
void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_QR_H_
