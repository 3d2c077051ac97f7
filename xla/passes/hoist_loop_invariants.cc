// SPDX-License-Identifier: Apache-2.0
// Loop invariant code motion.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/loop_analysis.h"
#include "xla/passes/simplify_loops.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Moves instructions of one loop.
class LoopHoist {
 public:
  explicit LoopHoist(HloInstruction* loop)
      : loop_(loop), body_(loop->while_body()), invariant_(InvariantElements(*loop)) {}

  absl::StatusOr<bool> Run() {
    if (!CanExtendState()) return false;
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, body_->PostOrder());
    FindInvariants(order);
    std::vector<HloInstruction*> results;
    for (HloInstruction* instruction : order) {
      if (IsWorthHoisting(*instruction) && HasVariantUser(*instruction))
        results.push_back(instruction);
    }
    for (HloInstruction* result : results) {
      if (!result->IsDead()) XLA_RETURN_IF_ERROR(Hoist(result));
    }
    return !results.empty();
  }

 private:
  // Whether the loop's state is a tuple that it takes apart and makes; its computations have no
  // other callers.
  bool CanExtendState() const {
    if (!loop_->shape().IsTuple() || loop_->IsRoot() || body_->caller_count() != 1 ||
        loop_->while_condition()->caller_count() != 1 ||
        loop_->operand(0)->opcode() != HloOpcode::kTuple ||
        body_->root_instruction()->opcode() != HloOpcode::kTuple ||
        body_->root_instruction()->user_count() != 0 || body_ == loop_->while_condition() ||
        loop_->has_sharding()) {
      return false;
    }
    const auto only_elements = [](const HloInstruction* tuple) {
      for (const HloInstruction* user : tuple->users()) {
        if (user->opcode() != HloOpcode::kGetTupleElement) return false;
      }
      return true;
    };
    return only_elements(loop_) && only_elements(body_->parameter_instruction(0)) &&
           only_elements(loop_->while_condition()->parameter_instruction(0));
  }

  bool IsInvariantElement(const HloInstruction& instruction) const {
    return instruction.opcode() == HloOpcode::kGetTupleElement &&
           instruction.operand(0) == body_->parameter_instruction(0) &&
           instruction.tuple_index() < static_cast<int64_t>(invariant_.size()) &&
           invariant_[static_cast<size_t>(instruction.tuple_index())];
  }

  void FindInvariants(const std::vector<HloInstruction*>& order) {
    for (HloInstruction* instruction : order) {
      if (IsInvariantElement(*instruction)) {
        invariants_.insert(instruction);
        continue;
      }
      if (instruction->opcode() == HloOpcode::kParameter || instruction->IsRoot() ||
          instruction->HasSideEffect() || instruction->HasControlDependencies() ||
          !instruction->shape().IsArray() ||
          instruction->info().HasAny(op_traits::kDependsOnRun | op_traits::kCommunicates) ||
          instruction->info().family == OpFamily::kControl ||
          instruction->info().family == OpFamily::kAsync ||
          instruction->info().family == OpFamily::kEffect) {
        continue;
      }
      bool all = true;
      for (const HloInstruction* operand : instruction->operands())
        all = all && invariants_.contains(operand);
      if (all) invariants_.insert(instruction);
    }
  }

  // Constants, and instructions that only repeat or rename values, are not worth hoisting, nor are
  // those that need more memory than their sources.
  bool IsWorthHoisting(const HloInstruction& instruction) const {
    constexpr int64_t kLeastElements = 64;
    if (!invariants_.contains(&instruction) || IsInvariantElement(instruction)) return false;
    switch (instruction.opcode()) {
      case HloOpcode::kConstant:
      case HloOpcode::kIota:
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
      case HloOpcode::kSlice:
        return false;
      default:
        break;
    }
    if (ShapeUtil::ElementsIn(instruction.shape()) < kLeastElements) return false;
    int64_t operand_bytes = 0;
    for (const HloInstruction* operand : instruction.operands())
      operand_bytes += ShapeUtil::ByteSizeOf(operand->shape());
    return ShapeUtil::ByteSizeOf(instruction.shape()) <= operand_bytes ||
           IsWidenedForContraction(instruction);
  }

  // Whether a contraction in each iteration reads the instruction, which widens an array. Such an
  // array is materialized in any case, and the longer life of a small one costs little. Narrow
  // floating-point types are widened within the contraction.
  bool IsWidenedForContraction(const HloInstruction& instruction) const {
    constexpr int64_t kMostBytes = 1 << 22;
    if (instruction.opcode() != HloOpcode::kConvert ||
        ShapeUtil::ByteSizeOf(instruction.shape()) > kMostBytes) {
      return false;
    }
    const PrimitiveType from = instruction.operand(0)->shape().element_type();
    if (primitive_util::IsFloatingPointType(from) && primitive_util::BitWidth(from) < 32)
      return false;
    return absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
      return (user->opcode() == HloOpcode::kDot || user->opcode() == HloOpcode::kConvolution) &&
             !invariants_.contains(user);
    });
  }

  bool HasVariantUser(const HloInstruction& instruction) const {
    for (const HloInstruction* user : instruction.users()) {
      if (!invariants_.contains(user) || !IsWorthHoisting(*user)) return true;
    }
    return false;
  }

  // Copies an invariant instruction and all its operands to before the loop. Not recursive.
  HloInstruction* CopyOutside(HloInstruction* result) {
    std::vector<HloInstruction*> pending = {result};
    while (!pending.empty()) {
      HloInstruction* instruction = pending.back();
      if (outside_.contains(instruction)) {
        pending.pop_back();
        continue;
      }
      if (IsInvariantElement(*instruction)) {
        outside_[instruction] = InitialElement(*loop_, instruction->tuple_index());
        continue;
      }
      bool ready = true;
      std::vector<HloInstruction*> operands;
      for (HloInstruction* operand : instruction->operands()) {
        const auto it = outside_.find(operand);
        if (it == outside_.end()) {
          pending.push_back(operand);
          ready = false;
        } else {
          operands.push_back(it->second);
        }
      }
      if (!ready) continue;
      outside_[instruction] = loop_->parent()->InsertBefore(
          loop_, instruction->CloneWithNewOperands(instruction->shape(), operands));
    }
    return outside_[result];
  }

  absl::Status Hoist(HloInstruction* result) {
    HloInstruction* outside = CopyOutside(result);
    XLA_RETURN_IF_ERROR(OwnInitialTuple());
    const int64_t index = loop_->shape().tuple_shapes_size();
    Shape shape = loop_->shape();
    *shape.add_tuple_shapes() = result->shape();
    HloInstruction* initial = loop_->operand(0);
    initial->AppendOperand(outside);
    HloComputation* condition = loop_->while_condition();
    for (HloInstruction* state : {initial, loop_, body_->parameter_instruction(0),
                                  condition->parameter_instruction(0), body_->root_instruction()}) {
      *state->mutable_shape() = shape;
    }
    HloInstruction* element = body_->InsertBefore(
        result, HloInstruction::Create(HloOpcode::kGetTupleElement, result->shape(),
                                       {body_->parameter_instruction(0)},
                                       TupleIndexAttributes{.index = index}));
    outside_[element] = outside;
    XLA_RETURN_IF_ERROR(result->ReplaceAllUsesWith(element));
    body_->root_instruction()->AppendOperand(element);
    return body_->RemoveInstructionAndUnusedOperands(result);
  }

  // Gives the loop an initial tuple without other users.
  absl::Status OwnInitialTuple() {
    HloInstruction* initial = loop_->operand(0);
    if (initial->user_count() == 1 && !initial->IsRoot()) return absl::OkStatus();
    HloInstruction* copy = loop_->parent()->InsertBefore(
        loop_, initial->CloneWithNewOperands(initial->shape(), initial->operands()));
    return loop_->ReplaceOperandWith(0, copy);
  }

  HloInstruction* const loop_;
  HloComputation* const body_;
  const std::vector<bool> invariant_;
  absl::flat_hash_set<const HloInstruction*> invariants_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> outside_;
};

}  // namespace

absl::StatusOr<bool> HoistLoopInvariants(HloModule* module) {
  bool changed = false;
  XLA_ASSIGN_OR_RETURN(const std::vector<HloComputation*> order, module->ComputationPostOrder());
  for (HloComputation* computation : order) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kWhile) continue;
      XLA_ASSIGN_OR_RETURN(const bool loop_changed, LoopHoist(instruction).Run());
      changed |= loop_changed;
    }
  }
  return changed;
}

}  // namespace xla
