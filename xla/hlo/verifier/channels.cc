// SPDX-License-Identifier: Apache-2.0
// Verifier rules across the communicating instructions of a module.
#include <optional>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

std::optional<int64_t> ChannelOf(const HloInstruction& instruction) {
  const std::optional<int64_t> channel =
      instruction.attributes().visit([](const auto& attributes) -> std::optional<int64_t> {
        if constexpr (requires { attributes.channel_id; }) return attributes.channel_id;
        return std::nullopt;
      });
  return channel.value_or(0) > 0 ? channel : std::nullopt;
}

bool IsTransfer(const HloInstruction& instruction) {
  return instruction.attributes_if<SendRecvAttributes>() != nullptr;
}

}  // namespace

absl::Status CheckChannels(const HloModule& module) {
  absl::flat_hash_map<int64_t, const HloInstruction*> first_of_channel;
  const HloInstruction* first_all_reduce = nullptr;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (const auto* attributes = instruction->attributes_if<AllReduceAttributes>()) {
        if (first_all_reduce == nullptr) first_all_reduce = instruction;
        if (first_all_reduce->attributes<AllReduceAttributes>().constrain_layout !=
            attributes->constrain_layout) {
          return InvalidArgument(
              "HloModule has a mix of layout constrained and unconstrained AllReduce instructions: "
              "%s and %s",
              first_all_reduce->name(), instruction->name());
        }
      }
      const std::optional<int64_t> channel = ChannelOf(*instruction);
      if (!channel.has_value()) continue;
      const HloInstruction& first = *first_of_channel.emplace(*channel, instruction).first->second;
      const bool fits =
          IsTransfer(first) ? IsTransfer(*instruction) : first.opcode() == instruction->opcode();
      if (!fits) {
        return InvalidArgument(
            "channel %d is used for different types of channel instructions: %s and %s", *channel,
            first.ToShortString(), instruction->ToShortString());
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
