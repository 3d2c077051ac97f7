// SPDX-License-Identifier: Apache-2.0
// Parameters become shards, from which full arrays are gathered for those who need them.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// Whoever reads an element of the tuple reads that operand of it.
absl::Status ReadOperandsOf(HloInstruction* tuple) {
  if (tuple->opcode() != HloOpcode::kTuple) return absl::OkStatus();
  const Instructions users(tuple->users().begin(), tuple->users().end());
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->IsRoot()) continue;
    HloInstruction* operand = tuple->mutable_operand(user->tuple_index());
    XLA_RETURN_IF_ERROR(user->ReplaceAllUsesWith(operand));
  }
  for (HloInstruction* operand : tuple->operands()) XLA_RETURN_IF_ERROR(ReadOperandsOf(operand));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> Partitioner::ShardShapeOfParameter(const Shape& full,
                                                         const HloSharding& sharding,
                                                         std::vector<ParameterLeaf>& leaves) const {
  if (full.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : full.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Shape shard, ShardShapeOfParameter(element, sharding, leaves));
      elements.push_back(std::move(shard));
    }
    return ShapeUtil::MakeTupleShape(elements);
  }
  HloSharding stated = LeafSharding(sharding, leaves.size());
  ParameterLeaf& leaf = leaves.emplace_back();
  if (!full.IsArray()) return full;
  XLA_ASSIGN_OR_RETURN(leaf.layout, ShardLayoutOf(stated, full, partitions_));
  XLA_RETURN_IF_ERROR(MakeEven(full, leaf.layout, stated));
  if (leaf.layout.IsReplicated()) return full;
  leaf.sharding = std::move(stated);
  leaf.is_sharded = true;
  return ShardShape(full, leaf.layout);
}

absl::StatusOr<HloInstruction*> Partitioner::GatherParameter(HloInstruction* shard,
                                                             const Shape& full,
                                                             absl::Span<const ParameterLeaf> leaves,
                                                             size_t& next) {
  if (full.IsTuple()) {
    Instructions elements;
    for (int64_t i = 0; i < full.tuple_shapes_size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          HloInstruction * element,
          GatherParameter(Element(shard, i), full.tuple_shapes(static_cast<int>(i)), leaves, next));
      elements.push_back(element);
    }
    return Add(entry_, HloOpcode::kTuple, full, elements);
  }
  const ParameterLeaf& leaf = leaves[next++];
  if (!leaf.is_sharded) return shard;
  ShardLayout layout = leaf.layout;
  HloSharding sharding = leaf.sharding;
  HloInstruction* complete = shard;
  if (!layout.partial_groups.empty() && !layout.IsUndivided()) {
    // Operations work on shards of the sum.
    const PartitionGroups groups = std::exchange(layout.partial_groups, {});
    XLA_ASSIGN_OR_RETURN(sharding, ToHloSharding(layout));
    complete = emit_.Combine(shard, groups, emit_.Combiner(full.element_type(), layout.reduction));
  }
  HloInstruction* gathered = emit_.Gather(complete, full, layout);
  if (complete != shard) partials_.insert_or_assign(gathered, Made{shard, leaf.layout});
  sharded_[gathered] = Sharded{complete, std::move(layout), std::move(sharding)};
  gathered_.insert(gathered);
  return gathered;
}

absl::Status Partitioner::PartitionParameters() {
  for (HloInstruction* parameter : entry_->parameter_instructions()) {
    const Shape full = parameter->shape();
    std::vector<ParameterLeaf> leaves;
    XLA_ASSIGN_OR_RETURN(Shape shard, ShardShapeOfParameter(full, ShardingOf(*parameter), leaves));
    parameter->mutable_extras().sharding.reset();
    emit_.set_cause(*parameter);
    if (std::none_of(leaves.begin(), leaves.end(),
                     [](const ParameterLeaf& leaf) { return leaf.is_sharded; })) {
      shardings_.parameters.push_back(HloSharding::Replicate());
      continue;
    }
    std::vector<HloSharding> stated;
    for (const ParameterLeaf& leaf : leaves) stated.push_back(leaf.sharding);
    shardings_.parameters.push_back(full.IsTuple() ? HloSharding::Tuple(std::move(stated))
                                                   : stated[0]);
    if (options_.collect_values) {
      shardings_.values.push_back({parameter->name(), full.ToString(),
                                   shardings_.parameters.back().ToString(), /*is_boundary=*/true});
    }
    // A placeholder holds the uses while the parameter changes its shape.
    HloInstruction* placeholder = entry_->AddInstruction(
        HloInstruction::CreateConstant(Literal::CreateFromShape(ShapeUtil::MakeShape(PRED, {}))));
    XLA_RETURN_IF_ERROR(parameter->ReplaceAllUsesWithDifferentShape(placeholder));
    *parameter->mutable_shape() = std::move(shard);
    size_t next = 0;
    XLA_ASSIGN_OR_RETURN(HloInstruction * gathered, GatherParameter(parameter, full, leaves, next));
    XLA_RETURN_IF_ERROR(placeholder->ReplaceAllUsesWithDifferentShape(gathered));
    XLA_RETURN_IF_ERROR(entry_->RemoveInstruction(placeholder));
    XLA_RETURN_IF_ERROR(ReadOperandsOf(gathered));
  }
  return absl::OkStatus();
}

}  // namespace xla::spmd
