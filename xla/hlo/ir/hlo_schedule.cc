// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/hlo_schedule.h"

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {
namespace {

absl::Status VerifySequence(const HloComputation& computation,
                            const HloInstructionSequence& sequence) {
  absl::flat_hash_map<const HloInstruction*, int64_t> positions;
  for (const HloInstruction* instruction : sequence.instructions()) {
    if (instruction == nullptr || instruction->parent() != &computation) {
      return InvalidArgument("The schedule of %s lists an instruction of another computation",
                             computation.name());
    }
    if (!positions.emplace(instruction, positions.size()).second) {
      return InvalidArgument("Instruction %s is duplicated in the schedule of %s",
                             instruction->name(), computation.name());
    }
  }
  if (sequence.size() != computation.instruction_count()) {
    return InvalidArgument("The schedule of %s has %d instructions, the computation %d",
                           computation.name(), sequence.size(), computation.instruction_count());
  }
  for (const HloInstruction* instruction : sequence.instructions()) {
    const auto check = [&](const HloInstruction* before) -> absl::Status {
      if (positions.at(before) < positions.at(instruction)) return absl::OkStatus();
      return InvalidArgument("Instruction %s is not scheduled after %s, which it needs",
                             instruction->name(), before->name());
    };
    for (const HloInstruction* operand : instruction->operands()) {
      XLA_RETURN_IF_ERROR(check(operand));
    }
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      XLA_RETURN_IF_ERROR(check(predecessor));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool HloSchedule::is_computation_scheduled(const HloComputation* computation) const {
  return sequences_.contains(computation->unique_id());
}

const HloInstructionSequence& HloSchedule::sequence(const HloComputation* computation) const {
  const auto it = sequences_.find(computation->unique_id());
  XLA_CHECK(it != sequences_.end()) << computation->name() << " is not scheduled";
  return it->second;
}

void HloSchedule::set_sequence(const HloComputation* computation, HloInstructionSequence sequence) {
  sequences_[computation->unique_id()] = std::move(sequence);
}

absl::Status HloSchedule::Verify() const {
  for (const HloComputation* computation : module_->computations()) {
    if (computation->IsFusionComputation()) continue;
    if (!is_computation_scheduled(computation)) {
      return InvalidArgument("Computation %s has no schedule", computation->name());
    }
    XLA_RETURN_IF_ERROR(VerifySequence(*computation, sequence(computation)));
  }
  return absl::OkStatus();
}

}  // namespace xla
