// SPDX-License-Identifier: Apache-2.0
// Which instructions may have another layout than their operands, under XLA's include path and
// name.
#ifndef XLA_SERVICE_LAYOUT_ASSIGNMENT_H_
#define XLA_SERVICE_LAYOUT_ASSIGNMENT_H_

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

class LayoutAssignment {
 public:
  // Whether the operation is defined by indices alone, so that its result may have any layout. For
  // HloVerifierOpts::WithInstructionCanChangeLayout.
  static bool InstructionCanChangeLayout(const HloInstruction* instruction);
};

}  // namespace xla

#endif  // XLA_SERVICE_LAYOUT_ASSIGNMENT_H_
