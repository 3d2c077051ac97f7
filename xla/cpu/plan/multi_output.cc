// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/multi_output.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/plan/epilogue.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Larger fusions would need more registers, and access more arrays at once than processors can
// prefetch.
constexpr int64_t kMostMerged = 96;
constexpr size_t kMostResults = 4, kMostArrays = 12;

int64_t BytesOf(const Shape& shape) {
  return CountOf(shape) * primitive_util::ByteWidth(shape.element_type());
}

// Whether each element of the fusion's result depends only on elements of large operands at the
// same index, so that kernels of the same dimensions can share a loop.
bool IsCandidate(const HloInstruction& fusion, int64_t least_bytes) {
  if (fusion.opcode() != HloOpcode::kFusion || !fusion.shape().IsArray() ||
      BytesOf(fusion.shape()) < least_bytes || FusedContraction(fusion) != nullptr ||
      fusion.HasControlDependencies()) {
    return false;
  }
  const HloComputation& body = *fusion.to_apply();
  if (body.instruction_count() > kMostMerged) return false;
  for (const HloInstruction* instruction : body.instructions()) {
    if (!instruction->shape().IsArray() || instruction->shape().is_dynamic()) return false;
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kIota:
      case HloOpcode::kBroadcast:
        break;
      default:
        if (!IsElementwise(*instruction)) return false;
    }
  }
  return true;
}

// Whether only these fusions read the instruction.
bool IsReadInside(const HloInstruction& instruction,
                  absl::Span<const HloInstruction* const> members) {
  const auto& users = instruction.users();
  return !instruction.IsRoot() && !users.empty() &&
         std::all_of(users.begin(), users.end(), [&](const HloInstruction* user) {
           return std::find(members.begin(), members.end(), user) != members.end();
         });
}

// Fusions to merge into one.
struct Group {
  std::vector<HloInstruction*> members;  // in an order in which they can be computed
  int64_t position = 0;                  // in the order of the computation
  int64_t instructions = 0;
};

class Merger {
 public:
  Merger(HloComputation* computation, int64_t least_bytes)
      : computation_(computation), least_bytes_(least_bytes) {}

  absl::StatusOr<bool> Merge() {
    FindGroups();
    bool changed = false;
    for (const std::unique_ptr<Group>& group : groups_) {
      if (group->members.size() < 2) continue;
      XLA_RETURN_IF_ERROR(MakeFusion(*group));
      changed = true;
    }
    return changed;
  }

 private:
  // Visits the fusions in order, and adds each to a group with which it shares arrays. Positions
  // remain a valid order all the time, which shows that there is no cycle: a group keeps its
  // position while everything that a new member needs comes before it.
  void FindGroups() {
    int64_t next = 0;
    for (HloInstruction* instruction : computation_->MakeInstructionPostOrder()) {
      int64_t position = ++next;
      const bool is_leaf = instruction->opcode() == HloOpcode::kParameter ||
                           instruction->opcode() == HloOpcode::kConstant;
      if (is_leaf) position = 0;
      if (instruction->opcode() == HloOpcode::kGetTupleElement)
        position = positions_[instruction->operand(0)];
      positions_[instruction] = position;
      if (!IsCandidate(*instruction, least_bytes_)) continue;
      Group* const group = GroupFor(*instruction);
      if (group == nullptr) {
        groups_.push_back(std::make_unique<Group>(
            Group{{instruction}, position, instruction->to_apply()->instruction_count()}));
        group_of_[instruction] = groups_.back().get();
      } else {
        group->members.push_back(instruction);
        group->instructions += instruction->to_apply()->instruction_count();
        group_of_[instruction] = group;
        positions_[instruction] = group->position;
      }
      for (const HloInstruction* operand : instruction->operands()) {
        if (IsShared(*instruction, *operand)) readers_[operand] = group_of_[instruction];
      }
    }
  }

  // Whether the fusion reads the whole array at the indices of its own elements.
  bool IsShared(const HloInstruction& fusion, const HloInstruction& operand) const {
    return operand.shape().IsArray() &&
           operand.shape().dimensions() == fusion.shape().dimensions() &&
           BytesOf(operand.shape()) >= least_bytes_;
  }

  // Returns the last group that reads or computes an operand, if the fusion can join it.
  Group* GroupFor(const HloInstruction& fusion) {
    for (const HloInstruction* operand : fusion.operands()) {
      if (!IsShared(fusion, *operand)) continue;
      for (const auto* map : {&group_of_, &readers_}) {
        const auto found = map->find(operand);
        if (found != map->end() && CanJoin(fusion, *found->second)) return found->second;
      }
    }
    return nullptr;
  }

  bool CanJoin(const HloInstruction& fusion, const Group& group) {
    if (fusion.shape().dimensions() != group.members[0]->shape().dimensions() ||
        group.instructions + fusion.to_apply()->instruction_count() > kMostMerged) {
      return false;
    }
    for (const HloInstruction* operand : fusion.operands()) {
      const auto found = group_of_.find(operand);
      const bool is_inside = found != group_of_.end() && found->second == &group;
      if (is_inside ? operand->shape().dimensions() != fusion.shape().dimensions()
                    : positions_[operand] >= group.position) {
        return false;
      }
    }
    // Arrays that the members and the fusion read or write.
    absl::flat_hash_set<const HloInstruction*> arrays;
    std::vector<const HloInstruction*> all(group.members.begin(), group.members.end());
    all.push_back(&fusion);
    size_t results = 0;
    for (const HloInstruction* member : all) {
      if (!IsReadInside(*member, all)) {
        ++results;
        arrays.insert(member);
      }
      for (const HloInstruction* operand : member->operands()) {
        if (std::find(all.begin(), all.end(), operand) == all.end()) arrays.insert(operand);
      }
    }
    return results <= kMostResults && arrays.size() <= kMostArrays;
  }

  absl::Status MakeFusion(const Group& group) {
    const std::vector<HloInstruction*>& members = group.members;
    HloComputation* const body =
        computation_->parent()->AddComputation(absl::StrCat("fused_results_", members[0]->name()));
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> values;  // by instruction outside
    std::vector<HloInstruction*> operands, results, roots;
    std::vector<Shape> shapes;
    for (HloInstruction* member : members) {
      CloneMap map;
      for (HloInstruction* inner : member->to_apply()->MakeInstructionPostOrder()) {
        if (inner->opcode() == HloOpcode::kParameter) {
          HloInstruction* const operand = member->mutable_operand(inner->parameter_number());
          HloInstruction*& value = values[operand];
          if (value == nullptr) {
            const auto number = static_cast<int64_t>(operands.size());
            value = body->AddInstruction(HloInstruction::CreateParameter(
                number, operand->shape(), absl::StrCat("p", number)));
            operands.push_back(operand);
          }
          map.instructions[inner] = value;
          continue;
        }
        std::vector<HloInstruction*> new_operands;
        for (HloInstruction* operand : inner->operands()) new_operands.push_back(map.Find(operand));
        map.instructions[inner] =
            body->AddInstruction(inner->CloneWithNewOperands(inner->shape(), new_operands));
      }
      values[member] = map.Find(member->to_apply()->root_instruction());
      if (IsReadInside(*member, members)) continue;
      results.push_back(member);
      roots.push_back(values[member]);
      shapes.push_back(member->shape());
    }
    FusionAttributes attributes;
    attributes.kind = FusionKind::kLoop;
    HloComputation* called[] = {body};
    if (roots.size() == 1) {
      body->set_root_instruction(roots[0]);
    } else {
      body->set_root_instruction(body->AddInstruction(HloInstruction::CreateTuple(roots)));
    }
    const Shape shape = roots.size() == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes);
    HloInstruction* const fusion = computation_->AddInstruction(
        HloInstruction::Create(HloOpcode::kFusion, shape, operands, std::move(attributes), called));
    for (size_t i = 0; i < results.size(); ++i) {
      HloInstruction* result = fusion;
      if (roots.size() > 1) {
        result = computation_->AddInstruction(
            HloInstruction::CreateGetTupleElement(fusion, static_cast<int64_t>(i)));
      }
      XLA_RETURN_IF_ERROR(results[i]->ReplaceAllUsesWith(result));
    }
    // Members come after those that they read.
    for (size_t i = members.size(); i-- > 0;)
      XLA_RETURN_IF_ERROR(computation_->RemoveInstruction(members[i]));
    return absl::OkStatus();
  }

  HloComputation* computation_;
  int64_t least_bytes_;
  std::vector<std::unique_ptr<Group>> groups_;
  absl::flat_hash_map<const HloInstruction*, int64_t> positions_;
  absl::flat_hash_map<const HloInstruction*, Group*> group_of_;
  absl::flat_hash_map<const HloInstruction*, Group*> readers_;  // the last that reads an array
};

// Whether a computation consists of elementwise kernels only: loops over such computations are
// computed element by element, and access memory once.
bool IsElementwiseAlone(const HloComputation& computation) {
  const auto& instructions = computation.instructions();
  return std::all_of(instructions.begin(), instructions.end(), [](const HloInstruction* i) {
    return i->info().cost == CostClass::kFree ||
           (i->opcode() == HloOpcode::kFusion && i->shape().IsArray());
  });
}

}  // namespace

absl::StatusOr<bool> MergeFusions(HloModule* module, int64_t least_bytes) {
  absl::flat_hash_set<const HloComputation*> applied, bodies;
  for (const HloComputation* computation : module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      const bool runs = instruction->opcode() == HloOpcode::kConditional ||
                        instruction->opcode() == HloOpcode::kCall ||
                        instruction->opcode() == HloOpcode::kAsyncStart;
      if (runs) continue;
      for (const HloComputation* called : instruction->called_computations())
        (instruction->opcode() == HloOpcode::kWhile ? bodies : applied).insert(called);
    }
  }
  bool changed = false;
  const std::vector<HloComputation*> computations(module->computations().begin(),
                                                  module->computations().end());
  for (HloComputation* computation : computations) {
    if (applied.contains(computation)) continue;
    if (bodies.contains(computation) && IsElementwiseAlone(*computation)) continue;
    XLA_ASSIGN_OR_RETURN(const bool merged, Merger(computation, least_bytes).Merge());
    changed |= merged;
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  module->Cleanup();
  return changed;
}

}  // namespace xla::cpu
