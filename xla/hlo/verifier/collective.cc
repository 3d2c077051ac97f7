// SPDX-License-Identifier: Apache-2.0
// The verifier's rules of collectives that start and finish apart.
#include "xla/hlo/verifier/rules.h"

namespace xla::verifier {

absl::Status CheckAllGatherDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kAllGatherStart});
}

absl::Status CheckAllReduceStart(const HloInstruction& instruction, const Context&) {
  return ExpectOnlyUser(instruction, {HloOpcode::kAllReduceDone});
}

absl::Status CheckAllReduceDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kAllReduceStart});
}

absl::Status CheckCollectivePermuteStart(const HloInstruction& instruction, const Context&) {
  return ExpectOnlyUser(instruction, {HloOpcode::kCollectivePermuteDone});
}

absl::Status CheckCollectivePermuteDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kCollectivePermuteStart});
}

}  // namespace xla::verifier
