// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/reduction_start.h"

#include <utility>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::spmd {
namespace {

size_t InputsOf(const HloInstruction& reduction) {
  return static_cast<size_t>(reduction.operand_count()) / 2;
}

bool IsParameter(const HloInstruction& instruction, size_t number) {
  return instruction.opcode() == HloOpcode::kParameter &&
         instruction.parameter_number() == static_cast<int64_t>(number);
}

}  // namespace

std::optional<HloOpcode> OperationOf(const HloInstruction& reduction, size_t input) {
  const HloInstruction* operation = reduction.to_apply()->root_instruction();
  if (reduction.shape().IsTuple()) {
    if (operation->opcode() != HloOpcode::kTuple) return std::nullopt;
    operation = operation->operand(static_cast<int64_t>(input));
  }
  if (operation->operand_count() != 2) return std::nullopt;
  const HloInstruction &a = *operation->operand(0), &b = *operation->operand(1);
  const size_t other = InputsOf(reduction) + input;
  if (!(IsParameter(a, input) && IsParameter(b, other)) &&
      !(IsParameter(a, other) && IsParameter(b, input))) {
    return std::nullopt;
  }
  return operation->opcode();
}

bool MayRepeatStart(const HloInstruction& reduction, size_t input) {
  const HloInstruction& initial =
      *reduction.operand(static_cast<int64_t>(InputsOf(reduction) + input));
  const auto is = [&](int8_t value) {
    return initial.opcode() == HloOpcode::kConstant && initial.literal().IsAll(value);
  };
  switch (OperationOf(reduction, input).value_or(HloOpcode::kTuple)) {
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
      return true;
    case HloOpcode::kAdd:
    case HloOpcode::kXor:
      return is(0);
    case HloOpcode::kMultiply:
      return is(1);
    default:
      return false;
  }
}

bool MayCombineParts(const HloInstruction& reduce) {
  // Of no elements, there is nothing to share.
  if (InputsOf(reduce) != 1 || ShapeUtil::IsZeroElementArray(reduce.operand(0)->shape())) {
    return false;
  }
  switch (OperationOf(reduce, 0).value_or(HloOpcode::kTuple)) {
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
    case HloOpcode::kAdd:
    case HloOpcode::kMultiply:
      return true;
    default:
      return false;
  }
}

HloInstruction* NeutralElement(const HloInstruction& reduction, size_t input) {
  HloInstruction* initial = reduction.operands()[InputsOf(reduction) + input];
  if (MayRepeatStart(reduction, input)) return initial;
  const PrimitiveType type = initial->shape().element_type();
  const auto constant = [&](Literal value) {
    return reduction.parent()->AddInstruction(HloInstruction::CreateConstant(std::move(value)));
  };
  switch (OperationOf(reduction, input).value_or(HloOpcode::kTuple)) {
    case HloOpcode::kAdd:
    case HloOpcode::kXor:
      return constant(LiteralUtil::Zero(type));
    case HloOpcode::kMultiply:
      return constant(LiteralUtil::One(type));
    default:
      return initial;
  }
}

}  // namespace xla::spmd
