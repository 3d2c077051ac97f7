// SPDX-License-Identifier: Apache-2.0
// Conditionals whose branches have results of different sizes, and sizes with inferred bounds.
#ifndef XLA_HLO_BUILDER_LIB_DYNAMIC_SHAPED_OPS_H_
#define XLA_HLO_BUILDER_LIB_DYNAMIC_SHAPED_OPS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/value_inference.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// As Conditional, but the branches' results may differ in sizes, not in ranks: each is padded to
// the greatest size and has its own size as the dynamic one.
XlaOp DynamicConditional(XlaBuilder* builder, XlaOp predicate, XlaOp true_operand,
                         const XlaComputation& true_computation, XlaOp false_operand,
                         const XlaComputation& false_computation);
XlaOp DynamicConditional(XlaBuilder* builder, XlaOp branch_index,
                         absl::Span<const XlaComputation* const> branch_computations,
                         absl::Span<const XlaOp> branch_operands);

// SetDimensionSize, unless the size is constant; the operand is cut to the bound of the size if
// that is less.
absl::StatusOr<XlaOp> SetDimensionSizeWithRebound(ValueInference* value_inference, XlaOp operand,
                                                  XlaOp dimension_size, int64_t dimension);

// SetDimensionSize of each dimension whose size, an element of the vector, is not constant.
absl::StatusOr<XlaOp> SetAllDimensionSizes(ValueInference* value_inference, XlaOp operand,
                                           XlaOp size_vector);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_DYNAMIC_SHAPED_OPS_H_
