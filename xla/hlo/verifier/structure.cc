// SPDX-License-Identifier: Apache-2.0
// Checks the graph: every link is valid and consistent, and the graph is acyclic.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

using IndexMap = absl::flat_hash_map<const HloInstruction*, uint32_t>;

absl::Status CheckParents(const HloModule& module, const HloComputation& computation) {
  if (computation.parent() != &module) {
    return InvalidArgument("Computation %s: parent() does not point to parent module %s",
                           computation.name(), module.name());
  }
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->parent() != &computation) {
      return InvalidArgument("Instruction %s: parent() does not point to parent computation %s",
                             instruction->name(), computation.name());
    }
  }
  return absl::OkStatus();
}

// Returns an error that names the first edge (operand, user) recorded on one side only.
absl::Status FindBadUse(const std::vector<HloInstruction*>& instructions) {
  absl::flat_hash_set<std::pair<const HloInstruction*, const HloInstruction*>> uses;
  for (const HloInstruction* user : instructions) {
    for (const HloInstruction* operand : user->operands()) uses.emplace(operand, user);
  }
  for (const HloInstruction* operand : instructions) {
    for (const HloInstruction* user : operand->users()) {
      if (uses.erase({operand, user}) == 0) {
        return InvalidArgument("Instruction %s lists a user that does not use it, or one twice",
                               operand->name());
      }
    }
  }
  for (const HloInstruction* user : instructions) {
    for (const HloInstruction* operand : user->operands()) {
      if (!uses.contains({operand, user})) continue;
      return InvalidArgument("Instruction %s is not listed as a user of its operand %s",
                             user->name(), operand->name());
    }
  }
  return InvalidArgument("Instructions of a computation do not list their users");
}

// Checks that operands are in the same computation and list each user once. The two sets of edges
// are compared by the sum of their hashes: equal sets have equal sums; different sets almost never
// do.
absl::Status CheckOperandsAndUsers(const HloComputation& computation,
                                   const std::vector<HloInstruction*>& instructions) {
  const absl::Hash<std::pair<const HloInstruction*, const HloInstruction*>> hash;
  uint64_t by_operands = 0, by_users = 0;
  std::vector<const HloInstruction*> distinct;
  for (const HloInstruction* instruction : instructions) {
    distinct.assign(instruction->operands().begin(), instruction->operands().end());
    for (size_t i = 0; i < distinct.size(); ++i) {
      if (distinct[i] == nullptr || distinct[i]->parent() != &computation) {
        const HloInstruction* operand = distinct[i];
        const HloComputation* parent = operand == nullptr ? nullptr : operand->parent();
        return InvalidArgument(
            "Operand %d (%s) of instruction %s is in a different computation: %s vs %s", i,
            operand == nullptr ? "(null)" : operand->name(), instruction->name(),
            parent == nullptr ? "(null)" : parent->name(), computation.name());
      }
    }
    if (distinct.size() > 1) {
      std::sort(distinct.begin(), distinct.end(), std::less<>());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    }
    for (const HloInstruction* operand : distinct) by_operands += hash({operand, instruction});
    for (const HloInstruction* user : instruction->users()) by_users += hash({instruction, user});
  }
  return by_operands == by_users ? absl::OkStatus() : FindBadUse(instructions);
}

bool HasControlDependencies(const std::vector<HloInstruction*>& instructions) {
  return std::any_of(instructions.begin(), instructions.end(),
                     [](const HloInstruction* instruction) {
                       return instruction->has_extras() && (instruction->HasControlDependencies());
                     });
}

// Checks that predecessors and successors list each other and are in the computation.
absl::Status CheckControlDependencies(const std::vector<HloInstruction*>& instructions,
                                      const IndexMap& index) {
  absl::flat_hash_set<uint64_t> edges;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i]->has_extras()) continue;
    for (const HloInstruction* successor : instructions[i]->control_successors()) {
      const auto found = index.find(successor);
      if (found == index.end() || found->second == i) {
        return InvalidArgument("Control successor of %s is itself or not in its computation",
                               instructions[i]->name());
      }
      edges.insert(uint64_t{i} << 32 | found->second);
    }
  }
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i]->has_extras()) continue;
    for (const HloInstruction* predecessor : instructions[i]->control_predecessors()) {
      const auto found = index.find(predecessor);
      if (found == index.end() || edges.erase(uint64_t{found->second} << 32 | i) == 0) {
        return InvalidArgument(
            "Control predecessor of %s is not in its computation, is duplicated, or does not list "
            "it as "
            "successor",
            instructions[i]->name());
      }
    }
  }
  if (edges.empty()) return absl::OkStatus();
  return InvalidArgument("Control successor %s does not list %s as predecessor",
                         instructions[*edges.begin() & 0xffffffffu]->name(),
                         instructions[*edges.begin() >> 32]->name());
}

// Checks that the parameter numbers are 0..n-1 without duplicates.
absl::Status CheckParameters(const HloComputation& computation,
                             const std::vector<HloInstruction*>& instructions) {
  int64_t count = 0;
  for (const HloInstruction* instruction : instructions) {
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    ++count;
    const int64_t number = instruction->parameter_number();
    if (number < 0) {
      return InvalidArgument("Computation %s: parameter %s has negative number %d",
                             computation.name(), instruction->name(), number);
    }
    if (number < computation.num_parameters() &&
        computation.parameter_instruction(number) != nullptr &&
        computation.parameter_instruction(number) != instruction) {
      return InvalidArgument("Computation %s: duplicate parameter number %d", computation.name(),
                             number);
    }
  }
  for (int64_t i = 0; i < computation.num_parameters(); ++i) {
    const HloInstruction* parameter = computation.parameter_instruction(i);
    if (parameter == nullptr || parameter->parameter_number() != i) {
      return InvalidArgument(
          "Computation %s: did not see parameter number %d; numbers must be 0..n-1",
          computation.name(), i);
    }
  }
  if (count != computation.num_parameters()) {
    return InvalidArgument("Computation %s: %d parameter instructions, but %d parameter numbers",
                           computation.name(), count, computation.num_parameters());
  }
  return absl::OkStatus();
}

absl::Status CheckCallees(const HloModule& module,
                          const absl::flat_hash_set<const HloComputation*>& computations,
                          const std::vector<HloInstruction*>& instructions) {
  for (const HloInstruction* instruction : instructions) {
    for (const HloComputation* callee : instruction->called_computations()) {
      if (callee == nullptr || !computations.contains(callee)) {
        return InvalidArgument("Instruction %s calls a computation that is not in module %s",
                               instruction->name(), module.name());
      }
    }
  }
  return absl::OkStatus();
}

// In a scheduled module, the order of instructions is the execution order.
absl::Status CheckSchedule(const HloComputation& computation,
                           const std::vector<HloInstruction*>& instructions,
                           const IndexMap& index) {
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const auto check = [&](const HloInstruction* before) -> absl::Status {
      if (index.at(before) < i) return absl::OkStatus();
      return InvalidArgument("The schedule of %s is not valid: %s runs before %s, which it needs",
                             computation.name(), instructions[i]->name(), before->name());
    };
    for (const HloInstruction* operand : instructions[i]->operands())
      XLA_RETURN_IF_ERROR(check(operand));
    if (!instructions[i]->has_extras()) continue;
    for (const HloInstruction* before : instructions[i]->control_predecessors()) {
      XLA_RETURN_IF_ERROR(check(before));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckUniqueNames(const std::vector<HloComputation*>& computations) {
  absl::flat_hash_set<absl::string_view> computation_names, instruction_names;
  int64_t instruction_count = 0;
  for (const HloComputation* computation : computations)
    instruction_count += computation->instruction_count();
  instruction_names.reserve(instruction_count);
  for (const HloComputation* computation : computations) {
    if (!computation_names.insert(computation->name()).second) {
      return InvalidArgument("Two computations of the module are named %s", computation->name());
    }
    for (const HloInstruction* instruction : computation->instructions()) {
      if (!instruction_names.insert(instruction->name()).second) {
        return InvalidArgument(
            "HLO has name that is not unique within module: %s, in computation %s",
            instruction->name(), computation->name());
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckLinks(const HloInstruction& instruction) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i) == nullptr) {
      return InvalidArgument("Operand %d (out of %d) of instruction: %s is a null pointer", i,
                             instruction.operand_count(), instruction.name());
    }
  }
  for (const HloComputation* callee : instruction.called_computations()) {
    if (callee == nullptr || callee->root_instruction() == nullptr) {
      return InvalidArgument("Instruction %s calls a computation that is null or has no root",
                             instruction.name());
    }
    for (const HloInstruction* parameter : callee->parameter_instructions()) {
      if (parameter == nullptr) {
        return InvalidArgument("Computation %s: parameter numbers must be 0..n-1", callee->name());
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStructure(const HloModule& module) {
  const std::vector<HloComputation*> computations = module.computations();
  const absl::flat_hash_set<const HloComputation*> members(computations.begin(),
                                                           computations.end());
  if (module.entry_computation() == nullptr || !members.contains(module.entry_computation())) {
    return InvalidArgument("Module %s has no entry computation", module.name());
  }
  if (module.entry_computation()->IsFusionComputation()) {
    return InvalidArgument("Module entry computation %s cannot be a fusion computation",
                           module.entry_computation()->name());
  }
  for (const HloComputation* computation : computations) {
    XLA_RETURN_IF_ERROR(CheckParents(module, *computation));
  }
  XLA_RETURN_IF_ERROR(CheckUniqueNames(computations));
  for (const HloComputation* computation : computations) {
    const std::vector<HloInstruction*> instructions = computation->instructions();
    if (computation->root_instruction() == nullptr ||
        computation->root_instruction()->parent() != computation) {
      return InvalidArgument("The root of computation %s is not one of its instructions",
                             computation->name());
    }
    XLA_RETURN_IF_ERROR(CheckOperandsAndUsers(*computation, instructions));
    XLA_RETURN_IF_ERROR(CheckParameters(*computation, instructions));
    XLA_RETURN_IF_ERROR(CheckCallees(module, members, instructions));
    const bool scheduled = module.config().is_scheduled;
    if (scheduled || HasControlDependencies(instructions)) {
      IndexMap index;
      index.reserve(instructions.size());
      for (uint32_t i = 0; i < instructions.size(); ++i) index.emplace(instructions[i], i);
      XLA_RETURN_IF_ERROR(CheckControlDependencies(instructions, index));
      if (scheduled) XLA_RETURN_IF_ERROR(CheckSchedule(*computation, instructions, index));
    }
    XLA_RETURN_IF_ERROR(computation->PostOrder().status());
  }
  return module.ComputationPostOrder().status();
}

}  // namespace xla::verifier
