// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/pattern.h"

#include <cmath>
#include <vector>

#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla {

std::optional<double> SplatValue(const HloInstruction& instruction) {
  const HloInstruction* constant = &instruction;
  while (constant->opcode() == HloOpcode::kBroadcast) constant = constant->operand(0);
  if (constant->opcode() != HloOpcode::kConstant || !constant->shape().IsArray() ||
      primitive_util::IsComplexType(constant->shape().element_type())) {
    return std::nullopt;
  }
  const Literal& literal = constant->literal();
  const std::vector<int64_t> first(static_cast<size_t>(literal.shape().rank()), 0);
  if (!literal.IsAllFirst()) return std::nullopt;
  if (primitive_util::IsIntegralType(constant->shape().element_type())) {
    constexpr int64_t kExact = int64_t{1} << 53;
    const std::optional<int64_t> value = literal.GetIntegralAsS64(first);
    if (!value.has_value() || *value < -kExact || *value > kExact) return std::nullopt;
    return static_cast<double>(*value);
  }
  return literal.GetAsDouble(first);
}

bool IsAnnotated(const HloInstruction& instruction) {
  if (!instruction.has_extras()) return false;
  const InstructionExtras& extras = instruction.extras();
  return extras.sharding.has_value() || extras.result_accuracy != AccuracySpec() ||
         !extras.frontend_attributes.empty() || !extras.backend_config.empty();
}

bool IsPlain(const HloInstruction& instruction) {
  return !IsAnnotated(instruction) && !instruction.HasControlDependencies();
}

bool IsPlainElementwise(const HloInstruction& instruction) {
  return instruction.info().Has(op_traits::kElementwiseTrait) && IsPlain(instruction);
}

bool IsSplat(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast &&
         instruction.operand(0)->shape().rank() == 0;
}

bool m::Splat::Matches(HloInstruction* instruction) const {
  const std::optional<double> value = SplatValue(*instruction);
  if (!value.has_value() || *value != value_) return false;
  if (primitive_util::IsFloatingPointType(instruction->shape().element_type()) &&
      std::signbit(*value) != std::signbit(value_)) {
    return false;
  }
  if (capture_ != nullptr) *capture_ = instruction;
  return true;
}

}  // namespace xla
