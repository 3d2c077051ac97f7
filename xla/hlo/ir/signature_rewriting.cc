// SPDX-License-Identifier: Apache-2.0
// Parameters and results that are removed from computations together with what their callers give
// and take.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status CheckNumbers(absl::Span<const int64_t> numbers, int64_t count, const char* what) {
  int64_t least = 0;
  for (const int64_t number : numbers) {
    if (number < least || number >= count) {
      return InvalidArgument("the %s {%s} are not ascending numbers below %d", what,
                             absl::StrJoin(numbers, ","), count);
    }
    least = number + 1;
  }
  return absl::OkStatus();
}

bool IsRemoved(absl::Span<const int64_t> removed, int64_t number) {
  return std::binary_search(removed.begin(), removed.end(), number);
}

// What a number becomes when the removed ones are gone.
int64_t NewNumber(absl::Span<const int64_t> removed, int64_t number) {
  return number - (std::lower_bound(removed.begin(), removed.end(), number) - removed.begin());
}

Shape WithoutElements(const Shape& tuple, absl::Span<const int64_t> removed) {
  std::vector<Shape> kept;
  for (int i = 0; i < tuple.tuple_shapes_size(); ++i) {
    if (!IsRemoved(removed, i)) kept.push_back(tuple.tuple_shapes(i));
  }
  return Shape(std::move(kept));
}

// The instruction's result loses elements: its shape, and its sharding if that names the leaves.
void RemoveElementsOf(HloInstruction* instruction, absl::Span<const int64_t> removed) {
  const Shape before = instruction->shape();
  *instruction->mutable_shape() = WithoutElements(before, removed);
  if (!instruction->has_sharding()) return;
  HloSharding& sharding = *instruction->mutable_extras().sharding;
  if (!sharding.IsTuple() ||
      static_cast<int64_t>(sharding.tuple_elements().size()) != ShapeUtil::GetLeafCount(before)) {
    return;
  }
  std::vector<HloSharding> kept;
  size_t leaf = 0;
  for (int i = 0; i < before.tuple_shapes_size(); ++i) {
    const auto leaves = static_cast<size_t>(ShapeUtil::GetLeafCount(before.tuple_shapes(i)));
    for (size_t j = 0; j < leaves; ++j, ++leaf) {
      if (!IsRemoved(removed, i)) kept.push_back(std::move(sharding.tuple_elements()[leaf]));
    }
  }
  sharding.tuple_elements() = std::move(kept);
}

// Whether everything that uses the tuple takes elements from it. Fills in the instructions that do.
absl::Status CollectElements(HloInstruction* tuple, std::vector<HloInstruction*>* elements) {
  if (tuple->IsRoot()) return InvalidArgument("%s is a root", tuple->ToShortString());
  for (HloInstruction* user : tuple->users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement) {
      return InvalidArgument("%s is used by %s, not only by get-tuple-element",
                             tuple->ToShortString(), user->ToShortString());
    }
    elements->push_back(user);
  }
  return absl::OkStatus();
}

absl::Status CheckNotRemoved(absl::Span<HloInstruction* const> elements,
                             absl::Span<const int64_t> removed) {
  for (const HloInstruction* element : elements) {
    if (IsRemoved(removed, element->tuple_index())) {
      return InvalidArgument("%s uses element %d", element->ToShortString(),
                             element->tuple_index());
    }
  }
  return absl::OkStatus();
}

void Renumber(absl::Span<HloInstruction* const> elements, absl::Span<const int64_t> removed) {
  for (HloInstruction* element : elements) {
    int64_t& index = element->mutable_attributes<TupleIndexAttributes>()->index;
    index = NewNumber(removed, index);
  }
}

// The root, a tuple, without some elements.
absl::Status NarrowRoot(HloComputation* computation, absl::Span<const int64_t> removed) {
  HloInstruction* root = computation->root_instruction();
  std::vector<HloInstruction*> kept;
  for (int64_t i = 0; i < root->operand_count(); ++i) {
    if (!IsRemoved(removed, i)) kept.push_back(root->operand(i));
  }
  HloInstruction* narrow =
      computation->InsertAfter(root, root->CloneWithNewOperands(root->shape(), kept));
  RemoveElementsOf(narrow, removed);
  computation->set_root_instruction(narrow);
  if (root->user_count() > 0) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(root->MoveControlDependenciesTo(narrow));
  return computation->RemoveInstruction(root);
}

absl::Status CheckCaller(const HloInstruction& caller) {
  if (caller.opcode() == HloOpcode::kCall || caller.opcode() == HloOpcode::kFusion) {
    return absl::OkStatus();
  }
  return InvalidArgument("the signature of a computation that %s calls cannot change",
                         caller.ToShortString());
}

absl::Status CheckChangeable(const HloComputation& computation) {
  if (computation.IsEntryComputation()) {
    return InvalidArgument("%s is the entry computation", computation.name());
  }
  for (const HloInstruction* caller : computation.callers()) {
    XLA_RETURN_IF_ERROR(CheckCaller(*caller));
  }
  return absl::OkStatus();
}

std::vector<OutputOperandAlias>* Aliases(HloInstruction* caller) {
  if (caller->opcode() != HloOpcode::kFusion) return nullptr;
  return &caller->mutable_attributes<FusionAttributes>()->output_to_operand_aliasing;
}

// --- Loops

// The body or condition parameter that carries the loop state, and its uses.
struct StateUses {
  HloComputation* computation;
  std::vector<HloInstruction*> elements;  // get-tuple-element instructions of the parameter
};

absl::StatusOr<StateUses> CollectStateUses(HloComputation* computation) {
  StateUses uses{computation, {}};
  XLA_RETURN_IF_ERROR(CollectElements(computation->parameter_instruction(0), &uses.elements));
  return uses;
}

// All that depends on the removed elements in this computation: it must be without effect, and no
// kept part of the root. `root` is the one instruction that may use it besides.
absl::StatusOr<std::vector<HloInstruction*>> DependentsOfRemoved(const StateUses& uses,
                                                                 absl::Span<const int64_t> removed,
                                                                 const HloInstruction* root) {
  std::vector<HloInstruction*> dependents;
  absl::flat_hash_set<const HloInstruction*> seen;
  for (HloInstruction* element : uses.elements) {
    if (IsRemoved(removed, element->tuple_index()) && seen.insert(element).second) {
      dependents.push_back(element);
    }
  }
  for (size_t i = 0; i < dependents.size(); ++i) {
    HloInstruction* dependent = dependents[i];
    if (dependent->HasSideEffect() || dependent->IsRoot()) {
      return InvalidArgument("%s depends on a removed element of the state",
                             dependent->ToShortString());
    }
    for (HloInstruction* user : dependent->users()) {
      if (user != root && seen.insert(user).second) dependents.push_back(user);
    }
  }
  for (int64_t i = 0; root != nullptr && i < root->operand_count(); ++i) {
    if (!IsRemoved(removed, i) && seen.contains(root->operand(i))) {
      return InvalidArgument("element %d of the state depends on a removed one", i);
    }
  }
  return dependents;
}

// Removes instructions that use each other but are used by nothing else; users come later in the
// list than what they use only by chance.
absl::Status RemoveClosedSet(HloComputation* computation,
                             std::vector<HloInstruction*> instructions) {
  for (HloInstruction* instruction : instructions) {
    XLA_RETURN_IF_ERROR(instruction->RemoveAllControlDependencies());
  }
  std::vector<HloInstruction*> pending;
  const absl::flat_hash_set<const HloInstruction*> members(instructions.begin(),
                                                           instructions.end());
  for (HloInstruction* instruction : instructions) {
    if (instruction->user_count() == 0) pending.push_back(instruction);
  }
  while (!pending.empty()) {
    HloInstruction* instruction = pending.back();
    pending.pop_back();
    const HloInstruction::InstructionVector operands = instruction->operands();
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(instruction));
    for (HloInstruction* operand : operands) {
      if (!operand->IsDead() && members.contains(operand) && operand->user_count() == 0 &&
          std::find(pending.begin(), pending.end(), operand) == pending.end()) {
        pending.push_back(operand);
      }
    }
  }
  return absl::OkStatus();
}

HloComputation* OwnCallee(HloInstruction* loop, int64_t slot) {
  HloComputation* callee = loop->called_computations()[slot];
  if (callee->caller_count() > 1 || loop->while_body() == loop->while_condition()) {
    CloneMap map;
    callee = CloneComputation(*callee, loop->GetModule(), &map);
    loop->set_called_computation(slot, callee);
  }
  return callee;
}

}  // namespace

absl::Status RemoveParameters(HloComputation* computation, absl::Span<const int64_t> numbers) {
  XLA_RETURN_IF_ERROR(CheckNumbers(numbers, computation->num_parameters(), "parameters"));
  XLA_RETURN_IF_ERROR(CheckChangeable(*computation));
  for (const int64_t number : numbers) {
    const HloInstruction& parameter = *computation->parameter_instruction(number);
    if (parameter.user_count() > 0 || parameter.IsRoot()) {
      return InvalidArgument("%s is used", parameter.ToShortString());
    }
  }
  const std::vector<HloInstruction*> callers = computation->callers();
  for (HloInstruction* caller : callers) {
    std::vector<OutputOperandAlias>* aliases = Aliases(caller);
    if (aliases == nullptr) continue;
    for (const OutputOperandAlias& alias : *aliases) {
      if (IsRemoved(numbers, alias.operand)) {
        return InvalidArgument("operand %d of %s is aliased with an output", alias.operand,
                               caller->ToShortString());
      }
    }
  }
  for (HloInstruction* caller : callers) {
    if (std::vector<OutputOperandAlias>* aliases = Aliases(caller)) {
      for (OutputOperandAlias& alias : *aliases) alias.operand = NewNumber(numbers, alias.operand);
    }
    for (auto it = numbers.rbegin(); it != numbers.rend(); ++it) caller->RemoveOperand(*it);
  }
  for (auto it = numbers.rbegin(); it != numbers.rend(); ++it) {
    XLA_RETURN_IF_ERROR(computation->parameter_instruction(*it)->RemoveAllControlDependencies());
    XLA_RETURN_IF_ERROR(computation->RemoveParameter(*it));
  }
  return absl::OkStatus();
}

absl::Status RemoveResults(HloComputation* computation, absl::Span<const int64_t> elements) {
  const HloInstruction* root = computation->root_instruction();
  if (root->opcode() != HloOpcode::kTuple) {
    return InvalidArgument("the root of %s is not a tuple instruction: %s", computation->name(),
                           root->ToShortString());
  }
  XLA_RETURN_IF_ERROR(CheckNumbers(elements, root->operand_count(), "elements"));
  XLA_RETURN_IF_ERROR(CheckChangeable(*computation));
  const std::vector<HloInstruction*> callers = computation->callers();
  std::vector<HloInstruction*> users;
  for (HloInstruction* caller : callers) {
    XLA_RETURN_IF_ERROR(CollectElements(caller, &users));
    std::vector<OutputOperandAlias>* aliases = Aliases(caller);
    if (aliases == nullptr) continue;
    for (const OutputOperandAlias& alias : *aliases) {
      if (!alias.output_index.empty() && IsRemoved(elements, alias.output_index[0])) {
        return InvalidArgument("element %d of %s is aliased with an operand", alias.output_index[0],
                               caller->ToShortString());
      }
    }
  }
  XLA_RETURN_IF_ERROR(CheckNotRemoved(users, elements));
  XLA_RETURN_IF_ERROR(NarrowRoot(computation, elements));
  for (HloInstruction* caller : callers) {
    RemoveElementsOf(caller, elements);
    if (std::vector<OutputOperandAlias>* aliases = Aliases(caller)) {
      for (OutputOperandAlias& alias : *aliases) {
        if (!alias.output_index.empty()) {
          alias.output_index[0] = NewNumber(elements, alias.output_index[0]);
        }
      }
    }
  }
  Renumber(users, elements);
  return absl::OkStatus();
}

absl::Status RemoveLoopState(HloInstruction* loop, absl::Span<const int64_t> elements) {
  if (loop->opcode() != HloOpcode::kWhile || !loop->shape().IsTuple()) {
    return InvalidArgument("%s is not a loop over a tuple", loop->ToShortString());
  }
  XLA_RETURN_IF_ERROR(CheckNumbers(elements, loop->shape().tuple_shapes_size(), "elements"));
  // Everything is checked before anything changes.
  std::vector<HloInstruction*> users;
  XLA_RETURN_IF_ERROR(CollectElements(loop, &users));
  XLA_RETURN_IF_ERROR(CheckNotRemoved(users, elements));
  if (loop->while_body()->root_instruction()->opcode() != HloOpcode::kTuple) {
    return InvalidArgument("the body of %s does not end in a tuple instruction",
                           loop->ToShortString());
  }
  auto check = [&](HloComputation* computation, bool is_body) -> absl::Status {
    XLA_ASSIGN_OR_RETURN(const StateUses uses, CollectStateUses(computation));
    return DependentsOfRemoved(uses, elements, is_body ? computation->root_instruction() : nullptr)
        .status();
  };
  XLA_RETURN_IF_ERROR(check(loop->while_body(), true));
  XLA_RETURN_IF_ERROR(check(loop->while_condition(), false));

  for (const int64_t slot : {0, 1}) {
    HloComputation* computation = OwnCallee(loop, slot);
    XLA_ASSIGN_OR_RETURN(StateUses uses, CollectStateUses(computation));
    const HloInstruction* root = slot == 0 ? computation->root_instruction() : nullptr;
    XLA_ASSIGN_OR_RETURN(std::vector<HloInstruction*> dead,
                         DependentsOfRemoved(uses, elements, root));
    if (slot == 0) XLA_RETURN_IF_ERROR(NarrowRoot(computation, elements));
    XLA_RETURN_IF_ERROR(RemoveClosedSet(computation, std::move(dead)));
    HloInstruction* parameter = computation->parameter_instruction(0);
    Renumber(absl::MakeConstSpan(parameter->users()), elements);
    RemoveElementsOf(parameter, elements);
  }

  HloInstruction* init = loop->operand(0);
  HloComputation* computation = loop->parent();
  std::vector<HloInstruction*> kept;
  for (int i = 0; i < init->shape().tuple_shapes_size(); ++i) {
    if (IsRemoved(elements, i)) continue;
    kept.push_back(init->opcode() == HloOpcode::kTuple
                       ? init->operand(i)
                       : computation->InsertBefore(
                             loop, HloInstruction::Create(HloOpcode::kGetTupleElement,
                                                          init->shape().tuple_shapes(i), {init},
                                                          TupleIndexAttributes{.index = i})));
  }
  HloInstruction* narrow = computation->InsertBefore(
      loop,
      HloInstruction::Create(HloOpcode::kTuple, WithoutElements(init->shape(), elements), kept));
  XLA_RETURN_IF_ERROR(loop->ReplaceOperandWithDifferentShape(0, narrow));
  RemoveElementsOf(loop, elements);
  Renumber(users, elements);
  if (init->opcode() == HloOpcode::kTuple && init->user_count() == 0 && !init->IsRoot() &&
      !init->HasControlDependencies()) {
    return computation->RemoveInstructionAndUnusedOperands(init);
  }
  return absl::OkStatus();
}

}  // namespace xla
