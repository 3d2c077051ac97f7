// SPDX-License-Identifier: Apache-2.0
// Manual computations begin and end with shards, which other axes may divide further.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

absl::Status Malformed(const HloInstruction& call) {
  return absl::InvalidArgumentError(
      absl::StrCat(call.ToShortString(), ": a border of a manual computation has one operand"));
}

}  // namespace

absl::Status Partitioner::EnterAndLeaveManual(HloComputation* computation) {
  for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
    if (instruction->IsDead()) continue;
    if (IsCall(*instruction, "SPMDFullToShardShape")) {
      XLA_RETURN_IF_ERROR(EnterManual(instruction, /*is_last=*/false));
    } else if (IsCall(*instruction, "SPMDShardToFullShape")) {
      XLA_RETURN_IF_ERROR(LeaveManual(instruction));
    }
  }
  return absl::OkStatus();
}

absl::Status Partitioner::EnterManual(HloInstruction* call, bool is_last) {
  if (call->operand_count() != 1) return Malformed(*call);
  HloInstruction* full = WithoutAnnotations(call->operand(0));
  HloSharding full_sharding = ShardingOf(*call->operand(0));
  // A parameter needs no annotation: it has its sharding itself.
  if (const auto known = sharded_.find(full);
      !call->operand(0)->has_sharding() && known != sharded_.end()) {
    full_sharding = known->second.sharding;
  }
  XLA_ASSIGN_OR_RETURN(const ShardLayout all,
                       ShardLayoutOf(full_sharding, full->shape(), partitions_));
  XLA_ASSIGN_OR_RETURN(const ShardLayout layout,
                       ManualShardLayout(all, full->shape(), call->shape()));
  const bool is_manual = full_sharding.IsManualSubgroup();
  const auto known = sharded_.find(full);
  HloInstruction* local = nullptr;
  if (known != sharded_.end() && known->second.layout == layout) {
    local = known->second.shard;
  } else if (known != sharded_.end() && !is_manual && IsEven(full->shape(), layout)) {
    emit_.set_cause(*call);
    local = emit_.Reshard(known->second.shard, full->shape(), known->second.layout, layout);
  }
  if (local == nullptr && !is_manual && call->parent() == entry_) {
    // Shards of the operand may be at hand once that is partitioned.
    if (!is_last) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(local, ShardOf(full, layout));
  }
  if (local == nullptr) {
    XLA_ASSIGN_OR_RETURN(local, emit_.Cut(full, layout));
  }
  if (!is_manual) XLA_RETURN_IF_ERROR(DivideEntering(*call, full, layout, local));
  ReplaceShard(call, local);
  return call->parent()->ReplaceInstruction(call, local);
}

absl::Status Partitioner::DivideEntering(const HloInstruction& call, HloInstruction* full,
                                         const ShardLayout& outer, HloInstruction* local) {
  const Source at_hand = SourceOf(full);
  if (at_hand.shard == nullptr) return absl::OkStatus();
  auto within = ShardsWithin(call, full->shape(), at_hand.layout, outer);
  if (!within.has_value()) return absl::OkStatus();
  emit_.set_cause(call);
  HloInstruction* shard =
      emit_.Reshard(at_hand.shard, full->shape(), at_hand.layout, within->of_full);
  if (shard == nullptr) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, ToHloSharding(within->of_shard));
  sharded_[local] = Sharded{shard, std::move(within->of_shard), std::move(sharding)};
  return absl::OkStatus();
}

std::optional<Partitioner::DividedShards> Partitioner::ShardsWithin(
    const HloInstruction& call, const Shape& full, const ShardLayout& at_hand,
    const ShardLayout& outer) const {
  const DimensionShardings manual = DimensionShardingsOf(outer);
  const auto joined = [&](const DimensionShardings& within) -> std::optional<DividedShards> {
    DimensionShardings all = manual;
    for (size_t d = 0; d < all.size(); ++d) {
      auto dimension = JoinedSharding(manual[d], within[d]);
      if (!dimension.has_value()) return std::nullopt;
      all[d] = *std::move(dimension);
    }
    auto of_full = ShardLayoutFrom(all, partitions_);
    auto of_shard = ShardLayoutFrom(within, partitions_);
    if (!of_full || !of_shard || of_shard->IsUndivided() || !IsEven(full, *of_full)) {
      return std::nullopt;
    }
    return DividedShards{*std::move(of_full), *std::move(of_shard)};
  };
  if (call.has_sharding()) {
    const auto stated = ShardLayoutOf(ShardingOf(call), call.shape(), partitions_);
    if (stated.ok() && stated->partial_groups.empty()) {
      if (auto shards = joined(DimensionShardingsOf(*stated))) return shards;
    }
  }
  DimensionShardings within = DimensionShardingsOf(at_hand);
  for (size_t d = 0; d < within.size(); ++d) {
    if (manual[d].count == 1) continue;
    const bool may_split = within[d].count % manual[d].count == 0;
    const auto parts =
        may_split ? SplitSharding(within[d], within[d].count / manual[d].count) : std::nullopt;
    const bool is_split = parts.has_value() && parts->first == manual[d];
    within[d] = is_split ? parts->second : DimensionSharding();
  }
  return joined(within);
}

std::optional<Partitioner::Sharded> Partitioner::ShardsOfShards(const HloInstruction* local,
                                                                const ShardLayout& outer) const {
  const auto known = sharded_.find(local);
  // Padding within shards is not at the end of the array.
  if (known == sharded_.end() || outer.IsUndivided() || !outer.partial_groups.empty() ||
      !known->second.layout.partial_groups.empty() ||
      !IsEven(local->shape(), known->second.layout)) {
    return std::nullopt;
  }
  DimensionShardings all = DimensionShardingsOf(outer);
  const DimensionShardings inner = DimensionShardingsOf(known->second.layout);
  for (size_t d = 0; d < all.size(); ++d) {
    auto joined = JoinedSharding(all[d], inner[d]);
    if (!joined.has_value()) return std::nullopt;
    all[d] = *std::move(joined);
  }
  const std::optional<ShardLayout> layout = ShardLayoutFrom(all, partitions_);
  if (!layout.has_value()) return std::nullopt;
  absl::StatusOr<HloSharding> sharding = ToHloSharding(*layout);
  if (!sharding.ok()) return std::nullopt;
  return Sharded{known->second.shard, *layout, *std::move(sharding)};
}

absl::Status Partitioner::LeaveManual(HloInstruction* call) {
  if (call->operand_count() != 1) return Malformed(*call);
  const HloSharding full_sharding = ShardingOf(*call);
  HloInstruction* local = WithoutAnnotations(call->operand(0));
  XLA_ASSIGN_OR_RETURN(const ShardLayout all,
                       ShardLayoutOf(full_sharding, call->shape(), partitions_));
  XLA_ASSIGN_OR_RETURN(const ShardLayout layout,
                       ManualShardLayout(all, call->shape(), local->shape()));
  HloInstruction* full = emit_.Gather(local, call->shape(), layout);
  // Of a computation within another one, only the partitions of a group have the same.
  const bool is_full = !full_sharding.IsManualSubgroup();
  if (is_full) gathered_.insert(full);
  if (const std::optional<Sharded> shards = ShardsOfShards(local, layout)) {
    sharded_[full] = *shards;
  } else if (!layout.IsReplicated()) {
    sharded_[full] = Sharded{local, layout, full_sharding};
  } else if (const auto known = sharded_.find(full); is_full && known != sharded_.end()) {
    // The result of a computation within, of which the sharding names manual axes.
    XLA_ASSIGN_OR_RETURN(known->second.sharding, ToHloSharding(known->second.layout));
  }
  left_manual_.insert(full);
  manual_results_.insert(local);
  return call->parent()->ReplaceInstruction(call, full);
}

}  // namespace xla::spmd
