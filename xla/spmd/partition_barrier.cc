// SPDX-License-Identifier: Apache-2.0
// Barriers on shards: what is computed before them in shards passes them so.
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {

absl::Status Partitioner::PartitionBarrier(HloInstruction* barrier) {
  if (barrier->HasControlDependencies()) return absl::OkStatus();
  HloComputation* computation = barrier->parent();
  HloInstruction* operand = barrier->mutable_operand(0);
  const auto with = [&](HloInstruction* shards) {
    return computation->AddInstruction(barrier->CloneWithNewOperands(shards->shape(), {shards}));
  };
  if (barrier->shape().IsArray()) {
    const Sharded* known = FindSharded(operand);
    if (known == nullptr || !known->layout.partial_groups.empty()) return absl::OkStatus();
    Sharded passed = *known;
    passed.shard = with(passed.shard);
    // Who needs the full value gathers what has passed.
    HloInstruction* full = emit_.Gather(passed.shard, barrier->shape(), passed.layout);
    sharded_.insert_or_assign(full, std::move(passed));
    return computation->ReplaceInstruction(barrier, full);
  }
  if (operand->opcode() != HloOpcode::kTuple) return absl::OkStatus();
  const State state = StateOf(*operand);
  if (!IsSharded(state)) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(HloInstruction * shards, ShardsOf(operand, state));
  return ReplaceBySharded(barrier, with(shards), state);
}

}  // namespace xla::spmd
