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

// What each device receives; of a permutation only those that are targets do.
void AddReceived(const HloInstruction& instruction, int64_t bytes,
                 std::vector<int64_t>& of_device) {
  if (instruction.opcode() != HloOpcode::kCollectivePermute) {
    for (int64_t& received : of_device) received += bytes;
    return;
  }
  for (const auto& [source, target] :
       instruction.attributes<CollectivePermuteAttributes>().source_target_pairs) {
    if (source != target && target >= 0 && target < static_cast<int64_t>(of_device.size())) {
      of_device[static_cast<size_t>(target)] += bytes;
    }
  }
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
  if (instruction.opcode() == HloOpcode::kCollectivePermute) {
    const auto& pairs = instruction.attributes<CollectivePermuteAttributes>().source_target_pairs;
    *devices = static_cast<int64_t>(pairs.size());
    return std::any_of(pairs.begin(), pairs.end(),
                       [](const auto& pair) { return pair.first != pair.second; })
               ? bytes
               : 0;
  }
  // Groups are all of one size.
  for (int64_t p = 0; p < partitions && *devices == 1; ++p) {
    const auto group = FindGroup(instruction, {1, partitions, 0, p});
    if (group.ok()) *devices = std::max(*devices, group->size());
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

int64_t BytesReceived(absl::Span<HloInstruction* const> collectives, int64_t partitions) {
  std::vector<int64_t> of_device(static_cast<size_t>(partitions), 0);
  int64_t devices = 1;
  for (const HloInstruction* collective : collectives) {
    AddReceived(*collective, BytesReceived(*collective, partitions, &devices), of_device);
  }
  return *std::max_element(of_device.begin(), of_device.end());
}

CommunicationReport ReportCommunication(const HloModule& module) {
  CommunicationReport report;
  std::vector<int64_t> of_device(static_cast<size_t>(module.config().num_partitions()), 0);
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
      AddReceived(*instruction, use.bytes, of_device);
      report.collectives.push_back(std::move(use));
    }
  }
  report.bytes = *std::max_element(of_device.begin(), of_device.end());
  return report;
}

}  // namespace xla::spmd
