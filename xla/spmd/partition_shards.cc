// SPDX-License-Identifier: Apache-2.0
// The shards of a value: at hand, made from shards of what it is computed from, or cut out.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/passes/collective_group.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/free_values.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

constexpr int kMaxShardDepth = 500;

// Whether each partition has the same of the value in both layouts, though not always the same
// part of it.
bool HasSameShards(const HloInstruction& full, const ShardLayout& a, const ShardLayout& b) {
  if (a.counts != b.counts || !a.partial_groups.empty() || !b.partial_groups.empty()) return false;
  for (size_t d = 0; d < a.counts.size(); ++d) {
    if (!HasEqualShards(full, static_cast<int64_t>(d), a.counts[d]) &&
        a.Positions(d) != b.Positions(d)) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<HloInstruction*> Partitioner::ShardOf(HloInstruction* full,
                                                     const ShardLayout& layout) {
  const auto known = sharded_.find(full);
  if (known != sharded_.end() && known->second.layout == layout) return known->second.shard;
  if (!layout.partial_groups.empty()) {
    HloInstruction* partial = PartialOf(full, layout);
    return partial != nullptr ? partial : emit_.Cut(full, layout);
  }
  if (layout.IsUndivided()) return emit_.Cut(full, layout);
  const auto made = made_.find(full);
  if (made != made_.end() && made->second.layout == layout) return made->second.shard;
  HloInstruction* shard = nullptr;
  if (const auto partial = partials_.find(WithoutAnnotations(full)); partial != partials_.end()) {
    shard =
        emit_.ReduceScatter(partial->second.shard, full->shape(), partial->second.layout, layout);
  }
  if (shard == nullptr && known != sharded_.end() &&
      HasSameShards(*WithoutAnnotations(full), known->second.layout, layout)) {
    shard = known->second.shard;
  }
  const bool is_free = IsMadeOfFullParameters(*WithoutAnnotations(full), entry_);
  // Sizes that are known at run time are given to what was moved, not moved themselves.
  if (shard == nullptr && known != sharded_.end() && full->shape().is_static() &&
      !IsMadeAnywhere(*full) &&
      !(is_free && emit_.ReshardBytes(full->shape(), known->second.layout, layout) > 0)) {
    shard = emit_.Reshard(known->second.shard, full->shape(), known->second.layout, layout);
  }
  if (shard == nullptr) {
    XLA_ASSIGN_OR_RETURN(shard, MakeShard(full, layout));
  }
  if (shard == nullptr) {
    XLA_ASSIGN_OR_RETURN(shard, emit_.Cut(full, layout));
  }
  made_.insert_or_assign(full, Made{shard, layout});
  return shard;
}

void Partitioner::SetShard(HloInstruction* full, HloInstruction* shard, const ShardLayout& layout) {
  const auto sharding = ToHloSharding(layout);
  if (!sharding.ok()) return;
  sharded_.insert_or_assign(full, Sharded{shard, layout, *sharding});
}

HloInstruction* Partitioner::PartialOf(HloInstruction* full, const ShardLayout& layout) {
  HloInstruction* value = WithoutAnnotations(full);
  const auto partial = partials_.find(value);
  if (partial != partials_.end() && partial->second.layout == layout) {
    return partial->second.shard;
  }
  const Sharded* known = FindSharded(full);
  if (known != nullptr && known->layout == layout) return known->shard;
  if (HloInstruction* made = PartialFromOperands(value, layout)) {
    partials_.insert_or_assign(value, Made{made, layout});
    return made;
  }
  // The search above may have moved it.
  if (const auto parts = partials_.find(value); parts != partials_.end()) {
    HloInstruction* unreduced =
        emit_.Unreduce(parts->second.shard, full->shape(), parts->second.layout, layout);
    if (unreduced != nullptr) return unreduced;
  }
  if (known == nullptr) return nullptr;
  if (HloInstruction* unreduced =
          emit_.Unreduce(known->shard, full->shape(), known->layout, layout)) {
    return unreduced;
  }
  if (!known->layout.partial_groups.empty() || !layout.IsUndivided() ||
      layout.reduction != UnreducedKind::kSum) {
    return nullptr;
  }
  // The partitions of a group must have each shard once.
  if (!HaveSameGroups(layout.partial_groups, known->layout.Groups())) return nullptr;
  return emit_.Place(known->shard, full->shape(), known->layout);
}

HloInstruction* Partitioner::PartialFromOperands(HloInstruction* value, const ShardLayout& layout) {
  const UnreducedKind reduction = layout.reduction;
  switch (value->opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kNegate:
      if (reduction != UnreducedKind::kSum) return nullptr;
      break;
    case HloOpcode::kMaximum:
      if (reduction != UnreducedKind::kMax) return nullptr;
      break;
    case HloOpcode::kMinimum:
      if (reduction != UnreducedKind::kMin) return nullptr;
      break;
    case HloOpcode::kCopy:
      break;
    case HloOpcode::kCustomCall:
      if (!IsCall(*value, "LayoutConstraint")) return nullptr;
      break;
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
      if (!layout.IsUndivided()) return nullptr;
      break;
    default:
      return nullptr;
  }
  if (shard_depth_ == kMaxShardDepth) return nullptr;
  ++shard_depth_;
  Instructions operands;
  for (HloInstruction* operand : Instructions(value->operands().begin(), value->operands().end())) {
    ShardLayout of_operand = layout;
    of_operand.counts.resize(static_cast<size_t>(operand->shape().rank()), 1);
    of_operand.axes.resize(of_operand.counts.size());
    HloInstruction* partial = PartialOf(operand, of_operand);
    if (partial == nullptr) break;
    operands.push_back(partial);
  }
  --shard_depth_;
  if (operands.size() < static_cast<size_t>(value->operand_count())) return nullptr;
  const Shape& shape = layout.IsUndivided() ? value->shape() : operands[0]->shape();
  return value->parent()->AddInstruction(value->CloneWithNewOperands(shape, operands));
}

absl::StatusOr<bool> Partitioner::PartitionSum(HloInstruction* instruction) {
  if (instruction->opcode() != HloOpcode::kAdd && instruction->opcode() != HloOpcode::kSubtract) {
    return false;
  }
  Instructions parts;
  const ShardLayout* layout = nullptr;
  for (HloInstruction* operand : instruction->operands()) {
    // Others may need the sum of the operand itself.
    if (operand->users().size() != 1) return false;
    const ShardLayout* of_operand = nullptr;
    if (const Sharded* known = FindSharded(operand);
        known != nullptr && !known->layout.partial_groups.empty()) {
      of_operand = &known->layout;
      parts.push_back(known->shard);
    } else if (const auto made = partials_.find(WithoutAnnotations(operand));
               made != partials_.end()) {
      of_operand = &made->second.layout;
      parts.push_back(made->second.shard);
    }
    if (of_operand == nullptr || of_operand->reduction != UnreducedKind::kSum ||
        (layout != nullptr && *layout != *of_operand)) {
      return false;
    }
    layout = of_operand;
  }
  ShardingStrategy strategy;
  strategy.result = *layout;
  strategy.partial = std::exchange(strategy.result.partial_groups, {});
  HloInstruction* part = instruction->parent()->AddInstruction(
      instruction->CloneWithNewOperands(parts[0]->shape(), parts));
  HloInstruction* sum = CombinePartial(instruction, part, strategy);
  XLA_RETURN_IF_ERROR(SetResult(instruction, sum, strategy.result));
  return true;
}

absl::StatusOr<HloInstruction*> Partitioner::MakeShard(HloInstruction* full,
                                                       const ShardLayout& layout) {
  HloComputation* computation = full->parent();
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(full->shape(), layout));
  if (full->opcode() == HloOpcode::kBroadcast && full->operand(0)->shape().rank() == 0) {
    return computation->AddInstruction(
        full->CloneWithNewOperands(shape, {full->mutable_operand(0)}));
  }
  if (full->opcode() == HloOpcode::kIota) return IotaOfShard(full, shape, layout);
  const bool sets_size =
      full->opcode() == HloOpcode::kSetDimensionSize &&
      layout.counts[static_cast<size_t>(full->attributes<OneDimensionAttributes>().dimension())] ==
          1;
  if (!(full->info().Has(op_traits::kElementwiseTrait) || sets_size) ||
      full->operand_count() == 0 || shard_depth_ == kMaxShardDepth) {
    return nullptr;
  }
  ++shard_depth_;
  Instructions operands;
  for (HloInstruction* operand : Instructions(full->operands().begin(), full->operands().end())) {
    if (operand->shape().rank() == full->shape().rank()) {
      XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, layout));
    }
    operands.push_back(operand);
  }
  --shard_depth_;
  return computation->AddInstruction(full->CloneWithNewOperands(shape, operands));
}

HloInstruction* Partitioner::IotaOfShard(HloInstruction* full, const Shape& shape,
                                         const ShardLayout& layout) {
  HloComputation* computation = full->parent();
  const auto d = static_cast<size_t>(full->attributes<IotaAttributes>().iota_dimension);
  const PrimitiveType type = shape.element_type();
  const bool is_sharded = layout.counts[d] > 1;
  // Numbers that the type cannot hold wrap around in both, but not those of few bits.
  if (is_sharded &&
      (!primitive_util::IsIntegralType(type) || primitive_util::BitWidth(type) < 32)) {
    return nullptr;
  }
  HloInstruction* iota = computation->AddInstruction(full->CloneWithNewOperands(shape, {}));
  if (!is_sharded) return iota;
  HloInstruction* start =
      Add(computation, HloOpcode::kConvert, ShapeUtil::MakeShape(type, {}),
          {ShardStart(computation, layout, d, shape.dimensions(static_cast<int>(d)))});
  HloInstruction* offset = Add(computation, HloOpcode::kBroadcast, shape, {start}, Dimensions({}));
  return Add(computation, HloOpcode::kAdd, shape, {iota, offset});
}

const Partitioner::Sharded* Partitioner::FindSharded(HloInstruction* value) const {
  auto known = sharded_.find(value);
  if (known == sharded_.end()) known = sharded_.find(WithoutAnnotations(value));
  return known == sharded_.end() ? nullptr : &known->second;
}

std::optional<ShardLayout> Partitioner::KnownLayout(HloInstruction* value) const {
  const Sharded* known = FindSharded(value);
  if (known == nullptr || !known->layout.partial_groups.empty()) return std::nullopt;
  return known->layout;
}

absl::StatusOr<HloInstruction*> Partitioner::ShardOfAnnotated(HloInstruction* value,
                                                              const ShardLayout& layout) {
  const Sharded* known = FindSharded(value);
  if (known != nullptr && known->layout == layout) return known->shard;
  if (!layout.partial_groups.empty()) {
    // An annotation may be all that divides the value.
    HloInstruction* partial = PartialOf(value, layout);
    if (partial != nullptr) return partial;
  }
  return ShardOf(WithoutAnnotations(value), layout);
}

absl::StatusOr<HloInstruction*> Partitioner::FullOf(HloInstruction* shard, const Shape& full,
                                                    const HloSharding& sharding) {
  XLA_ASSIGN_OR_RETURN(ShardLayout layout, ShardLayoutOf(sharding, full, partitions_));
  XLA_ASSIGN_OR_RETURN(const Shape expected, ShardShape(full, layout));
  if (!ShapeUtil::Compatible(shard->shape(), expected)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a partitioner's program returns ", ShapeUtil::HumanString(shard->shape()),
                     " where its sharding says ", ShapeUtil::HumanString(expected)));
  }
  if (layout.IsReplicated()) return shard;
  HloInstruction* gathered = emit_.Gather(shard, full, layout);
  sharded_.insert_or_assign(gathered, Sharded{shard, std::move(layout), sharding});
  return gathered;
}

}  // namespace xla::spmd
