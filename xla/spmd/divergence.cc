// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/divergence.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace xla::spmd {
namespace {

using InstructionSet = absl::flat_hash_set<const HloInstruction*>;

// Follows values to their users, elements of tuples one by one.
class DivergenceSearch {
 public:
  explicit DivergenceSearch(const InstructionSet& same) : same_(same) {}

  void Add(const HloInstruction* value) {
    if (!same_.contains(value) && divergent_.insert(value).second) values_.push_back(value);
  }

  InstructionSet Run() && {
    while (!values_.empty() || !elements_.empty()) {
      if (!values_.empty()) {
        const HloInstruction* value = values_.back();
        values_.pop_back();
        Follow(value);
      } else {
        const auto [tuple, i] = elements_.back();
        elements_.pop_back();
        FollowElement(tuple, i);
      }
    }
    return std::move(divergent_);
  }

 private:
  void AddElement(const HloInstruction* tuple, int64_t i) {
    if (seen_elements_.emplace(tuple, i).second) elements_.emplace_back(tuple, i);
  }

  void Follow(const HloInstruction* value) {
    for (const HloInstruction* user : value->users()) {
      if (user->opcode() == HloOpcode::kTuple) {
        for (int64_t i = 0; i < user->operand_count(); ++i) {
          if (user->operand(i) == value) AddElement(user, i);
        }
        continue;
      }
      Add(user);
      for (const HloComputation* callee : CalleesThatGet(*user, value)) {
        Add(callee->parameter_instruction(0));
      }
    }
    if (!value->IsRoot()) return;
    for (const HloInstruction* caller : CallersWithState(*value)) {
      Add(caller);
      if (caller->opcode() != HloOpcode::kWhile) continue;
      Add(caller->while_body()->parameter_instruction(0));
      Add(caller->while_condition()->parameter_instruction(0));
    }
  }

  void FollowElement(const HloInstruction* tuple, int64_t i) {
    for (const HloInstruction* user : tuple->users()) {
      if (user->opcode() == HloOpcode::kGetTupleElement) {
        if (user->tuple_index() == i) Add(user);
        continue;
      }
      const std::vector<const HloComputation*> callees = CalleesThatGet(*user, tuple);
      for (const HloComputation* callee : callees) AddElement(callee->parameter_instruction(0), i);
      if (user->opcode() == HloOpcode::kWhile) {
        AddElement(user, i);
      } else if (callees.empty()) {
        Add(user);
      }
    }
    if (!tuple->IsRoot()) return;
    for (const HloInstruction* caller : CallersWithState(*tuple)) {
      AddElement(caller, i);
      if (caller->opcode() != HloOpcode::kWhile) continue;
      AddElement(caller->while_body()->parameter_instruction(0), i);
      AddElement(caller->while_condition()->parameter_instruction(0), i);
    }
  }

  // The computations of a loop or conditional that get the value as their parameter.
  static std::vector<const HloComputation*> CalleesThatGet(const HloInstruction& caller,
                                                           const HloInstruction* value) {
    std::vector<const HloComputation*> callees;
    if (caller.opcode() == HloOpcode::kWhile) {
      callees = {caller.while_body(), caller.while_condition()};
    } else if (caller.opcode() == HloOpcode::kConditional) {
      for (int64_t b = 0; b + 1 < caller.operand_count(); ++b) {
        if (caller.operand(b + 1) == value) callees.push_back(caller.branch_computation(b));
      }
    }
    return callees;
  }

  // The loops and conditionals that give the root of a computation, or depend on it.
  static std::vector<const HloInstruction*> CallersWithState(const HloInstruction& root) {
    std::vector<const HloInstruction*> callers;
    for (const HloInstruction* caller : root.parent()->callers()) {
      if (caller->opcode() == HloOpcode::kWhile || caller->opcode() == HloOpcode::kConditional) {
        callers.push_back(caller);
      }
    }
    return callers;
  }

  const InstructionSet& same_;
  InstructionSet divergent_;
  std::vector<const HloInstruction*> values_;
  absl::flat_hash_set<std::pair<const HloInstruction*, int64_t>> seen_elements_;
  std::vector<std::pair<const HloInstruction*, int64_t>> elements_;
};

}  // namespace

InstructionSet DivergentValues(const HloModule& module, absl::Span<HloInstruction* const> sources,
                               const InstructionSet& same) {
  DivergenceSearch search(same);
  for (const HloInstruction* source : sources) search.Add(source);
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kPartitionId ||
          instruction->opcode() == HloOpcode::kReplicaId) {
        search.Add(instruction);
      }
    }
  }
  return std::move(search).Run();
}

}  // namespace xla::spmd
