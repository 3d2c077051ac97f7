// SPDX-License-Identifier: Apache-2.0
// The verifier's rules of sends and receives.
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// Alone in an async computation a transfer has no user: its end is the end of the async operation.
bool IsAsyncRoot(const HloInstruction& instruction, const Context& context) {
  return instruction.IsRoot() && context.async_computations.contains(instruction.parent());
}

absl::Status CheckStart(const HloInstruction& instruction, const Context& context, HloOpcode done) {
  if (instruction.parent() == nullptr || IsAsyncRoot(instruction, context)) return absl::OkStatus();
  XLA_RETURN_IF_ERROR(ExpectOnlyUser(instruction, {done, HloOpcode::kTuple}));
  const HloInstruction& user = *instruction.users()[0];
  if (user.opcode() != done) return absl::OkStatus();
  const auto& mine = instruction.attributes<SendRecvAttributes>();
  const auto& its = user.attributes<SendRecvAttributes>();
  if (mine.channel_id.value_or(0) != its.channel_id.value_or(0)) {
    return InvalidArgument(
        "Expected to have the same channel id, actual channel ids are: %d and %d",
        mine.channel_id.value_or(0), its.channel_id.value_or(0));
  }
  if (mine.is_host_transfer != its.is_host_transfer) {
    return InvalidArgument(
        "Expected instructions to have the same is-host-transfer property: %s and %s",
        instruction.name(), user.name());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSend(const HloInstruction& instruction, const Context& context) {
  return CheckStart(instruction, context, HloOpcode::kSendDone);
}

absl::Status CheckRecv(const HloInstruction& instruction, const Context& context) {
  return CheckStart(instruction, context, HloOpcode::kRecvDone);
}

absl::Status CheckSendDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kSend, HloOpcode::kGetTupleElement});
}

absl::Status CheckRecvDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kRecv, HloOpcode::kGetTupleElement});
}

}  // namespace xla::verifier
