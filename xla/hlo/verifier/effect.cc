// SPDX-License-Identifier: Apache-2.0
// Verifier rules for sends and receives.
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

absl::Status CheckTransferStart(const HloInstruction& instruction) {
  if (instruction.user_count() == 0) return absl::OkStatus();
  const HloInstruction& user = *instruction.users()[0];
  if (user.opcode() != instruction.info().async_partner) return absl::OkStatus();
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

absl::Status CheckSend(const HloInstruction& instruction, const Context&) {
  return CheckTransferStart(instruction);
}

absl::Status CheckRecv(const HloInstruction& instruction, const Context&) {
  return CheckTransferStart(instruction);
}

}  // namespace xla::verifier
