// SPDX-License-Identifier: Apache-2.0
// Each materialized instruction becomes a fusion with the producers that fusion_planner.h chose to
// fuse into it.
#include "xla/cpu/plan/fusion.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/plan/fusion_legality.h"
#include "xla/cpu/plan/fusion_planner.h"
#include "xla/cpu/plan/operand_folding.h"
#include "xla/cpu/plan/small_dot.h"
#include "xla/cpu/plan/sort_order.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/clone.h"
#include "xla/passes/prefix_scan.h"
#include "xla/passes/sort_keys.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Replaces an instruction by its fusion with the fused producers that it needs.
absl::Status MakeFusion(HloInstruction* root, const FusedProducers& fused) {
  HloComputation* const computation = root->parent();
  HloModule* const module = computation->parent();
  // Operands first.
  std::vector<HloInstruction*> members;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<std::pair<HloInstruction*, int64_t>> stack = {{root, 0}};
  seen.insert(root);
  while (!stack.empty()) {
    auto& [instruction, next] = stack.back();
    if (next == instruction->operand_count()) {
      members.push_back(instruction);
      stack.pop_back();
      continue;
    }
    HloInstruction* operand = instruction->operand(next++);
    if (fused.contains(operand) && seen.insert(operand).second) stack.emplace_back(operand, 0);
  }
  HloComputation* const body = module->AddComputation(absl::StrCat("fused_", root->name()));
  CloneMap map;
  std::vector<HloInstruction*> operands;
  bool reduces = false;
  for (HloInstruction* member : members) {
    std::vector<HloInstruction*> new_operands;
    const int64_t updated = member == root ? UpdatedCount(*root) : 0;
    for (HloInstruction* operand : member->operands()) {
      // An operand that is updated has a parameter of its own, through which nothing else reads it.
      const bool is_updated = static_cast<int64_t>(new_operands.size()) < updated;
      HloInstruction* mapped = is_updated ? nullptr : map.Find(operand);
      if (mapped == nullptr) {
        mapped = body->AddInstruction(
            HloInstruction::CreateParameter(static_cast<int64_t>(operands.size()), operand->shape(),
                                            absl::StrCat("p", operands.size())));
        if (!is_updated) map.instructions[operand] = mapped;
        operands.push_back(operand);
      }
      new_operands.push_back(mapped);
    }
    reduces |= member->opcode() == HloOpcode::kReduce;
    HloInstruction* copy =
        body->AddInstruction(member->CloneWithNewOperands(member->shape(), new_operands));
    map.instructions[member] = copy;
  }
  body->set_root_instruction(map.Find(root));
  FusionAttributes attributes;
  attributes.kind = reduces ? FusionKind::kInput : FusionKind::kLoop;
  HloComputation* called[] = {body};
  return computation
      ->ReplaceWithNewInstruction(
          root, HloInstruction::Create(HloOpcode::kFusion, root->shape(), operands,
                                       std::move(attributes), called))
      .status();
}

}  // namespace

bool IsGenerated(const HloInstruction& instruction) {
  if (IsSortIndex(instruction)) return false;
  if (IsFoldedScaling(instruction) || IsScaleOfFoldedOperands(instruction) ||
      HasScanKernel(instruction))
    return false;
  switch (instruction.opcode()) {
    case HloOpcode::kTranspose:
      return CanEmitElement(instruction) && !IsFoldedTranspose(instruction);
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
    case HloOpcode::kCopy:
      return false;
    case HloOpcode::kDot:
      return IsSmallProduct(instruction) && CanEmitElement(instruction);
    default:
      return CanEmitElement(instruction);
  }
}

namespace {

// Scales that contractions apply are not materialized: other readers get broadcasts of their own.
absl::StatusOr<bool> SeparateScales(HloComputation* computation) {
  bool changed = false;
  for (HloInstruction* broadcast : computation->MakeInstructionPostOrder()) {
    if (broadcast->opcode() != HloOpcode::kBroadcast || broadcast->users().size() < 2) continue;
    std::vector<HloInstruction*> views;
    for (HloInstruction* user : broadcast->users()) {
      if (IsFoldedScaling(*user) && ScaledArray(*user) != broadcast) views.push_back(user);
    }
    if (views.empty() || views.size() == broadcast->users().size()) continue;
    HloInstruction* const scale = computation->AddInstruction(
        broadcast->CloneWithNewOperands(broadcast->shape(), {broadcast->mutable_operand(0)}));
    for (HloInstruction* view : views) XLA_RETURN_IF_ERROR(broadcast->ReplaceUseWith(view, scale));
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> FuseForCpu(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->IsDead() || instruction->opcode() != HloOpcode::kFusion) continue;
      XLA_RETURN_IF_ERROR(InlineCall(instruction).status());
      changed = true;
    }
  }
  // These computations are emitted as part of the instructions that apply them.
  const std::vector<const HloComputation*> code = ComputationsOfNestedCode(*module);
  const absl::flat_hash_set<const HloComputation*> applied(code.begin(), code.end());
  for (HloComputation* computation : module->computations()) {
    if (applied.contains(computation)) continue;
    XLA_ASSIGN_OR_RETURN(const bool separated, SeparateScales(computation));
    changed |= separated;
    const FusedProducers fused = PlanFusions(computation);
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (fused.contains(instruction) || !IsGenerated(*instruction)) continue;
      XLA_RETURN_IF_ERROR(MakeFusion(instruction, fused));
      changed = true;
    }
    // Fused producers have no users left.
    const std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (!(*it)->IsDead() && (*it)->users().empty() && !(*it)->IsRoot() &&
          (*it)->opcode() != HloOpcode::kParameter && !(*it)->HasSideEffect() &&
          !(*it)->HasControlDependencies()) {
        XLA_RETURN_IF_ERROR(computation->RemoveInstruction(*it));
        changed = true;
      }
    }
  }
  module->Cleanup();
  return changed;
}

}  // namespace xla::cpu
