// SPDX-License-Identifier: Apache-2.0
// Plans of computations: what runs, in which order, where values are kept and when they are
// released.
#include "xla/interpreter/eval_program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/transfer.h"
#include "xla/passes/communication.h"
#include "xla/passes/mixed_precision.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

// Whether an operation of this kind runs its computations on whole values, on the device's thread.
bool RunsWhole(HloOpcode opcode) {
  const CalleeSchema& schema = GetOpInfo(opcode).callee_schema();
  return std::none_of(schema.slots.begin(), schema.slots.end(), [](const CalleeSlot& slot) {
    return GetCalleeRoleInfo(slot.role).on_elements;
  });
}

// Live instructions, operands first: what the root and side effects need. get-tuple-element comes
// right after its operand: a tuple is then taken apart before its elements are used, so that they
// can be updated in place.
absl::StatusOr<std::vector<const HloInstruction*>> LiveOrder(
    const HloComputation& computation, absl::FunctionRef<bool(const HloComputation&)> has_effects) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> post_order, computation.PostOrder());
  absl::flat_hash_set<const HloInstruction*> live;
  live.reserve(post_order.size());
  for (auto it = post_order.rbegin(); it != post_order.rend(); ++it) {
    const HloInstruction* instruction = *it;
    bool is_live = instruction == computation.root_instruction() || live.contains(instruction);
    if (!is_live) {
      is_live = instruction->HasSideEffectNoRecurse();
      for (const HloComputation* callee : instruction->called_computations())
        is_live |= has_effects(*callee);
    }
    if (!is_live) continue;
    live.insert(instruction);
    live.insert(instruction->operands().begin(), instruction->operands().end());
  }

  std::vector<const HloInstruction*> order;
  order.reserve(live.size());
  absl::flat_hash_set<const HloInstruction*> placed;
  std::vector<const HloInstruction*> pending;
  for (const HloInstruction* instruction : post_order) {
    if (!live.contains(instruction)) continue;
    pending.push_back(instruction);
    while (!pending.empty()) {
      const HloInstruction* next = pending.back();
      pending.pop_back();
      if (!placed.insert(next).second) continue;
      order.push_back(next);
      if (!next->shape().IsTuple()) continue;
      for (const HloInstruction* user : next->users()) {
        if (user->opcode() == HloOpcode::kGetTupleElement && live.contains(user) &&
            user->control_predecessors().empty()) {
          pending.push_back(user);
        }
      }
    }
  }
  return ReceivesLast(std::move(order));
}

// The instructions whose arrays become the leaves of the result, in order; through tuples. Null for
// what is not the array of an instruction.
void CollectLeaves(const HloInstruction& instruction, const Shape& shape,
                   std::vector<const HloInstruction*>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(&instruction);
  } else if (instruction.opcode() == HloOpcode::kTuple) {
    for (const HloInstruction* operand : instruction.operands()) {
      CollectLeaves(*operand, operand->shape(), leaves);
    }
  } else {
    const size_t count = static_cast<size_t>(ShapeUtil::GetLeafCount(shape));
    leaves.insert(leaves.end(), count, nullptr);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<EvalProgram>> EvalProgram::Create(const HloModule& module) {
  if (module.entry_computation() == nullptr ||
      module.entry_computation()->root_instruction() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module.name(), " has no entry computation"));
  }
  std::unique_ptr<EvalProgram> program(new EvalProgram);
  program->module_ = &module;
  // Operations are evaluated in one precision each.
  if (HasMixedPrecision(module)) {
    program->resolved_ = module.Clone();
    XLA_RETURN_IF_ERROR(ResolveMixedPrecision(program->resolved_.get()));
    program->module_ = program->resolved_.get();
  }
  XLA_RETURN_IF_ERROR(program->Prepare());
  return program;
}

absl::Status EvalProgram::Prepare() {
  // Callees come before callers, so that effects are known where they are asked for.
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> computations,
                       module_->ComputationPostOrder());
  absl::flat_hash_set<const HloComputation*> reached = {module_->entry_computation()};
  for (auto it = computations.rbegin(); it != computations.rend(); ++it) {
    if (!reached.contains(*it)) continue;
    for (const HloInstruction* instruction : (*it)->instructions()) {
      has_dynamic_sizes_ |= instruction->shape().is_dynamic();
      for (const HloComputation* callee : instruction->called_computations())
        reached.insert(callee);
    }
  }
  for (const HloComputation* computation : computations) {
    if (!reached.contains(computation)) continue;
    XLA_ASSIGN_OR_RETURN(ComputationPlan plan, MakePlan(*computation));
    Effects effects;
    for (const ComputationPlan::Step& step : plan.steps) {
      const HloInstruction& instruction = *step.instruction;
      if (instruction.info().Has(op_traits::kCommunicates)) effects.communication = &instruction;
      effects.any |= instruction.HasSideEffectNoRecurse();
      for (const HloComputation* callee : instruction.called_computations()) {
        const Effects& theirs = effects_[callee];
        effects.any |= theirs.any;
        if (theirs.communication == nullptr) continue;
        // Elements are in no order that all devices share.
        if (!RunsWhole(instruction.opcode())) {
          return InstructionError(
              instruction, absl::StatusCode::kInvalidArgument,
              absl::StrCat("its computation ", callee->name(), " holds ",
                           theirs.communication->name(), ", which no computation on elements may"));
        }
        effects.communication = theirs.communication;
      }
    }
    effects_[computation] = effects;
    plans_.emplace(computation, std::move(plan));
  }
  MarkResults(plans_.at(&entry()));
  return absl::OkStatus();
}

absl::StatusOr<ComputationPlan> EvalProgram::MakePlan(const HloComputation& computation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<const HloInstruction*> order,
                       LiveOrder(computation, [this](const HloComputation& callee) {
                         const auto found = effects_.find(&callee);
                         return found != effects_.end() && found->second.any;
                       }));
  ComputationPlan plan;

  absl::flat_hash_map<const HloInstruction*, int64_t> last_use;
  for (size_t i = 0; i < order.size(); ++i) {
    for (const HloInstruction* operand : order[i]->operands())
      last_use[operand] = static_cast<int64_t>(i);
  }
  const HloInstruction* root = computation.root_instruction();
  last_use[root] = static_cast<int64_t>(order.size());

  absl::flat_hash_map<const HloInstruction*, int32_t> slots;
  std::vector<int32_t> free_slots;
  const auto new_slot = [&]() -> int32_t {
    if (free_slots.empty()) return plan.slot_count++;
    const int32_t slot = free_slots.back();
    free_slots.pop_back();
    return slot;
  };

  // Parameters are in their slots from the start.
  plan.parameter_slots.assign(static_cast<size_t>(computation.num_parameters()), -1);
  for (const HloInstruction* instruction : order) {
    if (instruction->opcode() != HloOpcode::kParameter || !last_use.contains(instruction)) continue;
    const int32_t slot = new_slot();
    slots[instruction] = slot;
    plan.parameter_slots[static_cast<size_t>(instruction->parameter_number())] = slot;
  }

  for (size_t i = 0; i < order.size(); ++i) {
    const HloInstruction* instruction = order[i];
    if (instruction->opcode() == HloOpcode::kParameter) continue;
    if (instruction->opcode() == HloOpcode::kConstant) {
      XLA_ASSIGN_OR_RETURN(Value value,
                           ConstantValue(instruction->shape(), instruction->literal(), budget_));
      plan.constants.push_back(std::move(value));
      slots[instruction] = -static_cast<int32_t>(plan.constants.size());
      continue;
    }
    ComputationPlan::Step step;
    step.instruction = instruction;
    step.function = GetEvalFunction(instruction->opcode());
    if (step.function == nullptr) {
      return InstructionError(
          *instruction, absl::StatusCode::kUnimplemented,
          absl::StrCat("the interpreter does not have the operation ",
                       std::string(HloOpcodeString(instruction->opcode())), " yet"));
    }
    step.kernel = -1;
    if (step.function == EvalElementwise) {
      std::optional<ElementwiseKernel> kernel = ElementwiseKernel::For(*instruction);
      if (kernel.has_value()) {
        step.kernel = static_cast<int32_t>(plan.kernels.size());
        plan.kernels.push_back(*kernel);
      }
    }
    step.first_operand = static_cast<int32_t>(plan.operands.size());
    step.operand_count = static_cast<int32_t>(instruction->operand_count());
    plan.max_operands = std::max(plan.max_operands, step.operand_count);
    for (const HloInstruction* operand : instruction->operands()) {
      plan.operands.push_back({slots.at(operand), false});
    }
    // The last of several uses by this instruction takes the value; the slot is free from here on.
    absl::flat_hash_set<int32_t> taken;
    for (int32_t k = step.operand_count; k-- > 0;) {
      ComputationPlan::Operand& operand =
          plan.operands[static_cast<size_t>(step.first_operand) + static_cast<size_t>(k)];
      if (operand.slot < 0 || last_use.at(instruction->operand(k)) != static_cast<int64_t>(i)) {
        continue;
      }
      if (step.operand_count > 1 && !taken.insert(operand.slot).second) continue;
      operand.is_last_use = true;
      free_slots.push_back(operand.slot);
    }
    step.result_slot = -1;
    step.result_leaf = -1;
    if (last_use.contains(instruction)) {
      step.result_slot = new_slot();
      slots[instruction] = step.result_slot;
    }
    plan.steps.push_back(step);
  }
  plan.root = {slots.at(root), true};
  return plan;
}

void EvalProgram::MarkResults(ComputationPlan& plan) const {
  std::vector<const HloInstruction*> leaves;
  const HloInstruction& root = *entry().root_instruction();
  CollectLeaves(root, root.shape(), leaves);
  absl::flat_hash_map<const HloInstruction*, int32_t> leaf_of;
  for (size_t i = 0; i < leaves.size(); ++i) {
    // An array that is several leaves is copied for all but the first.
    if (leaves[i] != nullptr) leaf_of.try_emplace(leaves[i], static_cast<int32_t>(i));
  }
  for (ComputationPlan::Step& step : plan.steps) {
    const auto found = leaf_of.find(step.instruction);
    if (found != leaf_of.end()) step.result_leaf = found->second;
  }
}

const ScalarFunction* EvalProgram::GetScalarFunction(const HloComputation& computation) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto [it, is_new] = scalar_functions_.try_emplace(&computation);
  if (is_new) it->second = ScalarFunction::Make(computation);
  return it->second.get();
}

const Shape& EvalProgram::InternShape(Shape shape) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return *shapes_.insert(std::move(shape)).first;
}

}  // namespace xla::interpreter
