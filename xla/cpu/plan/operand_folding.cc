// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/operand_folding.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "xla/cpu/kernel/column_reduction.h"
#include "xla/cpu/kernel/in_place.h"
#include "xla/cpu/plan/small_dot.h"
#include "xla/cpu/plan/sort_order.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/pattern.h"
#include "xla/passes/sort_keys.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Returns the operand that has the same number in all elements, a broadcast of a scalar constant;
// -1 if there is none.
int SplatOperand(const HloInstruction& multiply) {
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& operand = *multiply.operand(i);
    if (operand.opcode() == HloOpcode::kBroadcast && operand.operand(0)->shape().rank() == 0 &&
        SplatValue(operand).has_value()) {
      return i;
    }
  }
  return -1;
}

bool ReadsThroughScale(const HloInstruction& user, const HloInstruction& view) {
  if (user.opcode() == HloOpcode::kDot && !IsSmallProduct(user))
    return user.operand(0)->shape().element_type() == user.operand(1)->shape().element_type();
  return user.opcode() == HloOpcode::kConvolution && user.operand(0) != &view;
}

}  // namespace

bool IsFoldedTranspose(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kTranspose || instruction.IsRoot() ||
      instruction.users().empty()) {
    return false;
  }
  return std::all_of(instruction.users().begin(), instruction.users().end(),
                     [](const HloInstruction* user) {
                       return user->opcode() == HloOpcode::kDot && !IsSmallProduct(*user);
                     });
}

bool IsFoldedScaling(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kMultiply || instruction.IsRoot() ||
      instruction.users().empty() || instruction.HasControlDependencies()) {
    return false;
  }
  const PrimitiveType type = instruction.shape().element_type();
  if (type != F32 && type != F64) return false;
  for (const HloInstruction* user : instruction.users()) {
    if (!ReadsThroughScale(*user, instruction)) return false;
  }
  const int splat = SplatOperand(instruction);
  // An array that generated code computes is multiplied there.
  if (splat < 0) return false;
  const HloInstruction* array = instruction.operand(1 - splat);
  while (IsView(array->opcode()) || array->opcode() == HloOpcode::kGetTupleElement)
    array = array->operand(0);
  return array->opcode() == HloOpcode::kParameter;
}

const HloInstruction* ScaledArray(const HloInstruction& view) {
  return view.operand(1 - SplatOperand(view));
}

double ScaleOf(const HloInstruction& view) {
  return *SplatValue(*view.operand(SplatOperand(view)));
}

bool IsScaleOfFoldedOperands(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kBroadcast || instruction.IsRoot() ||
      instruction.users().empty() || instruction.HasControlDependencies()) {
    return false;
  }
  return std::all_of(instruction.users().begin(), instruction.users().end(),
                     [&](const HloInstruction* user) {
                       return IsFoldedScaling(*user) && ScaledArray(*user) != &instruction;
                     });
}

bool IsSortIndex(const HloInstruction& instruction) {
  const std::optional<int64_t> dimension = IndexDimension(instruction);
  if (!dimension.has_value() || instruction.IsRoot() || instruction.users().empty() ||
      !primitive_util::IsIntegralType(instruction.shape().element_type()) ||
      primitive_util::BitWidth(instruction.shape().element_type()) < 8) {
    return false;
  }
  for (const HloInstruction* user : instruction.users()) {
    if (user->opcode() == HloOpcode::kBroadcast && IsSortIndex(*user)) continue;
    if (user->opcode() != HloOpcode::kSort || user->dimensions()[0] != dimension) return false;
    const std::optional<RecognizedOrder> order = RecognizeOrder(*user->to_apply());
    if (!order.has_value() || user->operand(order->key) == &instruction) return false;
  }
  return true;
}

bool IsUnusedResult(const HloInstruction& instruction, int64_t result) {
  if (instruction.IsRoot() || !instruction.shape().IsTuple() || instruction.users().empty())
    return false;
  switch (instruction.opcode()) {
    case HloOpcode::kSort:
      if (!RecognizeOrder(*instruction.to_apply()).has_value()) return false;
      break;
    case HloOpcode::kFusion: {
      const HloInstruction* root = instruction.to_apply()->root_instruction();
      if (!UpdatedOperands(instruction).empty() ||
          (root->opcode() == HloOpcode::kReduce && IsColumnReduction(*root))) {
        return false;
      }
      break;
    }
    default:
      return false;
  }
  return std::all_of(
      instruction.users().begin(), instruction.users().end(), [&](const HloInstruction* user) {
        return user->opcode() == HloOpcode::kGetTupleElement && user->tuple_index() != result;
      });
}

}  // namespace xla::cpu
