// SPDX-License-Identifier: Apache-2.0
// Parameters become shards, from which whole arrays are gathered for those who need them.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/literal.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

HloInstruction* WithoutPadding(HloInstruction* padded, const Shape& shape) {
  SliceAttributes attributes;
  for (const int64_t size : shape.dimensions()) attributes.slice.push_back({0, size, 1});
  return Add(padded->parent(), HloOpcode::kSlice, shape, {padded}, std::move(attributes));
}

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

absl::StatusOr<Shape> Partitioner::DivideShape(const Shape& whole, const HloSharding& sharding,
                                               std::vector<ParameterLeaf>& leaves) const {
  if (whole.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : whole.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Shape shard, DivideShape(element, sharding, leaves));
      elements.push_back(std::move(shard));
    }
    return ShapeUtil::MakeTupleShape(elements);
  }
  HloSharding stated = LeafSharding(sharding, leaves.size());
  ParameterLeaf& leaf = leaves.emplace_back();
  if (!whole.IsArray()) return whole;
  XLA_ASSIGN_OR_RETURN(leaf.tiles, TilesOf(stated, whole, partitions_));
  XLA_RETURN_IF_ERROR(DivideEvenly(whole, leaf.tiles, stated));
  if (leaf.tiles.IsOne()) return whole;
  leaf.sharding = std::move(stated);
  leaf.is_divided = true;
  return ShardShape(PaddedShape(whole, leaf.tiles), leaf.tiles);
}

HloInstruction* Partitioner::GatherParameter(HloInstruction* shard, const Shape& whole,
                                             absl::Span<const ParameterLeaf> leaves, size_t& next) {
  if (whole.IsTuple()) {
    Instructions elements;
    for (int64_t i = 0; i < whole.tuple_shapes_size(); ++i) {
      elements.push_back(GatherParameter(Element(shard, i), whole.tuple_shapes(static_cast<int>(i)),
                                         leaves, next));
    }
    return Add(entry_, HloOpcode::kTuple, whole, elements);
  }
  const ParameterLeaf& leaf = leaves[next++];
  if (!leaf.is_divided) return shard;
  HloInstruction* gathered = emit_.Gather(shard, PaddedShape(whole, leaf.tiles), leaf.tiles);
  if (DividesEvenly(whole, leaf.tiles)) {
    divided_[gathered] = Divided{shard, leaf.tiles, leaf.sharding};
  } else {
    gathered = WithoutPadding(gathered, whole);
  }
  gathered_.insert(gathered);
  return gathered;
}

absl::Status Partitioner::DivideParameters() {
  for (HloInstruction* parameter : entry_->parameter_instructions()) {
    const Shape whole = parameter->shape();
    std::vector<ParameterLeaf> leaves;
    XLA_ASSIGN_OR_RETURN(Shape shard, DivideShape(whole, ShardingOf(*parameter), leaves));
    parameter->mutable_extras().sharding.reset();
    if (std::none_of(leaves.begin(), leaves.end(),
                     [](const ParameterLeaf& leaf) { return leaf.is_divided; })) {
      shardings_.parameters.push_back(HloSharding::Replicate());
      continue;
    }
    std::vector<HloSharding> stated;
    for (const ParameterLeaf& leaf : leaves) stated.push_back(leaf.sharding);
    shardings_.parameters.push_back(whole.IsTuple() ? HloSharding::Tuple(std::move(stated))
                                                    : stated[0]);
    const std::string* group = GroupOf(*parameter);
    if (group != nullptr && whole.IsArray() && leaves[0].tiles.sums.empty()) {
      groups_.emplace(*group, Alike{leaves[0].tiles, leaves[0].sharding});
    }
    // A placeholder holds the uses while the parameter changes its shape.
    HloInstruction* placeholder = entry_->AddInstruction(
        HloInstruction::CreateConstant(Literal::CreateFromShape(ShapeUtil::MakeShape(PRED, {}))));
    XLA_RETURN_IF_ERROR(parameter->ReplaceAllUsesWithDifferentShape(placeholder));
    *parameter->mutable_shape() = std::move(shard);
    size_t next = 0;
    HloInstruction* gathered = GatherParameter(parameter, whole, leaves, next);
    XLA_RETURN_IF_ERROR(placeholder->ReplaceAllUsesWithDifferentShape(gathered));
    XLA_RETURN_IF_ERROR(entry_->RemoveInstruction(placeholder));
    XLA_RETURN_IF_ERROR(ReadOperandsOf(gathered));
  }
  return absl::OkStatus();
}

}  // namespace xla::pjrt
