// SPDX-License-Identifier: Apache-2.0
// The order of the verifier's checks.
#include "xla/hlo/verifier/hlo_verifier.h"

#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"

namespace xla {
namespace {

void Describe(const HloModule& module, verifier::Context* context) {
  const HloModuleConfig& config = module.config();
  context->replica_count = config.replica_count();
  context->num_partitions = config.num_partitions();
  if (config.use_spmd_partitioning() && config.num_partitions() > 1)
    context->num_devices = config.num_partitions();
}

}  // namespace

absl::Status VerifyModule(const HloModule& module, const HloVerifierOptions& options) {
  XLA_RETURN_IF_ERROR(verifier::CheckStructure(module));
  verifier::Context context(options);
  Describe(module, &context);
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kAsyncStart) {
        context.async_computations.insert(instruction->called_computations()[0]);
      }
    }
  }
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      XLA_RETURN_IF_ERROR(verifier::CheckPair(*instruction, context));
    }
  }
  XLA_RETURN_IF_ERROR(verifier::CheckChannels(module));
  if (options.verify_instruction_name_unchanged) {
    XLA_RETURN_IF_ERROR(verifier::CheckNamesUnchanged(module));
  }
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      XLA_RETURN_IF_ERROR(verifier::CheckInstruction(*instruction, context));
    }
  }
  XLA_RETURN_IF_ERROR(verifier::CheckBuffers(module, options));
  if (options.verify_no_collective_deadlocks && module.config().is_scheduled) {
    XLA_RETURN_IF_ERROR(verifier::CheckCollectiveDeadlocks(module));
  }
  XLA_RETURN_IF_ERROR(verifier::CheckEntry(module, options));
  return verifier::CheckOriginalValues(module);
}

absl::Status VerifyInstruction(const HloInstruction& instruction,
                               const HloVerifierOptions& options) {
  XLA_RETURN_IF_ERROR(verifier::CheckLinks(instruction));
  verifier::Context context(options);
  if (instruction.parent() != nullptr) Describe(*instruction.GetModule(), &context);
  XLA_RETURN_IF_ERROR(verifier::CheckPair(instruction, context));
  return verifier::CheckInstruction(instruction, context);
}

}  // namespace xla
