// SPDX-License-Identifier: Apache-2.0
// Loops on shards: the state as the body makes it, tried until it does not change.
#include <algorithm>
#include <optional>
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

// Each loop is tried a few times, within each try of the loop around it.
constexpr int kMaxLoopDepth = 4;
constexpr int kMaxLoopAttempts = 8;

bool HasOnlyElements(const HloInstruction& tuple) {
  return !tuple.IsRoot() &&
         std::all_of(tuple.users().begin(), tuple.users().end(), [](const HloInstruction* user) {
           return user->opcode() == HloOpcode::kGetTupleElement && !user->IsRoot();
         });
}

bool HasAnnotations(const HloComputation& computation) {
  const auto& instructions = computation.instructions();
  return std::any_of(
      instructions.begin(), instructions.end(),
      [](const HloInstruction* instruction) { return IsCall(*instruction, "Sharding"); });
}

}  // namespace

absl::StatusOr<Shape> Partitioner::ShapeOf(const Shape& whole,
                                           const std::vector<LoopElement>& state) {
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

absl::Status Partitioner::DivideLoop(HloInstruction* loop) {
  HloInstruction* init = loop->mutable_operand(0);
  if (loop_depth_ == kMaxLoopDepth || init->opcode() != HloOpcode::kTuple ||
      !HasOnlyElements(*loop->while_body()->parameter_instruction(0)) ||
      !HasOnlyElements(*loop->while_condition()->parameter_instruction(0)) ||
      loop->while_body()->root_instruction()->opcode() != HloOpcode::kTuple ||
      !loop->control_predecessors().empty() || !loop->control_successors().empty()) {
    return absl::OkStatus();
  }
  std::vector<LoopElement> state(static_cast<size_t>(init->operand_count()));
  bool is_divided = false;
  for (size_t i = 0; i < state.size(); ++i) {
    state[i].tiles = TilesAtHand(init->operand(static_cast<int64_t>(i)));
    is_divided = is_divided || state[i].tiles.has_value();
  }
  if (!is_divided && !HasAnnotations(*loop->while_body())) return absl::OkStatus();
  ++loop_depth_;
  HloComputation* body = nullptr;
  bool is_settled = false;
  for (int attempt = 0; attempt < kMaxLoopAttempts && !is_settled; ++attempt) {
    XLA_ASSIGN_OR_RETURN(body, DivideState(*loop->while_body(), state));
    is_settled = FollowBody(*body->root_instruction(), state);
  }
  --loop_depth_;
  // What was tried is not called by anything, and is removed in the end.
  is_divided = std::any_of(state.begin(), state.end(),
                           [](const LoopElement& element) { return element.tiles.has_value(); });
  if (!is_settled || !is_divided) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(HloComputation * condition, DivideState(*loop->while_condition(), state));
  XLA_ASSIGN_OR_RETURN(HloInstruction * result, ShardsOf(body->root_instruction(), state));
  body->set_root_instruction(result);
  XLA_ASSIGN_OR_RETURN(HloInstruction * begin, ShardsOf(init, state));
  return ReplaceLoop(loop, begin, body, condition, state);
}

absl::StatusOr<HloComputation*> Partitioner::DivideState(const HloComputation& original,
                                                         const std::vector<LoopElement>& state) {
  CloneMap map;
  HloComputation* computation = CloneComputation(original, &module_, &map, {.suffix = "divided"});
  std::vector<std::pair<HloInstruction*, Divided>> known;  // results of manual computations
  for (const HloInstruction* instruction : original.instructions()) {
    const auto found = divided_.find(instruction);
    if (found == divided_.end()) continue;
    Divided copy = found->second;
    copy.shard = map.Find(copy.shard);
    known.emplace_back(map.Find(instruction), std::move(copy));
  }
  for (auto& [whole, divided] : known) divided_.insert_or_assign(whole, std::move(divided));

  HloInstruction* parameter = computation->parameter_instruction(0);
  const Instructions elements(parameter->users().begin(), parameter->users().end());
  const Shape whole = parameter->shape();
  XLA_ASSIGN_OR_RETURN(*parameter->mutable_shape(), ShapeOf(whole, state));
  for (HloInstruction* element : elements) {
    const auto i = static_cast<size_t>(element->tuple_index());
    if (!state[i].tiles.has_value()) continue;
    XLA_ASSIGN_OR_RETURN(HloInstruction * gathered,
                         WholeElement(parameter, element->shape(), i, *state[i].tiles));
    XLA_RETURN_IF_ERROR(element->ReplaceAllUsesWith(gathered));
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(element));
  }
  XLA_RETURN_IF_ERROR(DivideOperations(computation));
  return computation;
}

absl::StatusOr<HloInstruction*> Partitioner::WholeElement(HloInstruction* tuple, const Shape& whole,
                                                          size_t i, const Tiles& tiles) {
  HloInstruction* shard = Element(tuple, static_cast<int64_t>(i));
  HloInstruction* gathered = emit_.Gather(shard, whole, tiles);
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, ShardingOfTiles(tiles));
  divided_.insert_or_assign(gathered, Divided{shard, tiles, std::move(sharding)});
  return gathered;
}

bool Partitioner::FollowBody(const HloInstruction& root, std::vector<LoopElement>& state) const {
  bool is_settled = true;
  for (size_t i = 0; i < state.size(); ++i) {
    LoopElement& element = state[i];
    const std::optional<Tiles> made = TilesAtHand(root.operands()[i]);
    if (made.has_value() == element.tiles.has_value() && (!made || *made == *element.tiles)) {
      continue;
    }
    if (!element.tiles.has_value() && element.changes > 0) continue;  // made in full
    element.tiles = element.changes == 0 ? made : std::nullopt;
    ++element.changes;
    is_settled = false;
  }
  return is_settled;
}

absl::StatusOr<HloInstruction*> Partitioner::ShardsOf(HloInstruction* tuple,
                                                      const std::vector<LoopElement>& state) {
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

absl::Status Partitioner::ReplaceLoop(HloInstruction* loop, HloInstruction* begin,
                                      HloComputation* body, HloComputation* condition,
                                      const std::vector<LoopElement>& state) {
  HloComputation* computation = loop->parent();
  CloneMap map;
  map.computations[loop->while_body()] = body;
  map.computations[loop->while_condition()] = condition;
  HloInstruction* divided =
      computation->AddInstruction(CloneInstruction(*loop, begin->shape(), {begin}, &map));
  Instructions elements;
  for (size_t i = 0; i < state.size(); ++i) {
    HloInstruction* element;
    if (state[i].tiles.has_value()) {
      XLA_ASSIGN_OR_RETURN(element,
                           WholeElement(divided, loop->shape().tuple_shapes(static_cast<int>(i)), i,
                                        *state[i].tiles));
    } else {
      element = Element(divided, static_cast<int64_t>(i));
    }
    elements.push_back(element);
  }
  const Instructions users(loop->users().begin(), loop->users().end());
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->IsRoot()) continue;
    XLA_RETURN_IF_ERROR(
        user->ReplaceAllUsesWith(elements[static_cast<size_t>(user->tuple_index())]));
    XLA_RETURN_IF_ERROR(computation->RemoveInstruction(user));
  }
  return computation->ReplaceInstruction(
      loop, Add(computation, HloOpcode::kTuple, loop->shape(), elements));
}

}  // namespace xla::pjrt
