// SPDX-License-Identifier: Apache-2.0
// Verifier rules for parameters and constants.
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {

absl::Status CheckParameter(const HloInstruction& instruction, const Context&) {
  const HloComputation* computation = instruction.parent();
  const int64_t number = instruction.parameter_number();
  if (computation == nullptr) return absl::OkStatus();
  if (number < computation->num_parameters() &&
      computation->parameter_instruction(number) == &instruction) {
    return absl::OkStatus();
  }
  return InvalidArgument("The computation's parameter %d is another instruction", number);
}

absl::Status CheckConstant(const HloInstruction& instruction, const Context&) {
  if (!instruction.shape().is_static()) {
    return InvalidArgument("A constant must have a static shape");
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
