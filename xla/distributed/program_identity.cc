// SPDX-License-Identifier: Apache-2.0
// Programs by their text, without what may differ between machines.
#include "xla/distributed/program_identity.h"

#include "xla/distributed/wire.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_print_options.h"

namespace xla::distributed {

ProgramIdentity IdentifyProgram(const HloModule& module) {
  ProgramIdentity identity;
  identity.name = std::string(module.name());
  HloPrintOptions options;
  options.print_large_constants = true;
  options.print_metadata = false;  // paths of sources
  options.print_stack_frames = false;
  identity.fingerprint = HashBytes(module.ToString(options));
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->info().Has(op_traits::kCommunicates)) identity.communicates = true;
    }
  }
  return identity;
}

}  // namespace xla::distributed
