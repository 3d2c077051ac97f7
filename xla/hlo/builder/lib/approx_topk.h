// SPDX-License-Identifier: Apache-2.0
// The greatest elements by a comparator, or a set of candidates that holds most of them.
#ifndef XLA_HLO_BUILDER_LIB_APPROX_TOPK_H_
#define XLA_HLO_BUILDER_LIB_APPROX_TOPK_H_

#include <cstdint>

#include "absl/types/span.h"
#include "xla/hlo/builder/lib/approx_topk_shape.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// A tuple of the operands' elements that come first along reduction_dim, in the order of the
// comparator (of parameters a0, b0, a1, b1, ...: whether a comes before b). With aggregate_to_topk
// their number is top_k, else what ApproxTopKReductionOutputSize says. The result is exact, so that
// any recall_target in (0, 1] is reached. init_values are those that come last.
XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 const XlaComputation& comparator, float recall_target = 0.9,
                 bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);
XlaOp ApproxTopK(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                 absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                 XlaComputationId comparator, float recall_target = 0.9,
                 bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);

// The same, which XLA's users call where no special hardware is present.
XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         const XlaComputation& comparator, float recall_target = 0.9,
                         bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);
XlaOp ApproxTopKFallback(XlaBuilder* builder, absl::Span<const XlaOp> operands,
                         absl::Span<const XlaOp> init_values, int64_t top_k, int64_t reduction_dim,
                         XlaComputationId comparator, float recall_target = 0.9,
                         bool aggregate_to_topk = true, int64_t reduction_input_size_override = -1);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_APPROX_TOPK_H_
