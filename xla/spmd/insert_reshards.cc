// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/insert_reshards.h"

#include <optional>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/propagation/explicit_reshards.h"

namespace xla::spmd {
namespace {

// Only arrays are annotated.
absl::Status AnnotateOperands(HloInstruction* instruction, const OperationReshards& reshards) {
  if (reshards.operands.size() != static_cast<size_t>(instruction->operand_count())) {
    return absl::OkStatus();
  }
  for (size_t i = 0; i < reshards.operands.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    HloInstruction* operand = instruction->mutable_operand(index);
    if (!reshards.operands[i].has_value() || !operand->shape().IsArray()) continue;
    XLA_RETURN_IF_ERROR(instruction->ReplaceOperandWith(
        index, Annotation(operand, HloSharding(*reshards.operands[i]))));
  }
  return absl::OkStatus();
}

absl::Status AnnotateResult(HloInstruction* instruction, const OperationReshards& reshards) {
  if (!instruction->shape().IsArray() || reshards.results.size() != 1 ||
      !reshards.results[0].has_value()) {
    return absl::OkStatus();
  }
  const std::optional<HloSharding> stated =
      instruction->has_sharding() ? std::optional(instruction->sharding()) : std::nullopt;
  instruction->set_sharding(HloSharding(*reshards.results[0]));
  if (!stated.has_value()) return absl::OkStatus();
  HloInstruction* annotation = Annotation(instruction, *stated);
  const bool is_root = instruction->IsRoot();
  for (HloInstruction* user :
       std::vector<HloInstruction*>(instruction->users().begin(), instruction->users().end())) {
    if (user == annotation) continue;
    XLA_RETURN_IF_ERROR(instruction->ReplaceUseWith(user, annotation));
  }
  if (is_root) instruction->parent()->set_root_instruction(annotation);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> InsertExplicitReshards(HloModule* module) {
  XLA_ASSIGN_OR_RETURN(const ModuleReshards reshards, propagation::PlanExplicitReshards(*module));
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      const auto found = reshards.find(instruction);
      if (found == reshards.end() || instruction->opcode() == HloOpcode::kGetTupleElement) continue;
      XLA_RETURN_IF_ERROR(AnnotateOperands(instruction, found->second));
      XLA_RETURN_IF_ERROR(AnnotateResult(instruction, found->second));
    }
  }
  return !reshards.empty();
}

}  // namespace xla::spmd
