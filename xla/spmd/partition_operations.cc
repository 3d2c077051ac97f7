// SPDX-License-Identifier: Apache-2.0
// Instructions on shards: each as the strategies of sharding_strategy.h say, annotations as they
// ask.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/batch_rules.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/reduction_start.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

absl::StatusOr<Shape> ShardShapeOf(const HloInstruction& instruction,
                                   const ShardingStrategy& strategy) {
  const auto shard_of = [&](const Shape& full, const ShardLayout& layout) -> absl::StatusOr<Shape> {
    XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(full, layout));
    // Code outside relies on the layouts that it asked for.
    if (instruction.opcode() == HloOpcode::kCustomCall && full.has_layout()) {
      *shard.mutable_layout() = full.layout();
    }
    return shard;
  };
  if (strategy.elements.empty()) return shard_of(instruction.shape(), strategy.result);
  std::vector<Shape> shapes;
  for (size_t i = 0; i < strategy.elements.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        Shape shard,
        shard_of(instruction.shape().tuple_shapes(static_cast<int>(i)), strategy.elements[i]));
    shapes.push_back(std::move(shard));
  }
  return ShapeUtil::MakeTupleShape(shapes);
}

// Whether another instruction has its uses now.
bool IsReplaced(const HloInstruction& instruction) {
  return instruction.IsDead() || (instruction.users().empty() && !instruction.IsRoot());
}

}  // namespace

absl::Status Partitioner::PartitionOperations(HloComputation* computation) {
  for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
    if (instruction->IsDead()) continue;
    emit_.set_cause(*instruction);
    const size_t users = instruction->users().size();
    XLA_RETURN_IF_ERROR(PartitionInstruction(instruction));
    if (options_.collect_values) CollectValue(*instruction);
    // Shards that are cut out of the full value use it.
    if (!IsReplaced(*instruction) && instruction->users().size() <= users) {
      XLA_RETURN_IF_ERROR(GatherResult(instruction));
    }
  }
  return absl::OkStatus();
}

void Partitioner::CollectValue(const HloInstruction& instruction) {
  if (instruction.IsDead() || !instruction.shape().IsArray()) return;
  const auto found = sharded_.find(&instruction);
  if (found == sharded_.end()) return;
  shardings_.values.push_back({instruction.name(), instruction.shape().ToString(),
                               found->second.sharding.ToString(), /*is_boundary=*/false});
}

absl::Status Partitioner::PartitionInstruction(HloInstruction* instruction) {
  if (const auto known = sharded_.find(instruction); known != sharded_.end()) {
    // It is gathered from its shards, which a manual computation may have divided further since.
    if (!left_manual_.contains(instruction)) return absl::OkStatus();
    auto shards = ShardsOfShards(known->second.shard, known->second.layout);
    if (shards.has_value()) known->second = *std::move(shards);
    return absl::OkStatus();
  }
  if (instruction->opcode() == HloOpcode::kWhile) return PartitionLoop(instruction);
  if (instruction->opcode() == HloOpcode::kConditional) return PartitionConditional(instruction);
  if (instruction->opcode() == HloOpcode::kOptimizationBarrier) {
    XLA_RETURN_IF_ERROR(PartitionBarrier(instruction));
    if (IsReplaced(*instruction)) return absl::OkStatus();
  }
  if (IsCall(*instruction, "Sharding")) return PartitionAnnotation(instruction);
  if (IsCall(*instruction, "SPMDFullToShardShape")) {
    return EnterManual(instruction, /*is_last=*/true);
  }
  if (IsCall(*instruction, "control_dep") && ShapeUtil::IsEmptyTuple(instruction->shape())) {
    // An order of full values means nothing to shards.
    return instruction->parent()->ReplaceInstruction(
        instruction, Zero(instruction->parent(), instruction->shape()));
  }
  if (HasPartitioner(*instruction)) return PartitionCall(instruction);
  if (options_.call_partitioner != nullptr && instruction->opcode() == HloOpcode::kCustomCall &&
      options_.call_partitioner->TakesShards(*instruction)) {
    return CallWithShards(instruction);
  }
  if (instruction->opcode() == HloOpcode::kGetTupleElement) {
    if (instruction->operand(0)->opcode() == HloOpcode::kTuple && !instruction->IsRoot()) {
      return instruction->ReplaceAllUsesWith(
          instruction->mutable_operand(0)->mutable_operand(instruction->tuple_index()));
    }
    return PartitionElement(instruction);
  }
  // Partitions that want different elements cannot share the work on the full value.
  bool is_done = divergent_.contains(instruction);
  if (!is_done) {
    XLA_ASSIGN_OR_RETURN(is_done, PartitionSizes(instruction));
  }
  if (!is_done) {
    XLA_ASSIGN_OR_RETURN(is_done, PartitionSum(instruction));
  }
  if (!is_done) {
    emit_.TakeAdded();
    XLA_ASSIGN_OR_RETURN(is_done, PartitionAlongDividedDimension(instruction));
    if (is_done && IsCheaperByStrategy(*instruction)) {
      sharded_.erase(instruction);
      is_done = false;
    }
  }
  if (!is_done) {
    XLA_ASSIGN_OR_RETURN(is_done, PartitionCollective(instruction));
  }
  if (!is_done) XLA_RETURN_IF_ERROR(PartitionByStrategy(instruction));
  return IsReplaced(*instruction) ? absl::OkStatus() : TakeOwnSharding(instruction);
}

absl::StatusOr<bool> Partitioner::PartitionSizes(HloInstruction* instruction) {
  const bool reads = instruction->opcode() == HloOpcode::kGetDimensionSize;
  const bool writes = instruction->opcode() == HloOpcode::kSetDimensionSize;
  if (!reads && !writes) return false;
  const Source source = SourceOf(instruction->mutable_operand(0));
  if (source.shard == nullptr) return false;
  const auto& attributes = instruction->attributes<OneDimensionAttributes>();
  const ShardLayout layout = LayoutWithWhole(source.layout, {attributes.dimension()}, partitions_);
  if (reads) {
    if (layout != source.layout) return false;
    HloInstruction* size = Add(instruction->parent(), HloOpcode::kGetDimensionSize,
                               instruction->shape(), {source.shard}, attributes);
    gathered_.insert(size);  // it is the same for all shards
    XLA_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(size));
    return true;
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard, MakeShard(instruction, layout));
  if (shard != nullptr) SetShard(instruction, shard, layout);
  return shard != nullptr;
}

std::vector<const ShardLayout*> Partitioner::KnownLayouts(const HloInstruction& instruction) const {
  std::vector<const ShardLayout*> known;
  for (const HloInstruction* operand : instruction.operands()) {
    const auto found = sharded_.find(operand);
    // Of sums, only some operations are the sum of results.
    const bool is_complete = found != sharded_.end() && found->second.layout.partial_groups.empty();
    known.push_back(is_complete ? &found->second.layout : nullptr);
  }
  return known;
}

absl::Status Partitioner::PartitionByStrategy(HloInstruction* instruction) {
  const std::vector<const ShardLayout*> known = KnownLayouts(*instruction);
  const bool is_known = absl::c_any_of(known, [](const auto* layout) { return layout != nullptr; });
  if (!is_known && !WantedLayout(*instruction).has_value()) return absl::OkStatus();
  const std::optional<ShardingStrategy> strategy = ChooseStrategy(*instruction, known);
  if (!strategy.has_value()) return absl::OkStatus();
  // Elementwise instructions keep the text of the sharding that they follow.
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] == nullptr || !instruction->info().Has(op_traits::kElementwiseTrait) ||
        *known[i] != strategy->result) {
      continue;
    }
    HloSharding sharding =
        sharded_.find(instruction->operand(static_cast<int64_t>(i)))->second.sharding;
    return PartitionOperation(instruction, *strategy, std::move(sharding));
  }
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, ToHloSharding(strategy->result));
  return PartitionOperation(instruction, *strategy, std::move(sharding));
}

absl::Status Partitioner::PartitionOperation(HloInstruction* instruction,
                                             const ShardingStrategy& strategy,
                                             HloSharding sharding) {
  Instructions operands;
  for (size_t i = 0; i < strategy.operands.size(); ++i) {
    HloInstruction* operand = instruction->mutable_operand(static_cast<int64_t>(i));
    if (strategy.operands[i].has_value()) {
      XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, *strategy.operands[i]));
      operand = WithoutPaddingFor(*instruction, i, operand, *strategy.operands[i]);
    }
    operands.push_back(operand);
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShapeOf(*instruction, strategy));
  if (instruction->opcode() == HloOpcode::kReshape) {
    operands[0] = ReshapeRows(*instruction, operands[0], strategy);
  }
  // Parts that may not begin with the initial value get it once they are combined.
  const bool begins_later = instruction->opcode() == HloOpcode::kReduce &&
                            !strategy.partial.empty() && !MayRepeatStart(*instruction, 0);
  if (begins_later) operands[1] = NeutralElement(*instruction, 0);
  HloInstruction* shard =
      instruction->parent()->AddInstruction(instruction->CloneWithNewOperands(shape, operands));
  FitToShards(shard);
  if (!strategy.elements.empty()) {
    sharded_tuples_[instruction] = ShardedTuple{shard, strategy.elements};
    return absl::OkStatus();
  }
  if (!strategy.partial.empty()) shard = CombinePartial(instruction, shard, strategy);
  if (begins_later) {
    partials_.erase(instruction);
    HloInstruction* initial = Add(instruction->parent(), HloOpcode::kBroadcast, shape,
                                  {instruction->mutable_operand(1)}, Dimensions({}));
    shard = Add(instruction->parent(), *OperationOf(*instruction, 0), shape, {initial, shard});
  }
  if (!strategy.result.IsUndivided()) {
    sharded_[instruction] = Sharded{shard, strategy.result, std::move(sharding)};
    return absl::OkStatus();
  }
  // The full result, of less work.
  return instruction->ReplaceAllUsesWith(shard);
}

HloInstruction* Partitioner::CombinePartial(HloInstruction* instruction, HloInstruction* part,
                                            const ShardingStrategy& strategy) {
  HloComputation* combiner =
      instruction->opcode() == HloOpcode::kReduce
          ? instruction->to_apply()
          : emit_.Combiner(part->shape().element_type(), UnreducedKind::kSum);
  HloInstruction* result = emit_.Combine(part, strategy.partial, combiner);
  if (const auto reduction = ReductionOf(*combiner)) {
    ShardLayout partials = strategy.result;
    partials.partial_groups = strategy.partial;
    partials.reduction = *reduction;
    partials_.insert_or_assign(instruction, Made{part, partials});
    partials_.insert_or_assign(result, Made{part, std::move(partials)});
  }
  return result;
}

absl::Status Partitioner::PartitionElement(HloInstruction* element) {
  const auto tuple = sharded_tuples_.find(element->operand(0));
  if (tuple == sharded_tuples_.end()) return absl::OkStatus();
  const ShardLayout& layout = tuple->second.elements[static_cast<size_t>(element->tuple_index())];
  HloInstruction* shard = Element(tuple->second.shard, element->tuple_index());
  if (layout.IsUndivided()) return element->ReplaceAllUsesWith(shard);
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, ToHloSharding(layout));
  sharded_[element] = Sharded{shard, layout, std::move(sharding)};
  return absl::OkStatus();
}

absl::Status Partitioner::PartitionAnnotation(HloInstruction* annotation) {
  HloInstruction* operand = annotation->mutable_operand(0);
  const auto known = sharded_.find(operand);
  if (annotation->shape().IsArray()) {
    const HloSharding sharding = ShardingOf(*annotation);
    const absl::StatusOr<ShardLayout> layout =
        ShardLayoutOf(sharding, annotation->shape(), partitions_);
    if (layout.ok() && !layout->IsUndivided() && layout->partial_groups.empty()) {
      XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(operand, *layout));
      sharded_[annotation] = Sharded{shard, *layout, sharding};
      return absl::OkStatus();
    }
  }
  if (known != sharded_.end()) sharded_.emplace(annotation, Sharded(known->second));
  return absl::OkStatus();
}

absl::StatusOr<bool> Partitioner::PartitionAlongDividedDimension(HloInstruction* instruction) {
  switch (instruction->opcode()) {
    case HloOpcode::kSlice:
      return PartitionSlice(instruction);
    case HloOpcode::kReverse:
      return PartitionReverse(instruction);
    case HloOpcode::kPad:
      return PartitionPad(instruction);
    case HloOpcode::kConcatenate:
      return PartitionConcatenate(instruction);
    case HloOpcode::kReduceWindow:
      if (PartitionCumulative(instruction)) return true;
      return PartitionReduceWindow(instruction);
    case HloOpcode::kSelectAndScatter:
      return PartitionSelectAndScatter(instruction);
    case HloOpcode::kConvolution:
      return PartitionConvolution(instruction);
    case HloOpcode::kRaggedDot:
      return PartitionRaggedDot(instruction);
    case HloOpcode::kDynamicSlice:
      return PartitionDynamicSlice(instruction);
    case HloOpcode::kDynamicUpdateSlice:
      return PartitionDynamicUpdateSlice(instruction);
    case HloOpcode::kGather:
      return PartitionGather(instruction);
    case HloOpcode::kScatter:
      return PartitionScatter(instruction);
    case HloOpcode::kReduce:
      return PartitionVariadicReduce(instruction);
    case HloOpcode::kCustomCall:
      return PartitionShifts(instruction);
    default:
      return false;
  }
}

}  // namespace xla::spmd
