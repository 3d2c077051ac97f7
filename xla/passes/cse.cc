// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/cse.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool IsCandidate(const HloInstruction& instruction) {
  constexpr int64_t kMaxConstantBytes = 64 << 10;
  if (instruction.HasSideEffectNoRecurse() || instruction.HasControlDependencies()) {
    return false;
  }
  switch (instruction.info().family) {
    case OpFamily::kControl:
      if (instruction.opcode() == HloOpcode::kWhile ||
          instruction.opcode() == HloOpcode::kConditional) {
        return !instruction.HasSideEffect();
      }
      return instruction.opcode() == HloOpcode::kTuple ||
             instruction.opcode() == HloOpcode::kGetTupleElement;
    case OpFamily::kLeaf:
      if (instruction.opcode() == HloOpcode::kParameter) return false;
      return instruction.opcode() != HloOpcode::kConstant || !instruction.shape().IsArray() ||
             ShapeUtil::ByteSizeOfElements(instruction.shape()) <= kMaxConstantBytes;
    case OpFamily::kAsync:
    case OpFamily::kEffect:
    case OpFamily::kCollective:
      return false;
    default:
      return true;
  }
}

struct ExpressionHash {
  size_t operator()(const HloInstruction* instruction) const {
    return absl::HashOf(instruction->Hash(), absl::MakeConstSpan(instruction->operands()));
  }
};
struct SameExpression {
  bool operator()(const HloInstruction* a, const HloInstruction* b) const {
    return a == b || a->Identical(*b);
  }
};

absl::StatusOr<bool> RunOnComputation(HloComputation* computation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, computation->PostOrder());
  absl::flat_hash_set<HloInstruction*, ExpressionHash, SameExpression> seen;
  bool changed = false;
  for (HloInstruction* instruction : order) {
    if (!IsCandidate(*instruction)) continue;
    const auto [first, is_new] = seen.insert(instruction);
    if (is_new) continue;
    XLA_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(*first));
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(instruction));
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> EliminateCommonSubexpressions(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    XLA_ASSIGN_OR_RETURN(const bool computation_changed, RunOnComputation(computation));
    changed |= computation_changed;
  }
  return changed;
}

namespace {

// Whether the instruction's result is that operand with a part of it changed.
bool ChangesOperand(const HloInstruction& instruction, int64_t operand) {
  return (instruction.opcode() == HloOpcode::kScatter &&
          operand < instruction.operand_count() / 2) ||
         (instruction.opcode() == HloOpcode::kDynamicUpdateSlice && operand == 0);
}

absl::StatusOr<bool> SeparateFill(HloInstruction* fill) {
  std::vector<std::pair<HloInstruction*, int64_t>> changes;
  bool has_readers = fill->IsRoot();
  for (HloInstruction* user : fill->users()) {
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) != fill) continue;
      if (ChangesOperand(*user, i)) {
        changes.emplace_back(user, i);
      } else {
        has_readers = true;
      }
    }
  }
  // One of the updates may keep the array if it has no other readers.
  const size_t first = has_readers ? 0 : 1;
  for (size_t i = first; i < changes.size(); ++i) {
    HloInstruction* own = fill->parent()->AddInstruction(
        fill->CloneWithNewOperands(fill->shape(), {fill->mutable_operand(0)}));
    fill->SetupDerivedInstruction(own);
    XLA_RETURN_IF_ERROR(changes[i].first->ReplaceOperandWith(changes[i].second, own));
  }
  return changes.size() > first;
}

}  // namespace

absl::StatusOr<bool> SeparateFills(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    std::vector<HloInstruction*> fills;
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kBroadcast &&
          instruction->operand(0)->shape().rank() == 0 && instruction->users().size() > 0) {
        fills.push_back(instruction);
      }
    }
    for (HloInstruction* fill : fills) {
      XLA_ASSIGN_OR_RETURN(const bool separated, SeparateFill(fill));
      changed |= separated;
    }
  }
  return changed;
}

}  // namespace xla
