// SPDX-License-Identifier: Apache-2.0
// Simplifies loop state that never changes, and loops of few iterations.
#include "xla/passes/simplify_loops.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/passes/loop_analysis.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::vector<HloInstruction*> LoopsOf(HloComputation* computation) {
  std::vector<HloInstruction*> loops;
  for (HloInstruction* instruction : computation->instructions()) {
    if (instruction->opcode() == HloOpcode::kWhile) loops.push_back(instruction);
  }
  return loops;
}

bool HasEffects(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->HasSideEffect()) return true;
  }
  return false;
}

bool IsScalarConstant(const HloInstruction* instruction) {
  return instruction != nullptr && instruction->opcode() == HloOpcode::kConstant &&
         instruction->shape().IsArray() && instruction->shape().rank() == 0;
}

// Returns called computation i, copied first if it has other callers.
HloComputation* OwnCallee(HloInstruction* loop, int64_t i) {
  HloComputation* callee = loop->called_computations()[i];
  if (callee->caller_count() > 1) {
    CloneMap map;
    callee = CloneComputation(*callee, loop->GetModule(), &map);
    loop->set_called_computation(i, callee);
  }
  return callee;
}

// Replaces elements of parameter 0 by copies of the scalar constants that are their values.
absl::StatusOr<bool> SinkConstants(HloInstruction* loop, const std::vector<bool>& constant) {
  bool changed = false;
  for (int64_t i = 0; i < static_cast<int64_t>(loop->called_computations().size()); ++i) {
    const HloComputation& shared = *loop->called_computations()[i];
    // The use by the body's root, which passes the element through, stays.
    const auto is_use = [](const HloInstruction* element) {
      return std::any_of(element->users().begin(), element->users().end(),
                         [](const HloInstruction* user) {
                           return !user->IsRoot() || user->opcode() != HloOpcode::kTuple;
                         });
    };
    const auto uses = [&](const HloComputation& computation) {
      std::vector<HloInstruction*> found;
      for (HloInstruction* user : computation.parameter_instruction(0)->users()) {
        if (user->opcode() == HloOpcode::kGetTupleElement &&
            constant[static_cast<size_t>(user->tuple_index())] && is_use(user)) {
          found.push_back(user);
        }
      }
      return found;
    };
    if (uses(shared).empty()) continue;
    HloComputation* computation = OwnCallee(loop, i);
    for (HloInstruction* element : uses(*computation)) {
      const HloInstruction* initial = InitialElement(*loop, element->tuple_index());
      HloInstruction* copy =
          computation->InsertBefore(element, initial->CloneWithNewOperands(initial->shape(), {}));
      const HloInstruction::InstructionVector users = element->users();
      for (HloInstruction* user : users) {
        if (user->IsRoot() && user->opcode() == HloOpcode::kTuple && i == 0) {
          for (int64_t j = 0; j < user->operand_count(); ++j) {
            if (user->operand(j) == element && j != element->tuple_index())
              XLA_RETURN_IF_ERROR(user->ReplaceOperandWith(j, copy));
          }
          continue;
        }
        XLA_RETURN_IF_ERROR(element->ReplaceUseWith(user, copy));
      }
      changed |= copy->user_count() > 0;
      if (copy->user_count() == 0) XLA_RETURN_IF_ERROR(computation->RemoveInstruction(copy));
    }
  }
  return changed;
}

absl::StatusOr<bool> SimplifyLoop(HloInstruction* loop) {
  const std::optional<CountedLoop> counted = AnalyzeCountedLoop(*loop);
  if (counted.has_value() && counted->trips == 0 && !HasEffects(*loop->while_condition()) &&
      !loop->HasControlDependencies()) {
    XLA_RETURN_IF_ERROR(loop->ReplaceAllUsesWith(loop->operand(0)));
    return true;
  }
  bool changed = false;
  const std::vector<bool> invariant = InvariantElements(*loop);
  std::vector<bool> constant(invariant.size());
  for (size_t i = 0; i < invariant.size(); ++i) {
    constant[i] = invariant[i] && IsScalarConstant(InitialElement(*loop, static_cast<int64_t>(i)));
  }
  const HloInstruction::InstructionVector users = loop->users();
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement ||
        !invariant[static_cast<size_t>(user->tuple_index())] ||
        (user->user_count() == 0 && !user->IsRoot())) {
      continue;
    }
    HloInstruction* initial = InitialElement(*loop, user->tuple_index());
    if (initial == nullptr || initial->shape() != user->shape()) continue;
    XLA_RETURN_IF_ERROR(user->ReplaceAllUsesWith(initial));
    changed = true;
  }
  if (std::find(constant.begin(), constant.end(), true) != constant.end()) {
    XLA_ASSIGN_OR_RETURN(const bool sunk, SinkConstants(loop, constant));
    changed |= sunk;
  }
  return changed;
}

// --- Unrolling

// Whether copies of the body would fuse with the surrounding code.
bool IsCheapBody(const HloComputation& body) {
  for (const HloInstruction* instruction : body.instructions()) {
    switch (instruction->info().family) {
      case OpFamily::kElementwise:
      case OpFamily::kLeaf:
      case OpFamily::kReshape:
        break;
      default:
        if (instruction->opcode() != HloOpcode::kTuple &&
            instruction->opcode() != HloOpcode::kGetTupleElement) {
          return false;
        }
    }
  }
  return true;
}

// Estimates the code of the body, in simple operations: functions are long. Inner loops are
// unrolled first, so that bodies grow with the iterations of all.
int64_t CodeSize(const HloComputation& body) {
  constexpr int64_t kFunction = 64;
  int64_t size = 0;
  for (const HloInstruction* instruction : body.instructions())
    size += IsTranscendental(instruction->opcode()) ? kFunction : 1;
  return size;
}

// Whether the loop should become `trips` copies of its body.
bool ShouldUnroll(const HloInstruction& loop, int64_t trips) {
  constexpr int64_t kMaxTrips = 32, kMaxCodeSize = 1024;
  const HloComputation& body = *loop.while_body();
  if (HasEffects(*loop.while_condition()) || HasEffects(body)) return false;
  if (trips == 1) return true;
  return trips > 1 && trips <= kMaxTrips && trips * CodeSize(body) <= kMaxCodeSize &&
         IsCheapBody(body);
}

absl::Status Unroll(HloInstruction* loop, int64_t trips) {
  HloInstruction* state = loop->operand(0);
  for (int64_t trip = 0; trip < trips; ++trip) {
    CloneMap map;
    map.instructions[loop->while_body()->parameter_instruction(0)] = state;
    state = CloneInstructionsInto(*loop->while_body(), loop->parent(), &map, {}, loop);
  }
  XLA_RETURN_IF_ERROR(loop->ReplaceAllUsesWith(state));
  XLA_RETURN_IF_ERROR(loop->MoveControlDependenciesTo(state));
  return loop->parent()->RemoveInstructionAndUnusedOperands(loop);
}

}  // namespace

absl::StatusOr<bool> SimplifyLoops(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* loop : LoopsOf(computation)) {
      XLA_ASSIGN_OR_RETURN(const bool loop_changed, SimplifyLoop(loop));
      changed |= loop_changed;
    }
  }
  return changed;
}

absl::StatusOr<bool> UnrollLoops(HloModule* module) {
  bool changed = false;
  // Inner loops first; copies are bounded by the size of the program.
  int64_t budget = 4096 + 4 * module->instruction_count();
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, module->ComputationPostOrder());
  for (HloComputation* computation : order) {
    for (HloInstruction* loop : LoopsOf(computation)) {
      const std::optional<CountedLoop> counted = AnalyzeCountedLoop(*loop);
      if (!counted.has_value() || !ShouldUnroll(*loop, counted->trips)) continue;
      const int64_t size = counted->trips * loop->while_body()->instruction_count();
      if (size > budget) continue;
      budget -= size;
      XLA_RETURN_IF_ERROR(Unroll(loop, counted->trips));
      changed = true;
    }
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return changed;
}

}  // namespace xla
