// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/negative_zero.h"

#include "xla/literal_util.h"
#include "xla/passes/pattern.h"
#include "xla/passes/prefix_scan.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

// Whether no element is -0.
bool IsNeverNegativeZero(const HloInstruction& instruction, int depth = 0) {
  constexpr int kDeepest = 4;
  const PrimitiveType type = instruction.shape().element_type();
  if (primitive_util::IsComplexType(type)) return false;
  if (!primitive_util::IsFloatingPointType(type)) return true;
  if (Match(&const_cast<HloInstruction&>(instruction), m::Splat(0))) return true;
  if (depth == kDeepest) return false;
  switch (instruction.opcode()) {
    case HloOpcode::kAdd:  // -0 only as the sum of two -0
      return IsNeverNegativeZero(*instruction.operand(0), depth + 1) ||
             IsNeverNegativeZero(*instruction.operand(1), depth + 1);
    case HloOpcode::kScatter:
      return OperationOfReducer(*instruction.to_apply()) == HloOpcode::kAdd &&
             instruction.shape().IsArray() &&
             IsNeverNegativeZero(*instruction.operand(0), depth + 1);
    default:
      return false;
  }
}

}  // namespace

HloInstruction* PlusZero(HloInstruction* x, Rewriter& rewriter) {
  if (IsNeverNegativeZero(*x)) return x;
  HloInstruction* const zeros =
      rewriter.Create(HloOpcode::kBroadcast, x->shape(),
                      {rewriter.Constant(LiteralUtil::Zero(x->shape().element_type()))});
  return rewriter.Create(HloOpcode::kAdd, x->shape(), {x, zeros});
}

}  // namespace xla
