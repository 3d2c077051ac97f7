// SPDX-License-Identifier: Apache-2.0
// Custom calls that functions of the caller partition or are told of.
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/pjrt/batch_rules.h"
#include "xla/pjrt/custom_partitioner.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

}  // namespace

absl::Status Partitioner::DivideCustomCall(HloInstruction* call) {
  shardings_.from_callbacks = true;
  std::vector<OperandDivision> divisions(static_cast<size_t>(call->operand_count()));
  for (size_t i = 0; i < divisions.size(); ++i) {
    const Divided* known = FindDivided(call->mutable_operand(static_cast<int64_t>(i)));
    if (known != nullptr && known->tiles.sums.empty()) {
      divisions[i] = {known->sharding, &known->tiles};
    }
  }
  XLA_ASSIGN_OR_RETURN(const CustomPartition custom, PartitionCustomCall(*call, divisions));
  Instructions operands;
  for (size_t i = 0; i < divisions.size(); ++i) {
    HloInstruction* operand = call->mutable_operand(static_cast<int64_t>(i));
    XLA_ASSIGN_OR_RETURN(const Tiles tiles,
                         TilesOf(custom.operands[i], operand->shape(), partitions_));
    XLA_ASSIGN_OR_RETURN(operand, ShardOfAnnotated(operand, tiles));
    operands.push_back(operand);
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * local,
                       emit_.Inline(*custom.program, call->parent(), operands));
  if (!call->shape().IsTuple()) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * whole, WholeOf(local, call->shape(), custom.results[0]));
    return call->parent()->ReplaceInstruction(call, whole);
  }
  Instructions elements;
  for (size_t i = 0; i < custom.results.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        HloInstruction * whole,
        WholeOf(Element(local, static_cast<int64_t>(i)),
                call->shape().tuple_shapes(static_cast<int>(i)), custom.results[i]));
    elements.push_back(whole);
  }
  return call->parent()->ReplaceInstruction(
      call, Add(call->parent(), HloOpcode::kTuple, call->shape(), elements));
}

absl::Status Partitioner::CallWithShards(HloInstruction* call) {
  for (int64_t i = 0; i < call->operand_count(); ++i) {
    const Divided* known = FindDivided(call->mutable_operand(i));
    if (known == nullptr || !known->tiles.sums.empty()) continue;
    XLA_RETURN_IF_ERROR(call->ReplaceOperandWithDifferentShape(i, known->shard));
  }
  FitToShards(call);
  return absl::OkStatus();
}

absl::Status Partitioner::FinishCalls() {
  for (HloComputation* computation : ReachableComputations(entry_)) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (HasPartitioner(*instruction)) {
        XLA_RETURN_IF_ERROR(DivideCustomCall(instruction));
      } else if (InspectsSharding(*instruction) && instruction->operand_count() == 1) {
        shardings_.from_callbacks = true;
        const Divided* known = FindDivided(instruction->mutable_operand(0));
        XLA_RETURN_IF_ERROR(ReportSharding(
            *instruction, known != nullptr ? known->sharding : HloSharding::Replicate()));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::pjrt
