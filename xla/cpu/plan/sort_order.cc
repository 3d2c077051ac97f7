// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/sort_order.h"

#include "xla/passes/sort_keys.h"
#include "xla/primitive_util.h"

namespace xla::cpu {

std::optional<RecognizedOrder> RecognizeOrder(const HloComputation& comparator) {
  const std::optional<ComparedOperand> compared = RecognizeComparison(comparator);
  if (!compared.has_value()) return std::nullopt;
  const PrimitiveType type =
      comparator.parameter_instruction(2 * compared->operand)->shape().element_type();
  if (primitive_util::IsComplexType(type) ||
      (primitive_util::IsFloatingPointType(type) && compared->order == KeyOrder::kPartial)) {
    return std::nullopt;
  }
  return RecognizedOrder{compared->order == KeyOrder::kNumbers ? kernels::SortOrder::kNumbers
                                                               : kernels::SortOrder::kTotal,
                         compared->operand, compared->descending};
}

}  // namespace xla::cpu
