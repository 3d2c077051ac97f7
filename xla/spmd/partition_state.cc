// SPDX-License-Identifier: Apache-2.0
// Tuples that loops and conditionals pass: their shards, and computations that take shards.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

}  // namespace

Partitioner::State Partitioner::StateOf(const HloInstruction& tuple) const {
  State state;
  for (HloInstruction* element : tuple.operands()) {
    StateElement& made = state.emplace_back(StateElement{KnownLayout(element)});
    if (made.layout.has_value() || !IsCall(*element, "Sharding")) continue;
    const auto layout = ShardLayoutOf(ShardingOf(*element), element->shape(), partitions_);
    if (layout.ok() && !layout->partial_groups.empty() &&
        ShardShape(element->shape(), *layout).ok()) {
      made.layout = *layout;
    }
  }
  return state;
}

void Partitioner::FixElements(const HloInstruction& tuple, State& state) const {
  if (!tuple.has_sharding()) return;
  size_t leaf = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Shape& shape = tuple.shape().tuple_shapes(static_cast<int>(i));
    const size_t first = leaf;
    leaf += static_cast<size_t>(ShapeUtil::GetLeafCount(shape));
    if (!shape.IsArray()) continue;
    const auto layout = ShardLayoutOf(LeafSharding(tuple.sharding(), first), shape, partitions_);
    if (layout.ok() && !layout->IsUndivided() && layout->partial_groups.empty() &&
        IsEven(shape, *layout)) {
      state[i] = {.layout = *layout, .is_fixed = true};
    }
  }
}

bool Partitioner::IsSharded(const State& state) {
  return std::any_of(state.begin(), state.end(),
                     [](const StateElement& element) { return element.layout.has_value(); });
}

bool Partitioner::MayPartition(HloComputation* computation) const {
  for (const HloComputation* reached : ReachableComputations(computation)) {
    for (const HloInstruction* instruction : reached->instructions()) {
      if (instruction->has_sharding() || sharded_.contains(instruction)) return true;
    }
  }
  return false;
}

absl::StatusOr<Shape> Partitioner::ShapeOf(const Shape& full, const State& state) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < state.size(); ++i) {
    const Shape& element = full.tuple_shapes(static_cast<int>(i));
    if (!state[i].layout.has_value()) {
      shapes.push_back(element);
      continue;
    }
    XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(element, *state[i].layout));
    shapes.push_back(std::move(shard));
  }
  return ShapeUtil::MakeTupleShape(shapes);
}

absl::StatusOr<HloComputation*> Partitioner::PartitionState(const HloComputation& original,
                                                            const State& state) {
  CloneMap map;
  HloComputation* computation = CloneComputation(original, &module_, &map, {.suffix = "divided"});
  std::vector<std::pair<HloInstruction*, Sharded>> known;  // results of manual computations
  for (const HloInstruction* instruction : original.instructions()) {
    if (divergent_.contains(instruction)) divergent_.insert(map.Find(instruction));
    if (left_manual_.contains(instruction)) left_manual_.insert(map.Find(instruction));
    const auto found = sharded_.find(instruction);
    if (found == sharded_.end()) continue;
    Sharded copy = found->second;
    if (manual_results_.contains(copy.shard)) manual_results_.insert(map.Find(copy.shard));
    copy.shard = map.Find(copy.shard);
    known.emplace_back(map.Find(instruction), std::move(copy));
  }
  for (auto& [full, divided] : known) sharded_.insert_or_assign(full, std::move(divided));

  HloInstruction* parameter = computation->parameter_instruction(0);
  if (IsSharded(state)) {
    const Instructions elements(parameter->users().begin(), parameter->users().end());
    const Shape full = parameter->shape();
    XLA_ASSIGN_OR_RETURN(*parameter->mutable_shape(), ShapeOf(full, state));
    XLA_ASSIGN_OR_RETURN(const Instructions fulls,
                         FullElements(parameter, full, state, /*together=*/false));
    for (HloInstruction* element : elements) {
      const auto i = static_cast<size_t>(element->tuple_index());
      if (!state[i].layout.has_value()) continue;
      XLA_RETURN_IF_ERROR(element->ReplaceAllUsesWith(fulls[i]));
      XLA_RETURN_IF_ERROR(computation->RemoveInstruction(element));
    }
  }
  XLA_RETURN_IF_ERROR(PartitionOperations(computation));
  return computation;
}

Instructions Partitioner::CompleteSums(Instructions shards, const State& state, bool together) {
  std::vector<std::vector<size_t>> kinds;  // of elements that are completed by one instruction
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state[i].layout.has_value() || state[i].layout->partial_groups.empty()) continue;
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& others) {
      const size_t other = others.front();
      return together &&
             shards[other]->shape().element_type() == shards[i]->shape().element_type() &&
             state[other].layout->reduction == state[i].layout->reduction &&
             HaveSameGroups(state[other].layout->partial_groups, state[i].layout->partial_groups);
    });
    if (kind == kinds.end()) {
      kinds.push_back({i});
    } else {
      kind->push_back(i);
    }
  }
  for (const std::vector<size_t>& kind : kinds) {
    Instructions parts;
    for (const size_t i : kind) parts.push_back(shards[i]);
    const ShardLayout& layout = *state[kind[0]].layout;
    const Instructions partial_groups =
        emit_.CombineAll(parts, layout.partial_groups,
                         emit_.Combiner(parts[0]->shape().element_type(), layout.reduction));
    for (size_t k = 0; k < kind.size(); ++k) shards[kind[k]] = partial_groups[k];
  }
  return shards;
}

absl::StatusOr<Instructions> Partitioner::FullElements(HloInstruction* tuple, const Shape& full,
                                                       const State& state, bool together) {
  Instructions shards;
  for (size_t i = 0; i < state.size(); ++i) {
    shards.push_back(Element(tuple, static_cast<int64_t>(i)));
  }
  Instructions elements = CompleteSums(shards, state, together);
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state[i].layout.has_value()) continue;
    ShardLayout complete = *state[i].layout;
    complete.partial_groups.clear();
    elements[i] = emit_.Gather(elements[i], full.tuple_shapes(static_cast<int>(i)), complete);
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, ToHloSharding(complete));
    sharded_.insert_or_assign(elements[i],
                              Sharded{shards[i], *state[i].layout, std::move(sharding)});
  }
  return elements;
}

absl::StatusOr<HloInstruction*> Partitioner::ShardsOf(HloInstruction* tuple, const State& state) {
  Instructions elements;
  for (size_t i = 0; i < state.size(); ++i) {
    HloInstruction* element = tuple->mutable_operand(static_cast<int64_t>(i));
    if (state[i].layout.has_value()) {
      XLA_ASSIGN_OR_RETURN(element, ShardOfAnnotated(element, *state[i].layout));
    }
    elements.push_back(element);
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(tuple->shape(), state));
  return Add(tuple->parent(), HloOpcode::kTuple, shape, elements);
}

void Partitioner::ReplaceShard(const HloInstruction* shard, HloInstruction* replacement) {
  if (manual_results_.erase(shard) == 0) return;
  manual_results_.insert(replacement);
  for (auto* shards : {&made_, &partials_}) {
    for (auto& [full, made] : *shards) {
      if (made.shard == shard) made.shard = replacement;
    }
  }
  for (auto& [full, sharded] : sharded_) {
    if (sharded.shard == shard) sharded.shard = replacement;
  }
}

absl::Status Partitioner::ReplaceBySharded(HloInstruction* original, HloInstruction* divided,
                                           const State& state) {
  HloComputation* computation = original->parent();
  XLA_ASSIGN_OR_RETURN(const Instructions elements,
                       FullElements(divided, original->shape(), state, /*together=*/true));
  const Instructions users(original->users().begin(), original->users().end());
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->IsRoot()) continue;
    HloInstruction* element = elements[static_cast<size_t>(user->tuple_index())];
    XLA_RETURN_IF_ERROR(user->ReplaceAllUsesWith(element));
    ReplaceShard(user, element);
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(user));
  }
  return computation->ReplaceInstruction(
      original, Add(computation, HloOpcode::kTuple, original->shape(), elements));
}

}  // namespace xla::spmd
