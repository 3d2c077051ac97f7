// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/collective_group.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

int64_t OperandBytes(const HloInstruction& instruction) {
  int64_t bytes = 0;
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsArray()) bytes += ShapeUtil::ByteSizeOf(operand->shape());
  }
  return bytes;
}

// What puts gathered shards in their places (ShardEmitter::AllGather).
bool IsArrangement(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kBitcast:
      return true;
    default:
      return false;
  }
}

// The first instruction that uses the value itself.
const HloInstruction* FirstUser(const HloInstruction* value) {
  while (!value->users().empty() && IsArrangement(*value->users()[0])) value = value->users()[0];
  return value->users().empty() ? value : value->users()[0];
}

void TakeCause(const HloInstruction& cause, CollectiveUse& use) {
  if (const auto& metadata = cause.extras().metadata; metadata.has_value()) {
    use.cause = metadata->op_name();
    if (!metadata->source_file().empty()) {
      use.source = absl::StrCat(metadata->source_file(), ":", metadata->source_line());
    }
  }
  if (use.cause.empty()) {
    use.cause = absl::StrCat(HloOpcodeString(cause.opcode()).data(), " ", cause.name());
  }
}

}  // namespace

int64_t BytesReceived(const HloInstruction& instruction, int64_t partitions, int64_t* devices) {
  *devices = 1;
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kAllToAll:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
      break;
    default:
      return 0;
  }
  const int64_t bytes = OperandBytes(instruction);
  // Of the partitions, the one that takes part in the largest group.
  for (int64_t p = 0; p < partitions; ++p) {
    const auto group = FindGroup(instruction, {1, partitions, 0, p});
    if (group.ok()) *devices = std::max(*devices, group->size());
    if (instruction.opcode() == HloOpcode::kCollectivePermute) {
      for (const auto& [source, target] :
           instruction.attributes<CollectivePermuteAttributes>().source_target_pairs) {
        if (source != target) return bytes;
      }
      return 0;
    }
  }
  const int64_t others = *devices - 1;
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
      return bytes * others;
    case HloOpcode::kAllReduce:
      return 2 * bytes * others / *devices;
    case HloOpcode::kCollectiveBroadcast:
      return bytes;
    default:
      return bytes * others / *devices;
  }
}

CommunicationReport ReportCommunication(const HloModule& module) {
  CommunicationReport report;
  for (HloComputation* computation : ReachableComputations(module.entry_computation())) {
    for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      CollectiveUse use;
      use.bytes = BytesReceived(*instruction, module.config().num_partitions(), &use.devices);
      if (use.bytes == 0) continue;
      use.name = instruction->name();
      use.opcode = HloOpcodeString(instruction->opcode());
      use.shape = instruction->shape().ToString();
      if (computation != module.entry_computation()) use.computation = computation->name();
      const HloInstruction* user = FirstUser(instruction);
      use.is_full_gather = instruction->opcode() == HloOpcode::kAllGather &&
                           !instruction->extras().metadata.has_value();
      TakeCause(use.is_full_gather ? *user : *instruction, use);
      report.bytes += use.bytes;
      report.collectives.push_back(std::move(use));
    }
  }
  return report;
}

}  // namespace xla::spmd
