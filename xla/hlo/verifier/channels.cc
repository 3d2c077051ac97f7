// SPDX-License-Identifier: Apache-2.0
// Verifier rules across the communicating instructions of a module.
#include "absl/container/flat_hash_map.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// Whether two transfers with the host are the same up to their operands, whose shapes must agree.
bool IsSameTransfer(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode() || a.operand_count() != b.operand_count() ||
      !ShapeUtil::Equal(a.shape(), b.shape()) || !(a.attributes() == b.attributes()) ||
      a.extras().frontend_attributes != b.extras().frontend_attributes) {
    return false;
  }
  for (int64_t i = 0; i < a.operand_count(); ++i) {
    if (!ShapeUtil::Equal(a.operand(i)->shape(), b.operand(i)->shape())) return false;
  }
  return true;
}

}  // namespace

absl::Status CheckChannels(const HloModule& module) {
  // Set for programs of the StableHLO interpreter, where a process may receive what another one
  // sends to the host.
  const auto& facts = module.config().frontend_attributes;
  const auto channels = facts.find("interpreter.channels");
  const bool is_shared = channels != facts.end() && channels->second == "shared";
  absl::flat_hash_map<std::pair<int64_t, bool>, const HloInstruction*> host_transfers;
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
      const HloOpcode opcode = instruction->opcode();
      if (opcode != HloOpcode::kSend && opcode != HloOpcode::kRecv) continue;
      const auto& attributes = instruction->attributes<SendRecvAttributes>();
      if (!attributes.is_host_transfer || !attributes.channel_id.has_value()) continue;
      const HloInstruction& first =
          *host_transfers
               .emplace(
                   std::make_pair(*attributes.channel_id, is_shared && opcode == HloOpcode::kRecv),
                   instruction)
               .first->second;
      if (IsSameTransfer(first, *instruction)) continue;
      return Internal(
          "Host-transfer send/recv instructions that use the same channel must be identical up to "
          "having different operands. Found different instructions with the same channel ID: \n%s "
          "\nvs \n%s.",
          first.ToShortString(), instruction->ToShortString());
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier
