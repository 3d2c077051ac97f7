// SPDX-License-Identifier: Apache-2.0
// The signature that computations given to reduce, reduce-window, scatter and the like must have.
#ifndef XLA_HLO_SHAPE_INFERENCE_REDUCER_H_
#define XLA_HLO_SHAPE_INFERENCE_REDUCER_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/shape.h"

namespace xla::shape_inference {

// For n inputs: 2n scalar parameters, the accumulators, then the elements; the result is a scalar
// (n = 1) or a tuple of n scalars. Accumulators have the types of the parameters they are passed
// to, and agree with the initial values and the elements up to floating point precision.
absl::Status CheckReducer(const ProgramShape& reducer, absl::Span<const PrimitiveType> init_types,
                          absl::Span<const PrimitiveType> element_types);

// Element types of the accumulators, which are those of the results: of a reducer that CheckReducer
// accepted.
std::vector<PrimitiveType> AccumulatorTypes(const ProgramShape& reducer);

}  // namespace xla::shape_inference

#endif  // XLA_HLO_SHAPE_INFERENCE_REDUCER_H_
