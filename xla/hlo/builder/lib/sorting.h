// SPDX-License-Identifier: Apache-2.0
// The greatest elements with indices of any integer type, by sorting.
#ifndef XLA_HLO_BUILDER_LIB_SORTING_H_
#define XLA_HLO_BUILDER_LIB_SORTING_H_

#include <cstdint>

#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// (values, indices) of the k greatest along the last dimension, in falling total order; the lower
// index first among equals. Negative NaN is below, positive NaN above all numbers.
XlaOp TopK(XlaOp input, int64_t k, PrimitiveType index_type = S32);
// The same; how the work is cut up is not the caller's to say here.
XlaOp TopKWithPartitions(XlaOp input, int64_t k, int64_t num_partitions = 1,
                         PrimitiveType index_type = S32);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_SORTING_H_
