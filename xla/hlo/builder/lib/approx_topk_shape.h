// SPDX-License-Identifier: Apache-2.0
// The number of elements that ApproxTopK returns.
#ifndef XLA_HLO_BUILDER_LIB_APPROX_TOPK_SHAPE_H_
#define XLA_HLO_BUILDER_LIB_APPROX_TOPK_SHAPE_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"

namespace xla {

// Of input_size elements along the reduced dimension of an array of this rank, the number of
// candidates that hold the fraction recall_target of the top_k, and the logarithm (base 2) of how
// many elements each stands for; (top_k, -1) if the candidates are aggregated to the top k.
// input_size_override, if not negative, is the size of the whole problem of which this is a part.
// Errors: recall_target outside of (0, 1]; an override less than the size.
absl::StatusOr<std::pair<int64_t, int64_t>> ApproxTopKReductionOutputSize(
    int64_t input_size, int64_t rank, int64_t top_k, float recall_target, bool aggregate_to_topk,
    int64_t input_size_override = -1);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_APPROX_TOPK_SHAPE_H_
