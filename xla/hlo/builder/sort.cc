// SPDX-License-Identifier: Apache-2.0
// Sort and top-k.
#include "xla/hlo/builder/builder_state.h"

namespace xla {

XlaOp XlaBuilder::Sort(absl::Span<const XlaOp> operands, XlaComputationRef comparator,
                       int64_t dimension, bool is_stable, CallSite site) {
  return Record("Sort", site, [&]() -> absl::StatusOr<XlaOp> {
    if (operands.empty()) return InvalidArgument("Sort needs an operand.");
    XLA_ASSIGN_OR_RETURN(const Shape* keys, state_->ShapeOf(operands[0]));
    const int64_t along = dimension == -1 ? keys->rank() - 1 : dimension;
    return state_->Add(HloOpcode::kSort, operands,
                       SortAttributes{.dimensions = {along}, .is_stable = is_stable}, nullptr,
                       {&comparator, 1});
  });
}

XlaOp XlaBuilder::TopK(XlaOp operand, int64_t k, bool largest, CallSite site) {
  return Record("TopK", site, [&] {
    return state_->Add(HloOpcode::kTopK, {operand}, TopKAttributes{.k = k, .largest = largest});
  });
}

}  // namespace xla
