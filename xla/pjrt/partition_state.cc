// SPDX-License-Identifier: Apache-2.0
// Tuples that loops and conditionals pass: their shards, and computations that take shards.
#include <algorithm>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

}  // namespace

Partitioner::State Partitioner::StateOf(const HloInstruction& tuple) const {
  State state;
  for (HloInstruction* element : tuple.operands()) {
    StateElement& made = state.emplace_back(StateElement{TilesAtHand(element)});
    if (made.tiles.has_value() || !IsCall(*element, "Sharding")) continue;
    const auto tiles = TilesOf(ShardingOf(*element), element->shape(), partitions_);
    if (tiles.ok() && !tiles->sums.empty() && ShardShape(element->shape(), *tiles).ok()) {
      made.tiles = *tiles;
    }
  }
  return state;
}

bool Partitioner::IsDivided(const State& state) {
  return std::any_of(state.begin(), state.end(),
                     [](const StateElement& element) { return element.tiles.has_value(); });
}

bool Partitioner::MayDivide(HloComputation* computation) const {
  for (const HloComputation* reached : ReachableComputations(computation)) {
    for (const HloInstruction* instruction : reached->instructions()) {
      if (IsCall(*instruction, "Sharding") || divided_.contains(instruction)) return true;
    }
  }
  return false;
}

absl::StatusOr<Shape> Partitioner::ShapeOf(const Shape& whole, const State& state) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < state.size(); ++i) {
    const Shape& element = whole.tuple_shapes(static_cast<int>(i));
    if (!state[i].tiles.has_value()) {
      shapes.push_back(element);
      continue;
    }
    XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(element, *state[i].tiles));
    shapes.push_back(std::move(shard));
  }
  return ShapeUtil::MakeTupleShape(shapes);
}

absl::StatusOr<HloComputation*> Partitioner::DivideState(const HloComputation& original,
                                                         const State& state) {
  CloneMap map;
  HloComputation* computation = CloneComputation(original, &module_, &map, {.suffix = "divided"});
  std::vector<std::pair<HloInstruction*, Divided>> known;  // results of manual computations
  for (const HloInstruction* instruction : original.instructions()) {
    if (differing_.contains(instruction)) differing_.insert(map.Find(instruction));
    const auto found = divided_.find(instruction);
    if (found == divided_.end()) continue;
    Divided copy = found->second;
    copy.shard = map.Find(copy.shard);
    known.emplace_back(map.Find(instruction), std::move(copy));
  }
  for (auto& [whole, divided] : known) divided_.insert_or_assign(whole, std::move(divided));

  HloInstruction* parameter = computation->parameter_instruction(0);
  if (IsDivided(state)) {
    const Instructions elements(parameter->users().begin(), parameter->users().end());
    const Shape whole = parameter->shape();
    XLA_ASSIGN_OR_RETURN(*parameter->mutable_shape(), ShapeOf(whole, state));
    XLA_ASSIGN_OR_RETURN(const Instructions wholes,
                         WholeElements(parameter, whole, state, /*together=*/false));
    for (HloInstruction* element : elements) {
      const auto i = static_cast<size_t>(element->tuple_index());
      if (!state[i].tiles.has_value()) continue;
      XLA_RETURN_IF_ERROR(element->ReplaceAllUsesWith(wholes[i]));
      XLA_RETURN_IF_ERROR(computation->RemoveInstruction(element));
    }
  }
  XLA_RETURN_IF_ERROR(DivideOperations(computation));
  return computation;
}

Instructions Partitioner::CompleteSums(Instructions shards, const State& state, bool together) {
  std::vector<std::vector<size_t>> kinds;  // of elements that are completed by one instruction
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state[i].tiles.has_value() || state[i].tiles->sums.empty()) continue;
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& others) {
      const size_t other = others.front();
      return together &&
             shards[other]->shape().element_type() == shards[i]->shape().element_type() &&
             state[other].tiles->reduction == state[i].tiles->reduction &&
             HaveSameGroups(state[other].tiles->sums, state[i].tiles->sums);
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
    const Tiles& tiles = *state[kind[0]].tiles;
    const Instructions sums = emit_.CombineAll(
        parts, tiles.sums, emit_.Combiner(parts[0]->shape().element_type(), tiles.reduction));
    for (size_t k = 0; k < kind.size(); ++k) shards[kind[k]] = sums[k];
  }
  return shards;
}

absl::StatusOr<Instructions> Partitioner::WholeElements(HloInstruction* tuple, const Shape& whole,
                                                        const State& state, bool together) {
  Instructions shards;
  for (size_t i = 0; i < state.size(); ++i) {
    shards.push_back(Element(tuple, static_cast<int64_t>(i)));
  }
  Instructions elements = CompleteSums(shards, state, together);
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state[i].tiles.has_value()) continue;
    Tiles complete = *state[i].tiles;
    complete.sums.clear();
    elements[i] = emit_.Gather(elements[i], whole.tuple_shapes(static_cast<int>(i)), complete);
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, ShardingOfTiles(complete));
    divided_.insert_or_assign(elements[i],
                              Divided{shards[i], *state[i].tiles, std::move(sharding)});
  }
  return elements;
}

absl::StatusOr<HloInstruction*> Partitioner::ShardsOf(HloInstruction* tuple, const State& state) {
  Instructions elements;
  for (size_t i = 0; i < state.size(); ++i) {
    HloInstruction* element = tuple->mutable_operand(static_cast<int64_t>(i));
    if (state[i].tiles.has_value()) {
      XLA_ASSIGN_OR_RETURN(element, ShardOfAnnotated(element, *state[i].tiles));
    }
    elements.push_back(element);
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(tuple->shape(), state));
  return Add(tuple->parent(), HloOpcode::kTuple, shape, elements);
}

absl::Status Partitioner::ReplaceByDivided(HloInstruction* original, HloInstruction* divided,
                                           const State& state) {
  HloComputation* computation = original->parent();
  XLA_ASSIGN_OR_RETURN(const Instructions elements,
                       WholeElements(divided, original->shape(), state, /*together=*/true));
  const Instructions users(original->users().begin(), original->users().end());
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->IsRoot()) continue;
    XLA_RETURN_IF_ERROR(
        user->ReplaceAllUsesWith(elements[static_cast<size_t>(user->tuple_index())]));
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(user));
  }
  return computation->ReplaceInstruction(
      original, Add(computation, HloOpcode::kTuple, original->shape(), elements));
}

}  // namespace xla::pjrt
