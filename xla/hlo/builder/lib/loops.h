// SPDX-License-Identifier: Apache-2.0
// While loops over several values.
#ifndef XLA_HLO_BUILDER_LIB_LOOPS_H_
#define XLA_HLO_BUILDER_LIB_LOOPS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Called once each, with a builder of the condition or body and the values in it.
using WhileLoopHelperConditionFunction =
    std::function<absl::StatusOr<XlaOp>(absl::Span<const XlaOp>, XlaBuilder*)>;
using WhileLoopHelperBodyFunction =
    std::function<absl::StatusOr<std::vector<XlaOp>>(absl::Span<const XlaOp>, XlaBuilder*)>;
// The values after the loop. The body returns as many values, of the same shapes.
absl::StatusOr<std::vector<XlaOp>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, absl::Span<const XlaOp> initial_values,
    absl::string_view name, XlaBuilder* builder);

// The body with index 0, 1, ..., num_iterations - 1, a scalar of the given integer type.
using ForEachIndexBodyFunction =
    std::function<absl::StatusOr<std::vector<XlaOp>>(XlaOp, absl::Span<const XlaOp>, XlaBuilder*)>;
absl::StatusOr<std::vector<XlaOp>> ForEachIndex(int64_t num_iterations,
                                                PrimitiveType num_iterations_type,
                                                const ForEachIndexBodyFunction& body_function,
                                                absl::Span<const XlaOp> initial_values,
                                                absl::string_view name, XlaBuilder* builder);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_LOOPS_H_
