// SPDX-License-Identifier: Apache-2.0
// Broadcasting by the rules of TensorFlow, with tiling.
#ifndef XLA_HLO_BUILDER_LIB_BROADCAST_H_
#define XLA_HLO_BUILDER_LIB_BROADCAST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// Dimensions are aligned at their ends; one of size x may become one of size x * y, y tiles.
// Errors: fewer dimensions than the input has; a size that is no multiple.
absl::StatusOr<XlaOp> BroadcastTo(XlaOp input, absl::Span<const int64_t> output_dims);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_BROADCAST_H_
