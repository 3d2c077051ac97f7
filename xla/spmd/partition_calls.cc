// SPDX-License-Identifier: Apache-2.0
// Custom calls that functions of the caller partition or are told of.
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/spmd/batch_rules.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// The sharding of a call, without what does not divide its arrays evenly.
HloSharding EvenSharding(const HloInstruction& call) {
  const int64_t partitions = call.parent()->parent()->config().num_partitions();
  const auto even = [&](const Shape& shape, size_t leaf) {
    HloSharding sharding = LeafSharding(ShardingOf(call), leaf);
    const auto layout = ShardLayoutOf(sharding, shape, partitions);
    const bool is_even = layout.ok() && shape.IsArray() && IsEven(shape, *layout);
    return is_even ? std::move(sharding) : HloSharding::Replicate();
  };
  if (!call.shape().IsTuple()) return even(call.shape(), 0);
  std::vector<HloSharding> elements;
  for (const Shape& element : call.shape().tuple_shapes()) {
    elements.push_back(even(element, elements.size()));
  }
  return HloSharding::Tuple(std::move(elements));
}

}  // namespace

bool Partitioner::HasPartitioner(const HloInstruction& instruction) const {
  return options_.call_partitioner != nullptr && instruction.opcode() == HloOpcode::kCustomCall &&
         options_.call_partitioner->Partitions(instruction);
}

absl::Status Partitioner::PartitionCall(HloInstruction* call) {
  shardings_.from_callbacks = true;
  std::vector<HloSharding> shardings(static_cast<size_t>(call->operand_count()));
  for (size_t i = 0; i < shardings.size(); ++i) {
    const Sharded* known = FindSharded(call->mutable_operand(static_cast<int64_t>(i)));
    if (known != nullptr && known->layout.partial_groups.empty() &&
        IsEven(call->operand(static_cast<int64_t>(i))->shape(), known->layout)) {
      shardings[i] = known->sharding;
    }
  }
  XLA_ASSIGN_OR_RETURN(const PartitionedCall custom,
                       options_.call_partitioner->Partition(*call, shardings, EvenSharding(*call)));
  Instructions operands;
  for (size_t i = 0; i < shardings.size(); ++i) {
    HloInstruction* operand = call->mutable_operand(static_cast<int64_t>(i));
    XLA_ASSIGN_OR_RETURN(const ShardLayout layout,
                         ShardLayoutOf(custom.operands[i], operand->shape(), partitions_));
    XLA_ASSIGN_OR_RETURN(operand, ShardOfAnnotated(operand, layout));
    operands.push_back(operand);
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * local,
                       emit_.Inline(*custom.program, call->parent(), operands));
  if (!call->shape().IsTuple()) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * full, FullOf(local, call->shape(), custom.results[0]));
    ReplaceShard(call, full);
    return call->parent()->ReplaceInstruction(call, full);
  }
  Instructions elements;
  for (size_t i = 0; i < custom.results.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        HloInstruction * full,
        FullOf(Element(local, static_cast<int64_t>(i)),
               call->shape().tuple_shapes(static_cast<int>(i)), custom.results[i]));
    elements.push_back(full);
  }
  return call->parent()->ReplaceInstruction(
      call, Add(call->parent(), HloOpcode::kTuple, call->shape(), elements));
}

absl::Status Partitioner::CallWithShards(HloInstruction* call) {
  for (int64_t i = 0; i < call->operand_count(); ++i) {
    const Sharded* known = FindSharded(call->mutable_operand(i));
    if (known == nullptr || !known->layout.partial_groups.empty() ||
        !IsEven(call->operand(i)->shape(), known->layout)) {
      continue;
    }
    XLA_RETURN_IF_ERROR(call->ReplaceOperandWithDifferentShape(i, known->shard));
  }
  FitToShards(call);
  return absl::OkStatus();
}

absl::Status Partitioner::FinishCalls() {
  for (HloComputation* computation : ReachableComputations(entry_)) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (HasPartitioner(*instruction)) {
        XLA_RETURN_IF_ERROR(PartitionCall(instruction));
      } else if (options_.call_partitioner != nullptr && IsCall(*instruction, "InspectSharding")) {
        shardings_.from_callbacks = true;
        const Sharded* known = FindSharded(instruction->mutable_operand(0));
        XLA_RETURN_IF_ERROR(options_.call_partitioner->ReportSharding(
            *instruction, known != nullptr ? known->sharding : HloSharding::Replicate()));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::spmd
