// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/sort_order.h"

#include <cmath>

#include "xla/comparison_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

std::optional<double> ConstantOf(const HloInstruction* instruction) {
  if (instruction->opcode() != HloOpcode::kConstant || instruction->shape().rank() != 0)
    return std::nullopt;
  return instruction->literal().GetAsDouble({});
}

bool IsCompare(const HloInstruction* instruction, ComparisonDirection direction) {
  return instruction->opcode() == HloOpcode::kCompare &&
         instruction->attributes<CompareAttributes>().direction == direction &&
         instruction->attributes<CompareAttributes>().type != ComparisonType::kFloatTotalOrder;
}

// select(x != x, NaN, select(x == 0, 0, x)), in either order: x with one NaN and one zero.
const HloInstruction* WithoutCanonicalNumbers(const HloInstruction* instruction) {
  bool nan = false, zero = false;
  while (instruction->opcode() == HloOpcode::kSelect) {
    const HloInstruction* condition = instruction->operand(0);
    const std::optional<double> value = ConstantOf(instruction->operand(1));
    if (!value.has_value()) return nullptr;
    const HloInstruction* tested = condition->operand_count() > 0 ? condition->operand(0) : nullptr;
    const HloInstruction* inner = instruction->operand(2);
    const HloInstruction* source = inner;
    while (source->opcode() == HloOpcode::kSelect) source = source->operand(2);
    if (tested != source && tested != inner) return nullptr;
    if (std::isnan(*value) && IsCompare(condition, ComparisonDirection::kNe) &&
        condition->operand(1) == tested) {
      nan = true;
    } else if (*value == 0 && !std::signbit(*value) &&
               IsCompare(condition, ComparisonDirection::kEq) &&
               ConstantOf(condition->operand(1)) == 0.0) {
      zero = true;
    } else {
      return nullptr;
    }
    instruction = inner;
  }
  return nan && zero && instruction->opcode() == HloOpcode::kParameter ? instruction : nullptr;
}

}  // namespace

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
