// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plain_operations.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"

namespace xla::spmd {
namespace {

// Calls are inlined once their values have shardings.
absl::Status ReplaceFusionsAndDomains(HloModule* module) {
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() == HloOpcode::kFusion) {
        XLA_RETURN_IF_ERROR(computation
                                ->ReplaceWithNewInstruction(
                                    instruction, HloInstruction::CreateCall(
                                                     instruction->shape(), instruction->operands(),
                                                     instruction->to_apply()))
                                .status());
      } else if (instruction->opcode() == HloOpcode::kDomain) {
        XLA_RETURN_IF_ERROR(
            computation->ReplaceInstruction(instruction, instruction->mutable_operand(0)));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status WriteSizes(HloModule* module) {
  const ProgramShape layout = module->entry_computation_layout();
  if (HasDynamicArray(layout.result()) || absl::c_any_of(layout.parameters(), HasDynamicArray)) {
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const bool changed, ResolveDynamicSizes(module));
  if (changed) module->config().set_entry_computation_layout(layout);
  return absl::OkStatus();
}

}  // namespace

absl::Status WritePlainOperations(HloModule* module) {
  XLA_RETURN_IF_ERROR(ExpandAsync(module).status());
  XLA_RETURN_IF_ERROR(ExpandScans(module).status());
  XLA_RETURN_IF_ERROR(ReplaceFusionsAndDomains(module));
  return WriteSizes(module);
}

}  // namespace xla::spmd
