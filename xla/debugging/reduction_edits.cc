// SPDX-License-Identifier: Apache-2.0
#include "xla/debugging/reduction_edits.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/debugging/applied_computations.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/literal_util.h"
#include "xla/passes/dce.h"
#include "xla/passes/graph_builder.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::Status DoesNotApply(std::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("the edit does not apply: ", std::string(why)));
}

absl::StatusOr<HloInstruction*> Find(HloModule& module, const InstructionName& name) {
  HloComputation* const computation = module.GetComputationWithName(name.computation);
  HloInstruction* const found =
      computation == nullptr ? nullptr : computation->GetInstructionWithName(name.instruction);
  if (found == nullptr) return DoesNotApply("there is no such instruction");
  return found;
}

// An edit has gone on without an instruction that an earlier target needed alone.
absl::StatusOr<std::vector<HloInstruction*>> FindAll(HloModule& module,
                                                     const std::vector<InstructionName>& names) {
  std::vector<HloInstruction*> found;
  for (const InstructionName& name : names) {
    XLA_ASSIGN_OR_RETURN(HloInstruction* const instruction, Find(module, name));
    found.push_back(instruction);
  }
  return found;
}

// The values of instructions of the entry.
absl::StatusOr<std::vector<Literal>> ValuesOf(const ReducibleProgram& program,
                                              const std::vector<InstructionName>& names) {
  const ReducibleProgram values_only = program.Clone();
  HloModule* const module = values_only.module.get();
  HloComputation* const entry = module->entry_computation();
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> values, FindAll(*module, names));
  std::vector<Shape> shapes;
  for (const HloInstruction* value : values) shapes.push_back(value->shape());
  entry->set_root_instruction(entry->AddInstruction(
      HloInstruction::Create(HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), values)));
  HloModuleConfig& config = module->config();
  config.set_entry_computation_layout(entry->ComputeProgramShape());
  config.input_output_alias.clear();
  config.buffer_donor.clear();
  config.is_scheduled = false;
  XLA_RETURN_IF_ERROR(EliminateDeadCode(module).status());
  XLA_ASSIGN_OR_RETURN(Literal result, InterpretProgram(values_only));
  return result.DecomposeTuple();
}

absl::Status Cut(const ReducibleProgram& original, const Edit& edit, ReducibleProgram& program) {
  std::vector<Literal> values;
  if (program.has_arguments) {
    XLA_ASSIGN_OR_RETURN(values, ValuesOf(original, edit.targets));
  }
  HloComputation* const entry = program.module->entry_computation();
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> targets,
                       FindAll(*program.module, edit.targets));
  for (size_t i = 0; i < targets.size(); ++i) {
    HloInstruction* const parameter = entry->AddInstruction(HloInstruction::CreateParameter(
        entry->num_parameters(), targets[i]->shape(), absl::StrCat("p.", targets[i]->name())));
    XLA_RETURN_IF_ERROR(targets[i]->RemoveAllControlDependencies());
    XLA_RETURN_IF_ERROR(targets[i]->ReplaceAllUsesWith(parameter));
    if (program.has_arguments) program.arguments.push_back(std::move(values[i]));
  }
  return absl::OkStatus();
}

absl::Status ReplaceBySplat(HloInstruction* target, Literal scalar) {
  GraphBuilder build(target->parent(), target);
  HloInstruction* const value = build.Splat(
      build.Add(HloInstruction::CreateConstant(std::move(scalar))), target->shape().dimensions());
  XLA_RETURN_IF_ERROR(target->RemoveAllControlDependencies());
  return target->ReplaceAllUsesWith(value);
}

absl::Status ReplaceByZeros(HloInstruction* target) {
  HloInstruction* const zeros = GraphBuilder(target->parent(), target).Zeros(target->shape());
  XLA_RETURN_IF_ERROR(target->RemoveAllControlDependencies());
  return target->ReplaceAllUsesWith(zeros);
}

absl::Status Inline(HloInstruction* target, int64_t branch) {
  HloInstruction* call = target;
  if (target->opcode() == HloOpcode::kWhile || target->opcode() == HloOpcode::kConditional) {
    const bool is_loop = target->opcode() == HloOpcode::kWhile;
    if (!is_loop && branch + 1 >= target->operand_count()) return DoesNotApply("no such branch");
    XLA_RETURN_IF_ERROR(target->RemoveAllControlDependencies());
    call = target->parent()->InsertBefore(
        target, HloInstruction::Create(
                    HloOpcode::kCall, target->shape(),
                    {is_loop ? target->operand(0) : target->operand(branch + 1)}, NoAttributes{},
                    {is_loop ? target->while_body() : target->branch_computation(branch)}));
    XLA_RETURN_IF_ERROR(target->ReplaceAllUsesWith(call));
  } else if (target->opcode() != HloOpcode::kCall && target->opcode() != HloOpcode::kFusion) {
    return DoesNotApply("nothing is called");
  }
  return InlineCall(call).status();
}

void DropDetails(HloInstruction& target) {
  if (!target.has_extras()) return;
  InstructionExtras kept;
  kept.control_predecessors = target.control_predecessors();
  kept.control_successors = target.control_successors();
  target.mutable_extras() = std::move(kept);
}

absl::Status DropResults(const std::vector<int64_t>& kept, HloComputation& entry) {
  HloInstruction* const root = entry.root_instruction();
  if (root->opcode() != HloOpcode::kTuple || kept.empty()) return DoesNotApply("no tuple");
  std::vector<HloInstruction*> elements;
  std::vector<Shape> shapes;
  for (const int64_t i : kept) {
    if (i >= root->operand_count()) return DoesNotApply("no such element");
    elements.push_back(root->operand(i));
    shapes.push_back(root->operand(i)->shape());
  }
  entry.set_root_instruction(
      elements.size() == 1 ? elements[0]
                           : entry.AddInstruction(HloInstruction::Create(
                                 HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), elements)));
  return absl::OkStatus();
}

absl::Status ApplyTo(const ReducibleProgram& original, const Edit& edit,
                     ReducibleProgram& program) {
  HloComputation* const entry = program.module->entry_computation();
  if (edit.kind == EditKind::kCut) return Cut(original, edit, program);
  if (edit.kind == EditKind::kShrink) return ShrinkDimensions(edit, program);
  if (edit.kind == EditKind::kDropResults) return DropResults(edit.elements, *entry);
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> targets,
                       FindAll(*program.module, edit.targets));
  for (HloInstruction* const target : targets) {
    switch (edit.kind) {
      case EditKind::kMoveRoot:
        entry->set_root_instruction(target);
        break;
      case EditKind::kZero:
        XLA_RETURN_IF_ERROR(ReplaceByZeros(target));
        break;
      case EditKind::kOne:
        if (!target->shape().IsArray()) return DoesNotApply("no array");
        XLA_RETURN_IF_ERROR(
            ReplaceBySplat(target, LiteralUtil::One(target->shape().element_type())));
        break;
      case EditKind::kSplatConstant: {
        if (!target->IsConstant() || !target->shape().IsArray() ||
            ShapeUtil::ElementsIn(target->shape()) < 2) {
          return DoesNotApply("no constant");
        }
        const std::vector<int64_t> zeros(target->shape().dimensions().size(), 0);
        const std::vector<int64_t> ones(zeros.size(), 1);
        XLA_ASSIGN_OR_RETURN(Literal first, target->literal().Slice(zeros, ones).Reshape({}));
        XLA_RETURN_IF_ERROR(ReplaceBySplat(target, std::move(first)));
        break;
      }
      case EditKind::kOperand:
        if (edit.argument >= target->operand_count()) return DoesNotApply("no such operand");
        XLA_RETURN_IF_ERROR(target->RemoveAllControlDependencies());
        XLA_RETURN_IF_ERROR(target->ReplaceAllUsesWith(target->operand(edit.argument)));
        break;
      case EditKind::kInline:
        XLA_RETURN_IF_ERROR(Inline(target, edit.argument));
        break;
      case EditKind::kDropDetails:
        DropDetails(*target);
        break;
      default:
        return absl::InternalError("an edit of this kind has no targets");
    }
  }
  return absl::OkStatus();
}

// Removes what is not needed any more; parameters of the entry with their arguments.
absl::Status Tidy(ReducibleProgram& program) {
  HloModule& module = *program.module;
  HloComputation* const entry = module.entry_computation();
  HloModuleConfig& config = module.config();
  config.input_output_alias.clear();
  config.buffer_donor.clear();
  config.is_scheduled = false;
  config.set_entry_computation_layout(entry->ComputeProgramShape());
  XLA_RETURN_IF_ERROR(EliminateDeadCode(&module).status());
  for (int64_t i = entry->num_parameters(); i-- > 0;) {
    HloInstruction* const parameter = entry->parameter_instruction(i);
    if (parameter->user_count() > 0 || parameter->IsRoot()) continue;
    XLA_RETURN_IF_ERROR(parameter->RemoveAllControlDependencies());
    XLA_RETURN_IF_ERROR(entry->RemoveParameter(i));
    if (program.has_arguments) program.arguments.erase(program.arguments.begin() + i);
  }
  module.Cleanup();
  config.set_entry_computation_layout(entry->ComputeProgramShape());
  return absl::OkStatus();
}

bool IsPlainConstant(const HloInstruction& constant) {
  if (!constant.shape().IsArray()) return false;
  return constant.literal().IsAll(0) || constant.literal().IsAll(1);
}

bool IsSplat(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast && instruction.operand(0)->IsConstant() &&
         instruction.operand(0)->shape().dimensions().empty();
}

bool IsTarget(const HloInstruction& instruction, EditKind kind) {
  const HloOpcode opcode = instruction.opcode();
  switch (kind) {
    case EditKind::kMoveRoot:
      return !instruction.IsRoot() && opcode != HloOpcode::kParameter &&
             opcode != HloOpcode::kConstant && !instruction.shape().IsToken();
    case EditKind::kCut:
      return opcode != HloOpcode::kParameter && opcode != HloOpcode::kConstant &&
             opcode != HloOpcode::kTuple && !instruction.IsRoot() && !IsSplat(instruction);
    case EditKind::kZero:
    case EditKind::kOne:
      if (opcode == HloOpcode::kTuple ||
          (opcode == HloOpcode::kParameter && !instruction.parent()->IsEntryComputation())) {
        return false;
      }
      return !(instruction.IsConstant() && IsPlainConstant(instruction)) && !IsSplat(instruction);
    case EditKind::kOperand:
      return std::any_of(instruction.operands().begin(), instruction.operands().end(),
                         [&](const HloInstruction* operand) {
                           return ShapeUtil::Compatible(operand->shape(), instruction.shape());
                         });
    case EditKind::kInline:
      return opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion ||
             opcode == HloOpcode::kWhile || opcode == HloOpcode::kConditional;
    case EditKind::kDropDetails:
      return instruction.has_extras();
    case EditKind::kSplatConstant:
      return opcode == HloOpcode::kConstant && instruction.shape().IsArray() &&
             ShapeUtil::ElementsIn(instruction.shape()) > 1;
    default:
      return false;
  }
}

}  // namespace

std::string_view EditKindName(EditKind kind) {
  switch (kind) {
    case EditKind::kDropResults:
      return "drop results";
    case EditKind::kMoveRoot:
      return "move the root";
    case EditKind::kCut:
      return "replace by parameters";
    case EditKind::kZero:
      return "replace by zeros";
    case EditKind::kOne:
      return "replace by ones";
    case EditKind::kOperand:
      return "replace by operands";
    case EditKind::kInline:
      return "inline";
    case EditKind::kShrink:
      return "shrink dimensions";
    case EditKind::kDropDetails:
      return "drop attributes";
    case EditKind::kSplatConstant:
      return "simplify constants";
  }
  return "";
}

absl::StatusOr<ReducibleProgram> ApplyEdit(const ReducibleProgram& program, const Edit& edit) {
  ReducibleProgram edited = program.Clone();
  XLA_RETURN_IF_ERROR(ApplyTo(program, edit, edited));
  XLA_RETURN_IF_ERROR(Tidy(edited));
  XLA_RETURN_IF_ERROR(VerifyModule(*edited.module));
  return edited;
}

std::vector<InstructionName> EditTargets(const HloModule& module, EditKind kind) {
  std::vector<InstructionName> targets;
  const bool only_entry = kind == EditKind::kMoveRoot || kind == EditKind::kCut;
  std::vector<HloComputation*> computations = module.MakeComputationPostOrder();
  // Callers first, and what the result is made of last.
  std::reverse(computations.begin(), computations.end());
  for (const HloComputation* computation : computations) {
    if (only_entry && !computation->IsEntryComputation()) continue;
    // Reducers and comparators are left as they are: they are small and have rules of their own.
    if (kind != EditKind::kDropDetails && IsAppliedToElements(*computation)) continue;
    std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
    std::reverse(order.begin(), order.end());
    for (const HloInstruction* instruction : order) {
      if (IsTarget(*instruction, kind))
        targets.push_back({computation->name(), instruction->name()});
    }
  }
  return targets;
}

}  // namespace xla
