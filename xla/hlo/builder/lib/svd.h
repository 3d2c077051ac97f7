// SPDX-License-Identifier: Apache-2.0
// Singular value decomposition of matrices in batches, by the one-sided Jacobi method.
#ifndef XLA_HLO_BUILDER_LIB_SVD_H_
#define XLA_HLO_BUILDER_LIB_SVD_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// a = u diag(d) v^H.
struct SVDResult {
  XlaOp u;  // [..., m, m], unitary: the left singular vectors are columns
  XlaOp d;  // [..., min(m, n)], real, descending
  XlaOp v;  // [..., n, n], unitary: the right singular vectors are columns
};

// Of a [..., m, n], real or complex. Sweeps over all pairs of columns are repeated, at most
// max_iter times, until the cosine of the angle of each pair is at most epsilon (or the element
// type's precision). `precision` is that of matrix products.
SVDResult SVD(XlaOp a, int64_t max_iter = 100, float epsilon = 1e-6,
              PrecisionConfig::Precision precision = PrecisionConfig::HIGHEST);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SVD_H_
