// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/dce.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/call_rewriting.h"

namespace xla {
namespace {

// Whether the instruction may be removed once it is unused.
bool IsRemovable(const HloInstruction& instruction) {
  return !instruction.IsRoot() && instruction.opcode() != HloOpcode::kParameter &&
         !instruction.HasSideEffect();
}

absl::StatusOr<bool> RemoveDeadInstructions(HloComputation* computation) {
  std::vector<HloInstruction*> pending;
  for (HloInstruction* instruction : computation->instructions()) {
    if (instruction->user_count() == 0 && IsRemovable(*instruction)) pending.push_back(instruction);
  }
  const bool changed = !pending.empty();
  while (!pending.empty()) {
    HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (instruction->IsDead()) continue;
    XLA_RETURN_IF_ERROR(instruction->RemoveAllControlDependencies());
    const HloInstruction::InstructionVector operands = instruction->operands();
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(instruction));
    for (HloInstruction* operand : operands) {
      if (!operand->IsDead() && operand->user_count() == 0 && IsRemovable(*operand)) {
        pending.push_back(operand);
      }
    }
  }
  return changed;
}

bool IsCalledByCallsOnly(const HloComputation& computation) {
  const std::vector<HloInstruction*> callers = computation.callers();
  return !callers.empty() && !computation.IsEntryComputation() &&
         std::all_of(callers.begin(), callers.end(), [](const HloInstruction* caller) {
           return caller->opcode() == HloOpcode::kCall || caller->opcode() == HloOpcode::kFusion;
         });
}

bool HasAlias(const HloInstruction& caller, int64_t result) {
  const auto* fusion = caller.attributes_if<FusionAttributes>();
  if (fusion == nullptr) return false;
  return std::any_of(fusion->output_to_operand_aliasing.begin(),
                     fusion->output_to_operand_aliasing.end(),
                     [&](const OutputOperandAlias& alias) {
                       return !alias.output_index.empty() && alias.output_index[0] == result;
                     });
}

absl::StatusOr<bool> RemoveUnusedParameters(HloComputation* computation) {
  std::vector<int64_t> unused;
  const std::vector<HloInstruction*> callers = computation->callers();
  for (int64_t i = 0; i < computation->num_parameters(); ++i) {
    const HloInstruction& parameter = *computation->parameter_instruction(i);
    if (parameter.user_count() == 0 && !parameter.IsRoot()) unused.push_back(i);
  }
  if (unused.empty()) return false;
  // Fusions must read their operands: an operand that a fusion does not read cannot be in its
  // memory.
  for (HloInstruction* caller : callers) {
    if (caller->opcode() != HloOpcode::kFusion) continue;
    std::erase_if(caller->mutable_attributes<FusionAttributes>()->output_to_operand_aliasing,
                  [&](const OutputOperandAlias& alias) {
                    return std::count(unused.begin(), unused.end(), alias.operand) != 0;
                  });
  }
  XLA_RETURN_IF_ERROR(RemoveParameters(computation, unused));
  return true;
}

// Returns the elements of a tuple that its users, all of them get-tuple-element, never read; none
// if there are other users or it is a root.
std::vector<int64_t> UnusedElements(absl::Span<HloInstruction* const> tuples) {
  if (tuples.empty() || !tuples[0]->shape().IsTuple()) return {};
  const int count = tuples[0]->shape().tuple_shapes_size();
  std::vector<bool> is_used(static_cast<size_t>(count));
  for (const HloInstruction* tuple : tuples) {
    if (tuple->IsRoot()) return {};
    for (const HloInstruction* user : tuple->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement) return {};
      is_used[static_cast<size_t>(user->tuple_index())] = true;
    }
  }
  std::vector<int64_t> unused;
  for (int i = 0; i < count; ++i) {
    if (!is_used[static_cast<size_t>(i)]) unused.push_back(i);
  }
  return unused;
}

absl::StatusOr<bool> RemoveUnusedResults(HloComputation* computation) {
  if (computation->root_instruction()->opcode() != HloOpcode::kTuple) return false;
  const std::vector<HloInstruction*> callers = computation->callers();
  std::vector<int64_t> unused = UnusedElements(callers);
  std::erase_if(unused, [&](int64_t i) {
    return std::any_of(callers.begin(), callers.end(),
                       [&](const HloInstruction* caller) { return HasAlias(*caller, i); });
  });
  // An unused caller is removed as a whole.
  if (unused.empty() ||
      static_cast<int64_t>(unused.size()) == computation->root_instruction()->operand_count()) {
    return false;
  }
  XLA_RETURN_IF_ERROR(RemoveResults(computation, unused));
  return true;
}

// --- Loops: an element of the state is live if the result's users, the condition, an effect in the
// body or a live element of the next iteration need it.

// Collects the elements of parameter 0 on which any of `roots` depends; returns false if it is used
// as a whole.
bool CollectNeededElements(const HloComputation& computation,
                           std::vector<const HloInstruction*> pending, std::vector<bool>* needed) {
  absl::flat_hash_set<const HloInstruction*> seen(pending.begin(), pending.end());
  const HloInstruction* parameter = computation.parameter_instruction(0);
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (instruction == parameter) return false;
    if (instruction->opcode() == HloOpcode::kGetTupleElement &&
        instruction->operand(0) == parameter) {
      (*needed)[static_cast<size_t>(instruction->tuple_index())] = true;
      continue;
    }
    auto visit = [&](const HloInstruction* dependency) {
      if (seen.insert(dependency).second) pending.push_back(dependency);
    };
    for (const HloInstruction* operand : instruction->operands()) visit(operand);
    for (const HloInstruction* before : instruction->control_predecessors()) visit(before);
  }
  return true;
}

std::vector<const HloInstruction*> Effects(const HloComputation& computation) {
  std::vector<const HloInstruction*> effects;
  for (const HloInstruction* instruction : computation.instructions()) {
    if (!instruction->IsRoot() && instruction->HasSideEffect()) effects.push_back(instruction);
  }
  return effects;
}

absl::StatusOr<bool> RemoveDeadLoopState(HloInstruction* loop) {
  if (!loop->shape().IsTuple()) return false;
  const HloComputation& body = *loop->while_body();
  const HloComputation& condition = *loop->while_condition();
  const HloInstruction* root = body.root_instruction();
  if (root->opcode() != HloOpcode::kTuple || root->user_count() > 0) return false;
  HloInstruction* const self = loop;
  std::vector<int64_t> dead = UnusedElements(absl::MakeConstSpan(&self, 1));
  if (dead.empty()) return false;

  std::vector<bool> needed(static_cast<size_t>(loop->shape().tuple_shapes_size()), true);
  for (const int64_t element : dead) needed[static_cast<size_t>(element)] = false;
  std::vector<const HloInstruction*> ends = Effects(condition);
  ends.push_back(condition.root_instruction());
  if (!CollectNeededElements(condition, std::move(ends), &needed)) return false;
  if (!CollectNeededElements(body, Effects(body), &needed)) return false;
  // The next iteration needs more of this one's elements, until there are no more.
  std::vector<bool> followed(needed.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < needed.size(); ++i) {
      if (!needed[i] || followed[i]) continue;
      followed[i] = grew = true;
      if (!CollectNeededElements(body, {root->operand(static_cast<int64_t>(i))}, &needed)) {
        return false;
      }
    }
  }
  std::erase_if(dead, [&](int64_t element) { return needed[static_cast<size_t>(element)]; });
  if (dead.empty()) return false;
  // Unused instructions that use the parameter as a whole have been removed by now: dead code is
  // removed first.
  for (const HloComputation* part : {&body, &condition}) {
    for (const HloInstruction* user : part->parameter_instruction(0)->users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement) return false;
    }
  }
  XLA_RETURN_IF_ERROR(RemoveLoopState(loop, dead));
  return true;
}

}  // namespace

absl::StatusOr<bool> EliminateDeadCode(HloModule* module) {
  bool changed = false;
  // Removing parameters or results makes more code in callers and callees dead; each round removes
  // at least one instruction, parameter or element.
  for (bool round_changed = true; round_changed;) {
    round_changed = false;
    XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, module->ComputationPostOrder());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      HloComputation* computation = *it;
      XLA_ASSIGN_OR_RETURN(bool own, RemoveDeadInstructions(computation));
      round_changed |= own;
      if (IsCalledByCallsOnly(*computation)) {
        XLA_ASSIGN_OR_RETURN(own, RemoveUnusedResults(computation));
        if (own) XLA_RETURN_IF_ERROR(RemoveDeadInstructions(computation).status());
        XLA_ASSIGN_OR_RETURN(const bool parameters, RemoveUnusedParameters(computation));
        round_changed |= own | parameters;
      }
      for (HloInstruction* instruction : computation->instructions()) {
        if (instruction->IsDead() || instruction->opcode() != HloOpcode::kWhile) continue;
        XLA_ASSIGN_OR_RETURN(own, RemoveDeadLoopState(instruction));
        round_changed |= own;
      }
    }
    const int64_t computations = module->computation_count();
    XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
    round_changed |= computations != module->computation_count();
    changed |= round_changed;
  }
  return changed;
}

}  // namespace xla
