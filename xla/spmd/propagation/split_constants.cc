// SPDX-License-Identifier: Apache-2.0
// Copies of constants, and back.
#include "xla/spmd/propagation/split_constants.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/spmd/propagation/program_order.h"

namespace xla::propagation {
namespace {

using Copies = std::vector<std::pair<HloInstruction*, HloInstruction*>>;

bool IsScalar(const HloInstruction& instruction) {
  return instruction.shape().IsArray() && instruction.shape().rank() == 0;
}

// Calls of functions that only do so are constants, too. Calls are not recursive.
bool PreservesConstants(const HloInstruction& instruction) {
  if (instruction.operand_count() == 0 || instruction.HasSideEffect()) return false;
  switch (instruction.opcode()) {
    case HloOpcode::kCall: {
      const auto inside = instruction.to_apply()->instructions();
      return instruction.shape().IsArray() &&
             std::all_of(inside.begin(), inside.end(), [](const HloInstruction* inner) {
               return inner->opcode() == HloOpcode::kParameter ||
                      inner->opcode() == HloOpcode::kConstant ||
                      inner->opcode() == HloOpcode::kIota || PreservesConstants(*inner);
             });
    }
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kSlice:
      return true;
    default:
      return instruction.IsElementwise();
  }
}

class Splitter {
 public:
  Splitter(HloComputation* computation, Copies* copies)
      : computation_(*computation), copies_(*copies) {}

  absl::Status Run() {
    for (HloInstruction* instruction : InstructionsInOrder(computation_)) {
      if (IsConstant(*instruction)) {
        constants_.insert(instruction);
        continue;
      }
      if (instruction->opcode() == HloOpcode::kBroadcast && IsScalar(*instruction->operand(0))) {
        expansions_.insert(instruction);
        continue;
      }
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        HloInstruction* operand = instruction->mutable_operand(i);
        if (!constants_.contains(operand) && !expansions_.contains(operand)) continue;
        XLA_ASSIGN_OR_RETURN(HloInstruction * own, OwnTree(operand));
        if (own != operand) XLA_RETURN_IF_ERROR(instruction->ReplaceOperandWith(i, own));
      }
    }
    // What the computation returns is read, too.
    HloInstruction* const root = computation_.root_instruction();
    if (!constants_.contains(root) && !expansions_.contains(root)) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(HloInstruction * own, OwnTree(root));
    if (own != root) computation_.set_root_instruction(own);
    return absl::OkStatus();
  }

 private:
  bool IsConstant(const HloInstruction& instruction) const {
    if (instruction.opcode() == HloOpcode::kConstant || instruction.opcode() == HloOpcode::kIota) {
      return true;
    }
    const auto& operands = instruction.operands();
    return PreservesConstants(instruction) &&
           std::all_of(operands.begin(), operands.end(),
                       [&](const HloInstruction* operand) { return constants_.contains(operand); });
  }

  // The value computed by instructions that no other reader has: copies of those that are taken. No
  // recursion, since constants may be computed in long chains.
  absl::StatusOr<HloInstruction*> OwnTree(HloInstruction* value) {
    absl::flat_hash_map<HloInstruction*, HloInstruction*> own;
    std::vector<std::pair<HloInstruction*, int64_t>> stack = {{value, 0}};
    while (!stack.empty()) {
      auto& [instruction, next] = stack.back();
      if (next < instruction->operand_count()) {
        HloInstruction* operand = instruction->mutable_operand(next++);
        if (!IsShared(operand) && !own.contains(operand)) stack.emplace_back(operand, 0);
        continue;
      }
      HloInstruction* const done = instruction;
      stack.pop_back();
      if (IsShared(done) || own.contains(done)) {
        if (IsShared(done)) own[done] = done;
        continue;
      }
      std::vector<HloInstruction*> operands;
      for (HloInstruction* operand : done->operands()) {
        operands.push_back(IsShared(operand) ? operand : own.at(operand));
      }
      if (taken_.insert(done).second) {
        for (size_t i = 0; i < operands.size(); ++i) {
          XLA_RETURN_IF_ERROR(done->ReplaceOperandWith(static_cast<int64_t>(i), operands[i]));
        }
        own[done] = done;
        continue;
      }
      HloInstruction* copy =
          computation_.InsertBefore(done, done->CloneWithNewOperands(done->shape(), operands));
      if (copy->opcode() == HloOpcode::kCall) {
        // Each computation keeps one caller.
        CloneMap map;
        CloneOptions options;
        options.clone_callees = true;
        copy->set_called_computation(
            0, CloneComputation(*done->to_apply(), computation_.parent(), &map, options));
      }
      copies_.emplace_back(copy, done);
      taken_.insert(copy);
      own[done] = copy;
    }
    return own.at(value);
  }
  static bool IsShared(const HloInstruction* instruction) { return IsScalar(*instruction); }

  HloComputation& computation_;
  Copies& copies_;
  absl::flat_hash_set<const HloInstruction*> constants_, expansions_, taken_;
};

bool HaveSameSharding(const HloInstruction& a, const HloInstruction& b) {
  if (a.has_sharding() != b.has_sharding()) return false;
  return !a.has_sharding() || a.sharding() == b.sharding();
}

}  // namespace

absl::StatusOr<Copies> SplitConstants(HloModule* module) {
  Copies copies;
  // A snapshot: computations that are added are copies.
  std::vector<HloComputation*> computations;
  for (HloComputation* computation : module->computations()) computations.push_back(computation);
  for (HloComputation* computation : computations) {
    XLA_RETURN_IF_ERROR(Splitter(computation, &copies).Run());
  }
  return copies;
}

absl::Status MergeConstants(const Copies& copies) {
  for (const auto& [copy, original] : copies) {
    if (copy->opcode() == HloOpcode::kCall || original->IsDead() ||
        !HaveSameSharding(*copy, *original) || copy->operands() != original->operands()) {
      continue;
    }
    XLA_RETURN_IF_ERROR(copy->parent()->ReplaceInstruction(copy, original));
  }
  return absl::OkStatus();
}

}  // namespace xla::propagation
