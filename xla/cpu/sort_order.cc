// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/sort_order.h"

#include "xla/comparison_util.h"
#include "xla/passes/sort_keys.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
std::optional<RecognizedOrder> RecognizeOrder(const HloComputation& comparator) {
  const HloInstruction* root = comparator.root_instruction();
  if (root->opcode() != HloOpcode::kCompare) return std::nullopt;
  const auto& compare = root->attributes<CompareAttributes>();
  RecognizedOrder order = {kernels::SortOrder::kTotal, 0, false};
  if (compare.direction == ComparisonDirection::kGt) {
    order.descending = true;
  } else if (compare.direction != ComparisonDirection::kLt) {
    return std::nullopt;
  }
  const HloInstruction* left = root->operand(0);
  const HloInstruction* right = root->operand(1);
  const PrimitiveType type = left->shape().element_type();
  if (primitive_util::IsComplexType(type)) return std::nullopt;
  if (primitive_util::IsFloatingPointType(type)) {
    if (compare.type != ComparisonType::kFloatTotalOrder) return std::nullopt;
    if (left->opcode() == HloOpcode::kSelect) {
      order.order = kernels::SortOrder::kNumbers;
      left = WithoutCanonicalNumbers(left);
      right = WithoutCanonicalNumbers(right);
      if (left == nullptr || right == nullptr) return std::nullopt;
    }
  }
  if (left->opcode() != HloOpcode::kParameter || right->opcode() != HloOpcode::kParameter)
    return std::nullopt;
  int64_t a = left->parameter_number(), b = right->parameter_number();
  if (a == b + 1) {
    order.descending = !order.descending;
    std::swap(a, b);
  }
  if (a % 2 != 0 || b != a + 1) return std::nullopt;
  order.key = a / 2;
  return order;
}

}  // namespace xla::cpu
