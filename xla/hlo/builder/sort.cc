// SPDX-License-Identifier: Apache-2.0
// Sort and top-k.
#include "xla/hlo/builder/builder_state.h"

namespace xla {

XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationRef comparator, int64_t dimension,
           bool is_stable) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("Sort", [&]() -> absl::StatusOr<XlaOp> {
    if (operands.empty()) return InvalidArgument("Sort needs an operand.");
    XLA_ASSIGN_OR_RETURN(const Shape* keys, builder->state().ShapeOf(operands[0]));
    const int64_t along = dimension == -1 ? keys->rank() - 1 : dimension;
    return builder->state().Add(HloOpcode::kSort, operands,
                                SortAttributes{.dimensions = {along}, .is_stable = is_stable},
                                nullptr, {&comparator, 1});
  });
}

XlaOp TopK(XlaOp operand, int64_t k, bool largest) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("TopK", [&] {
    return builder->state().Add(HloOpcode::kTopK, {operand},
                                TopKAttributes{.k = k, .largest = largest});
  });
}

}  // namespace xla
