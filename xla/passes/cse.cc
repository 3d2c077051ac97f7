// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/cse.h"

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool IsCandidate(const HloInstruction& instruction) {
  constexpr int64_t kMaxConstantBytes = 64 << 10;
  if (instruction.HasSideEffectNoRecurse() || !instruction.control_predecessors().empty() ||
      !instruction.control_successors().empty()) {
    return false;
  }
  switch (instruction.info().family) {
    case OpFamily::kControl:
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

}  // namespace xla
