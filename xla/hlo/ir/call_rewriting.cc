// SPDX-License-Identifier: Apache-2.0
// Fusion, outlining, inlining and flattening. Signatures are changed in signature_rewriting.cc.
#include "xla/hlo/ir/call_rewriting.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Members = absl::flat_hash_set<const HloInstruction*>;

absl::StatusOr<Members> CheckMembers(absl::Span<HloInstruction* const> instructions) {
  if (instructions.empty()) return absl::InvalidArgumentError("there are no instructions to move");
  Members members;
  for (const HloInstruction* instruction : instructions) {
    if (instruction->parent() == nullptr || instruction->parent() != instructions[0]->parent()) {
      return InvalidArgument("%s and %s are not in one computation",
                             instructions[0]->ToShortString(), instruction->ToShortString());
    }
    if (instruction->opcode() == HloOpcode::kParameter) {
      return InvalidArgument("%s is a parameter and cannot be moved", instruction->ToShortString());
    }
    if (!members.insert(instruction).second) {
      return InvalidArgument("%s is given twice", instruction->ToShortString());
    }
  }
  return members;
}

// An instruction outside the set on which a member depends, and which itself depends on a member;
// null if there is none.
const HloInstruction* FindPathThroughOutside(const Members& members) {
  std::vector<const HloInstruction*> pending;
  Members seen;
  auto visit_dependencies = [&](const HloInstruction* instruction, bool of_member) {
    auto visit = [&](const HloInstruction* dependency) {
      if (members.contains(dependency)) return !of_member;
      if (seen.insert(dependency).second) pending.push_back(dependency);
      return false;
    };
    for (const HloInstruction* operand : instruction->operands()) {
      if (visit(operand)) return true;
    }
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      if (visit(predecessor)) return true;
    }
    return false;
  };
  for (const HloInstruction* member : members) visit_dependencies(member, /*of_member=*/true);
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (visit_dependencies(instruction, /*of_member=*/false)) return instruction;
  }
  return nullptr;
}

// The members, each after those of them on which it depends; else in the order given.
std::vector<HloInstruction*> InDependencyOrder(absl::Span<HloInstruction* const> instructions,
                                               const Members& members) {
  std::vector<HloInstruction*> order;
  Members done;
  std::vector<std::pair<HloInstruction*, int64_t>> stack;
  for (HloInstruction* start : instructions) {
    if (done.insert(start).second) stack.emplace_back(start, 0);
    while (!stack.empty()) {
      auto& [instruction, next] = stack.back();
      const auto& predecessors = instruction->control_predecessors();
      const int64_t i = next++;
      HloInstruction* dependency;
      if (i < instruction->operand_count()) {
        dependency = instruction->operand(i);
      } else if (i - instruction->operand_count() < static_cast<int64_t>(predecessors.size())) {
        dependency = predecessors[i - instruction->operand_count()];
      } else {
        order.push_back(instruction);
        stack.pop_back();
        continue;
      }
      if (members.contains(dependency) && done.insert(dependency).second) {
        stack.emplace_back(dependency, 0);
      }
    }
  }
  return order;
}

// Whether a member's value is a result. One without any users is: it may be kept for its effect.
bool IsResult(const HloInstruction& member, const Members& members) {
  if (member.IsRoot() || member.users().empty()) return true;
  return std::any_of(member.users().begin(), member.users().end(),
                     [&](const HloInstruction* user) { return !members.contains(user); });
}

// A new computation with copies of the members.
struct Extracted {
  HloComputation* computation;
  std::vector<HloInstruction*> inputs, outputs;  // outside
};

Extracted CopyMembers(absl::Span<HloInstruction* const> order, const Members& members,
                      absl::Span<HloInstruction* const> instructions, std::string_view name) {
  HloModule* module = order[0]->GetModule();
  Extracted result{module->AddComputation(name), {}, {}};
  CloneMap map;
  for (const HloInstruction* member : order) {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : member->operands()) {
      HloInstruction* copy = map.Find(operand);
      if (copy == nullptr) {
        const auto number = static_cast<int64_t>(result.inputs.size());
        result.inputs.push_back(operand);
        copy = result.computation->AddInstruction(HloInstruction::CreateParameter(
            number, operand->shape(), absl::StrCat("param_", number)));
        map.instructions[operand] = copy;
      }
      operands.push_back(copy);
    }
    HloInstruction* copy = result.computation->AddInstruction(
        CloneInstruction(*member, member->shape(), operands, &map));
    for (const HloInstruction* predecessor : member->control_predecessors()) {
      // Cannot fail: both are in the new computation.
      if (members.contains(predecessor)) {
        (void)map.Find(predecessor)->AddControlDependencyTo(copy);
      }
    }
  }
  std::vector<HloInstruction*> results;
  for (HloInstruction* member : instructions) {
    if (!IsResult(*member, members)) continue;
    result.outputs.push_back(member);
    results.push_back(map.Find(member));
  }
  HloInstruction* root = results[0];
  if (results.size() > 1) {
    std::vector<const Shape*> shapes;
    for (const HloInstruction* part : results) shapes.push_back(&part->shape());
    root = result.computation->AddInstruction(HloInstruction::Create(
        HloOpcode::kTuple, ShapeUtil::MakeTupleShapeWithPtrs(shapes), results));
  }
  result.computation->set_root_instruction(root);
  return result;
}

// Lets the control dependencies of the members with the outside be those of `call`, and ends all.
absl::Status MoveControl(absl::Span<HloInstruction* const> order, const Members& members,
                         HloInstruction* call) {
  for (HloInstruction* member : order) {
    const std::vector<HloInstruction*> predecessors = member->control_predecessors();
    for (HloInstruction* predecessor : predecessors) {
      XLA_RETURN_IF_ERROR(predecessor->RemoveControlDependencyTo(member));
      if (members.contains(predecessor)) continue;
      XLA_RETURN_IF_ERROR(predecessor->AddControlDependencyTo(call));
    }
    const std::vector<HloInstruction*> successors = member->control_successors();
    for (HloInstruction* successor : successors) {
      XLA_RETURN_IF_ERROR(member->RemoveControlDependencyTo(successor));
      if (members.contains(successor)) continue;
      XLA_RETURN_IF_ERROR(call->AddControlDependencyTo(successor));
    }
  }
  return absl::OkStatus();
}

// Uses of the outputs outside the set become uses of the call's results.
absl::Status ReplaceOutputs(absl::Span<HloInstruction* const> outputs, const Members& members,
                            HloInstruction* call) {
  HloComputation* computation = call->parent();
  HloInstruction* last = call;
  for (size_t i = 0; i < outputs.size(); ++i) {
    HloInstruction* output = outputs[i];
    if (output->users().empty() && !output->IsRoot()) continue;
    HloInstruction* value = call;
    if (outputs.size() > 1) {
      std::unique_ptr<HloInstruction> element =
          HloInstruction::Create(HloOpcode::kGetTupleElement, output->shape(), {call},
                                 TupleIndexAttributes{.index = static_cast<int64_t>(i)});
      output->SetupDerivedInstruction(element.get());
      value = last = computation->InsertAfter(last, std::move(element));
    }
    const HloInstruction::InstructionVector users = output->users();
    for (HloInstruction* user : users) {
      if (members.contains(user)) continue;
      XLA_RETURN_IF_ERROR(output->ReplaceUseWith(user, value));
    }
    if (output->IsRoot()) computation->set_root_instruction(value);
  }
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> MoveInto(absl::Span<HloInstruction* const> instructions,
                                         HloOpcode opcode, Attributes attributes,
                                         std::string_view name) {
  XLA_ASSIGN_OR_RETURN(const Members members, CheckMembers(instructions));
  if (const HloInstruction* between = FindPathThroughOutside(members)) {
    return InvalidArgument(
        "moving the instructions into %s would create a cycle through %s, which depends on one of "
        "them and on which another one depends",
        std::string(name), between->ToShortString());
  }
  HloComputation* computation = instructions[0]->parent();
  const std::vector<HloInstruction*> order = InDependencyOrder(instructions, members);
  const Extracted extracted = CopyMembers(order, members, instructions, name);
  HloInstruction* last = *std::max_element(
      order.begin(), order.end(),
      [](const HloInstruction* a, const HloInstruction* b) { return a->ComesBefore(b); });
  std::unique_ptr<HloInstruction> created = HloInstruction::Create(
      opcode, extracted.computation->root_instruction()->shape(), extracted.inputs,
      std::move(attributes), absl::MakeConstSpan(&extracted.computation, 1));
  instructions.back()->SetupDerivedInstruction(created.get());
  HloInstruction* call = computation->InsertBefore(last, std::move(created), name);
  XLA_RETURN_IF_ERROR(ReplaceOutputs(extracted.outputs, members, call));
  XLA_RETURN_IF_ERROR(MoveControl(order, members, call));
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(*it));
  }
  return call;
}

// --- Into a computation

// A fusion's own computation: a copy if others call it as well.
HloComputation* OwnComputation(HloInstruction* caller) {
  HloComputation* computation = caller->called_computations()[0];
  if (computation->caller_count() > 1) {
    CloneMap map;
    computation = CloneComputation(*computation, caller->GetModule(), &map);
    caller->set_called_computation(0, computation);
  }
  return computation;
}

// The parameter that stands for an operand of the fusion: a new one if it is no operand yet.
HloInstruction* ParameterFor(HloInstruction* fusion, HloComputation* computation,
                             HloInstruction* operand) {
  for (int64_t i = 0; i < fusion->operand_count(); ++i) {
    if (fusion->operand(i) == operand) return computation->parameter_instruction(i);
  }
  const int64_t number = fusion->operand_count();
  fusion->AppendOperand(operand);
  return computation->InsertBefore(
      computation->instructions().front(),
      HloInstruction::CreateParameter(number, operand->shape(), absl::StrCat("param_", number)));
}

// What is inlined runs after what the call ran after, and before what it ran before.
absl::Status InheritControl(HloInstruction* call, absl::Span<HloInstruction* const> copies) {
  if (!call->HasControlDependencies()) {
    return absl::OkStatus();
  }
  const Members inlined(copies.begin(), copies.end());
  auto is_inlined = [&](const HloInstruction* other) { return inlined.contains(other); };
  for (HloInstruction* copy : copies) {
    if (std::none_of(copy->operands().begin(), copy->operands().end(), is_inlined)) {
      for (HloInstruction* predecessor : call->control_predecessors()) {
        XLA_RETURN_IF_ERROR(predecessor->AddControlDependencyTo(copy));
      }
    }
    if (std::none_of(copy->users().begin(), copy->users().end(), is_inlined)) {
      for (HloInstruction* successor : call->control_successors()) {
        XLA_RETURN_IF_ERROR(copy->AddControlDependencyTo(successor));
      }
    }
  }
  // The copies carry the order now; it need not hold without them.
  const std::vector<HloInstruction*> predecessors = call->control_predecessors();
  for (HloInstruction* predecessor : predecessors) {
    XLA_RETURN_IF_ERROR(predecessor->RemoveControlDependencyTo(call));
    if (!copies.empty()) continue;
    for (HloInstruction* successor : call->control_successors()) {
      XLA_RETURN_IF_ERROR(predecessor->AddControlDependencyTo(successor));
    }
  }
  const std::vector<HloInstruction*> successors = call->control_successors();
  for (HloInstruction* successor : successors) {
    XLA_RETURN_IF_ERROR(call->RemoveControlDependencyTo(successor));
  }
  return absl::OkStatus();
}

bool IsInlinable(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCall) return false;
  return !instruction.attributes<CallAttributes>().is_composite &&
         instruction.to_apply()->execution_thread() == instruction.parent()->execution_thread();
}

// Whether the instruction runs its computations itself, in contrast to applying them to elements.
bool IsControlFlow(const HloInstruction& instruction) {
  switch (instruction.info().callees) {
    case Callees::kFunction:
    case Callees::kLoop:
    case Callees::kBranches:
    case Callees::kWrapped:
      return true;
    default:
      return false;
  }
}

// Where an instruction calls a computation, asked once for each: what is found may be replaced. A
// conditional may call very many, so they are not searched for one by one.
class CallPlaces {
 public:
  std::vector<int64_t> Find(const HloInstruction* caller, const HloComputation* computation) {
    const auto [it, is_new] = places_.try_emplace(caller);
    if (is_new) {
      int64_t i = 0;
      for (const HloComputation* called : caller->called_computations()) {
        it->second[called].push_back(i++);
      }
    }
    const auto found = it->second.find(computation);
    return found == it->second.end() ? std::vector<int64_t>() : std::move(found->second);
  }

 private:
  absl::flat_hash_map<const HloInstruction*,
                      absl::flat_hash_map<const HloComputation*, std::vector<int64_t>>>
      places_;
};

absl::Status CheckGrowth(int64_t instructions, int64_t max_instructions) {
  if (instructions <= max_instructions) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the module would have more than ", max_instructions, " instructions"));
}

}  // namespace

absl::StatusOr<HloInstruction*> FuseInstructions(absl::Span<HloInstruction* const> instructions,
                                                 FusionKind kind, std::string_view name) {
  return MoveInto(instructions, HloOpcode::kFusion, FusionAttributes{.kind = kind}, name);
}

absl::StatusOr<HloInstruction*> OutlineInstructions(absl::Span<HloInstruction* const> instructions,
                                                    std::string_view name) {
  return MoveInto(instructions, HloOpcode::kCall, CallAttributes{}, name);
}

absl::Status FuseProducerInto(HloInstruction* fusion, HloInstruction* producer) {
  if (fusion->opcode() != HloOpcode::kFusion || !fusion->IsUserOf(producer) ||
      producer->opcode() == HloOpcode::kParameter) {
    return InvalidArgument("%s is not a fusion that can take in its operand %s",
                           fusion->ToShortString(), producer->ToShortString());
  }
  if (producer->HasControlDependencies()) {
    return InvalidArgument("%s has control dependencies", producer->ToShortString());
  }
  if (const HloInstruction* between = FindPathThroughOutside({fusion, producer})) {
    return InvalidArgument("fusing %s into %s would create a cycle through %s",
                           producer->ToShortString(), fusion->ToShortString(),
                           between->ToShortString());
  }
  HloComputation* computation = OwnComputation(fusion);
  std::vector<HloInstruction*> parameters;
  for (HloInstruction* operand : producer->operands()) {
    parameters.push_back(ParameterFor(fusion, computation, operand));
  }
  // The copy comes before all other instructions but parameters.
  std::vector<HloInstruction*> instructions = computation->instructions();
  HloInstruction* before = nullptr;
  for (HloInstruction* instruction : instructions) {
    if (instruction->opcode() == HloOpcode::kParameter) continue;
    before = instruction;
    break;
  }
  CloneMap map;
  HloInstruction* copy;
  if (producer->opcode() == HloOpcode::kFusion) {
    const HloComputation& fused = *producer->called_computations()[0];
    for (size_t i = 0; i < parameters.size(); ++i) {
      map.instructions[fused.parameter_instruction(static_cast<int64_t>(i))] = parameters[i];
    }
    copy = CloneInstructionsInto(fused, computation, &map, {}, before);
  } else {
    std::unique_ptr<HloInstruction> created =
        CloneInstruction(*producer, producer->shape(), parameters, &map);
    copy = before == nullptr ? computation->AddInstruction(std::move(created))
                             : computation->InsertBefore(before, std::move(created));
  }
  for (int64_t i = fusion->operand_count() - 1; i >= 0; --i) {
    if (fusion->operand(i) != producer) continue;
    XLA_RETURN_IF_ERROR(computation->parameter_instruction(i)->ReplaceAllUsesWith(copy));
    XLA_RETURN_IF_ERROR(computation->RemoveParameter(i));
    fusion->RemoveOperand(i);
  }
  if (producer->user_count() > 0 || producer->IsRoot()) return absl::OkStatus();
  return producer->parent()->RemoveInstruction(producer);
}

absl::StatusOr<HloInstruction*> InlineCall(HloInstruction* call, CloneMap* map) {
  if (call->opcode() != HloOpcode::kCall && call->opcode() != HloOpcode::kFusion) {
    return InvalidArgument("%s is neither a call nor a fusion", call->ToShortString());
  }
  HloComputation* computation = call->parent();
  const HloComputation& callee = *call->called_computations()[0];
  if (&callee == computation) return InvalidArgument("%s calls itself", call->ToShortString());
  CloneMap own;
  if (map == nullptr) map = &own;
  for (int64_t i = 0; i < call->operand_count(); ++i) {
    map->instructions[callee.parameter_instruction(i)] = call->operand(i);
  }
  HloInstruction* result = CloneInstructionsInto(callee, computation, map, {}, call);
  std::vector<HloInstruction*> copies;
  for (const HloInstruction* instruction : callee.instructions()) {
    if (instruction->opcode() != HloOpcode::kParameter) copies.push_back(map->Find(instruction));
  }
  XLA_RETURN_IF_ERROR(InheritControl(call, copies));
  XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(call, result));
  return result;
}

absl::StatusOr<bool> InlineAllCalls(HloModule* module, int64_t max_instructions,
                                    const std::function<bool(const HloInstruction&)>& stays) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, module->ComputationPostOrder());
  int64_t count = module->instruction_count();
  bool changed = false;
  for (HloComputation* computation : order) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (!IsInlinable(*instruction) || (stays != nullptr && stays(*instruction))) continue;
      count += instruction->to_apply()->instruction_count();
      XLA_RETURN_IF_ERROR(CheckGrowth(count, max_instructions));
      XLA_RETURN_IF_ERROR(InlineCall(instruction).status());
      changed = true;
    }
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return changed;
}

absl::StatusOr<bool> FlattenCalls(HloModule* module, int64_t max_instructions) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, module->ComputationPostOrder());
  int64_t count = module->instruction_count();
  bool changed = false;
  CallPlaces places;
  // Callers first: the copies of a computation call what comes later.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    HloComputation* computation = *it;
    const std::vector<HloInstruction*> callers = computation->callers();
    // The first place keeps the computation, if it is not applied as well.
    bool is_taken = computation->IsEntryComputation() ||
                    std::any_of(callers.begin(), callers.end(), [](const HloInstruction* caller) {
                      return !IsControlFlow(*caller);
                    });
    for (HloInstruction* caller : callers) {
      if (!IsControlFlow(*caller)) continue;
      for (const int64_t i : places.Find(caller, computation)) {
        if (!std::exchange(is_taken, true)) continue;
        count += computation->instruction_count();
        XLA_RETURN_IF_ERROR(CheckGrowth(count, max_instructions));
        CloneMap map;
        caller->set_called_computation(i, CloneComputation(*computation, module, &map));
        changed = true;
      }
    }
  }
  return changed;
}

HloInstruction* HloComputation::CreateFusionInstruction(
    absl::Span<HloInstruction* const> instructions, FusionKind kind) {
  // XLA lists users before operands.
  const std::vector<HloInstruction*> in_order(instructions.rbegin(), instructions.rend());
  return FuseInstructions(in_order, kind).value_or(nullptr);
}

}  // namespace xla
