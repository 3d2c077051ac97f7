// SPDX-License-Identifier: Apache-2.0
// Groups fusions by a hash of what they compute, without the constants in question. Collisions of
// hashes are harmless: kernels are compared again when they are planned.
#include "xla/cpu/plan/constant_operands.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Fewer kernels than this are compiled in less time than loads from memory would save.
constexpr size_t kLeastFusions = 4;

bool IsElementwiseUser(const HloInstruction& user) {
  return user.IsElementwise() && user.opcode() != HloOpcode::kPower;
}

// Whether the code of the fusion is the same for any value of the constant.
bool IsReplaceable(const HloInstruction& instruction) {
  return instruction.IsConstant() && !instruction.IsRoot() && instruction.shape().IsArray() &&
         instruction.shape().rank() == 0 &&
         primitive_util::IsFloatingPointType(instruction.shape().element_type()) &&
         absl::c_all_of(instruction.users(), [](const HloInstruction* user) {
           return user->opcode() == HloOpcode::kBroadcast
                      ? absl::c_all_of(
                            user->users(),
                            [](const HloInstruction* next) { return IsElementwiseUser(*next); })
                      : IsElementwiseUser(*user);
         });
}

struct Candidate {
  HloInstruction* fusion;
  std::vector<HloInstruction*> constants;  // in post order
};

// Returns a fusion's constants, and a hash of everything else.
std::pair<size_t, Candidate> Describe(HloInstruction* fusion) {
  Candidate candidate = {fusion, {}};
  absl::flat_hash_map<const HloInstruction*, size_t> numbers;
  size_t hash = 0;
  for (HloInstruction* instruction : fusion->to_apply()->MakeInstructionPostOrder()) {
    const bool is_free = IsReplaceable(*instruction);
    if (is_free) candidate.constants.push_back(instruction);
    hash = absl::HashOf(hash, is_free ? static_cast<size_t>(instruction->shape().element_type())
                                      : instruction->Hash());
    for (const HloInstruction* operand : instruction->operands())
      hash = absl::HashOf(hash, numbers.at(operand));
    for (const HloComputation* callee : instruction->called_computations())
      hash = absl::HashOf(hash, callee->Hash());
    numbers.emplace(instruction, numbers.size());
  }
  return {hash, std::move(candidate)};
}

absl::Status MakeOperand(HloInstruction* fusion, HloInstruction* constant) {
  HloInstruction* const outer =
      fusion->parent()->AddInstruction(HloInstruction::CreateConstant(constant->literal().Clone()));
  HloComputation* const computation = fusion->to_apply();
  const int64_t number = fusion->operand_count();
  HloInstruction* const parameter = computation->AddInstruction(HloInstruction::CreateParameter(
      number, constant->shape(), absl::StrCat("constant_operand_", number)));
  fusion->AppendOperand(outer);
  XLA_RETURN_IF_ERROR(constant->ReplaceAllUsesWith(parameter));
  return computation->RemoveInstruction(constant);
}

}  // namespace

absl::StatusOr<bool> MakeConstantsOperands(HloModule* module) {
  std::vector<std::vector<Candidate>> groups;
  absl::flat_hash_map<size_t, size_t> group_of;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kFusion) continue;
      auto [hash, candidate] = Describe(instruction);
      if (candidate.constants.empty()) continue;
      const auto [it, is_new] = group_of.emplace(hash, groups.size());
      if (is_new) groups.emplace_back();
      groups[it->second].push_back(std::move(candidate));
    }
  }
  bool changed = false;
  for (const std::vector<Candidate>& group : groups) {
    if (group.size() < kLeastFusions) continue;
    const std::vector<HloInstruction*>& first = group[0].constants;
    if (absl::c_any_of(group, [&](const Candidate& candidate) {
          return candidate.constants.size() != first.size();
        })) {
      continue;  // equal hashes by chance
    }
    std::vector<size_t> differing;
    for (size_t i = 0; i < first.size(); ++i) {
      const bool differs = absl::c_any_of(group, [&](const Candidate& candidate) {
        return candidate.constants[i]->literal() != first[i]->literal();
      });
      if (differs) differing.push_back(i);
    }
    for (const Candidate& candidate : group) {
      for (const size_t i : differing)
        XLA_RETURN_IF_ERROR(MakeOperand(candidate.fusion, candidate.constants[i]));
    }
    changed = changed || !differing.empty();
  }
  return changed;
}

}  // namespace xla::cpu
