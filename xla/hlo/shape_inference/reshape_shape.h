// SPDX-License-Identifier: Apache-2.0
// The result shape of a reshape that is given by sizes alone.
//
//   InferReshapeShape(f32[<=6,4], {2,3,4}, 1)  -> f32[2,<=3,4]
#ifndef XLA_HLO_SHAPE_INFERENCE_RESHAPE_SHAPE_H_
#define XLA_HLO_SHAPE_INFERENCE_RESHAPE_SHAPE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/shape.h"

namespace xla {

// Each dynamic dimension of the operand makes one dimension of the result dynamic: the only one, or
// the only one larger than 1, of those with which it shares its elements; if several qualify,
// `inferred_dimension`; if that is negative, none. Errors: INVALID_ARGUMENT for different numbers
// of elements; UNIMPLEMENTED for a dynamic dimension that is both split and combined, or of size 1
// and neither first nor last.
absl::StatusOr<Shape> InferReshapeShape(const Shape& operand, absl::Span<const int64_t> sizes,
                                        int64_t inferred_dimension);

}  // namespace xla

#endif  // XLA_HLO_SHAPE_INFERENCE_RESHAPE_SHAPE_H_
