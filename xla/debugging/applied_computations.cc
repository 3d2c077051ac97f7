// SPDX-License-Identifier: Apache-2.0
#include "xla/debugging/applied_computations.h"

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

bool IsAppliedToElements(const HloComputation& computation) {
  return absl::c_any_of(computation.callers(), [](const HloInstruction* caller) {
    return absl::c_any_of(caller->info().callee_schema().slots, [](const CalleeSlot& slot) {
      return GetCalleeRoleInfo(slot.role).on_elements;
    });
  });
}

}  // namespace xla
