// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/calls.h"

#include <cstdint>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"

namespace xla {

absl::StatusOr<bool> RunInlineCalls(HloModule* module) { return InlineAllCalls(module); }
absl::StatusOr<bool> RunFlattenCalls(HloModule* module) { return FlattenCalls(module); }

namespace {

// Returns the branch that a conditional always takes; -1 if it is unknown.
int64_t KnownBranch(const HloInstruction& conditional) {
  const auto branches = static_cast<int64_t>(conditional.called_computations().size());
  if (branches == 1) return 0;
  const HloInstruction& choice = *conditional.operand(0);
  if (choice.opcode() != HloOpcode::kConstant || choice.shape().rank() != 0) return -1;
  if (choice.shape().element_type() == PRED) return choice.literal().Get<bool>({}) ? 0 : 1;
  if (choice.shape().element_type() != S32) return -1;
  // A selector out of range selects the last branch.
  const int32_t branch = choice.literal().Get<int32_t>({});
  return branch < 0 || branch >= branches ? branches - 1 : branch;
}

}  // namespace

absl::StatusOr<bool> InlineKnownBranches(HloModule* module) {
  // Branches that several conditionals share are copied, until the module has this many
  // instructions.
  constexpr int64_t kMostCopied = int64_t{1} << 20;
  std::vector<HloInstruction*> known;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kConditional && KnownBranch(*instruction) >= 0)
        known.push_back(instruction);
    }
  }
  int64_t copied = 0;
  bool changed = false;
  for (HloInstruction* conditional : known) {
    const int64_t branch = KnownBranch(*conditional);
    HloComputation* taken = conditional->called_computations()[static_cast<size_t>(branch)];
    copied += taken->instruction_count();
    if (copied > kMostCopied) break;
    HloComputation* computation = conditional->parent();
    HloInstruction* call = computation->AddInstruction(HloInstruction::CreateCall(
        conditional->shape(), {conditional->mutable_operand(branch + 1)}, taken));
    XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(conditional, call));
    XLA_RETURN_IF_ERROR(InlineCall(call).status());
    changed = true;
  }
  return changed;
}

}  // namespace xla
