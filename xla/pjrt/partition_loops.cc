// SPDX-License-Identifier: Apache-2.0
// Loops on shards: the state as the body makes it, tried until it does not change. Conditionals on
// shards: each branch gets what its operand has, and all give what the first of them makes.
#include <algorithm>
#include <optional>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

// Each loop is tried a few times, within each try of the loop around it.
constexpr int kMaxLoopDepth = 4;
constexpr int kMaxLoopAttempts = 8;
// Conditionals within conditionals.
constexpr int kMaxBranchDepth = 32;

bool HasOnlyElements(const HloInstruction& tuple) {
  return !tuple.IsRoot() &&
         std::all_of(tuple.users().begin(), tuple.users().end(), [](const HloInstruction* user) {
           return user->opcode() == HloOpcode::kGetTupleElement && !user->IsRoot();
         });
}

bool HasControlDependencies(const HloInstruction& instruction) {
  return instruction.HasControlDependencies();
}

}  // namespace

absl::Status Partitioner::DivideLoop(HloInstruction* loop) {
  HloInstruction* init = loop->mutable_operand(0);
  if (loop_depth_ == kMaxLoopDepth || init->opcode() != HloOpcode::kTuple ||
      !HasOnlyElements(*loop->while_body()->parameter_instruction(0)) ||
      !HasOnlyElements(*loop->while_condition()->parameter_instruction(0)) ||
      loop->while_body()->root_instruction()->opcode() != HloOpcode::kTuple ||
      HasControlDependencies(*loop)) {
    return absl::OkStatus();
  }
  State state = StateOf(*init);
  if (!IsDivided(state) && !MayDivide(loop->while_body())) return absl::OkStatus();
  ++loop_depth_;
  HloComputation* body = nullptr;
  bool is_settled = false;
  for (int attempt = 0; attempt < kMaxLoopAttempts && !is_settled; ++attempt) {
    XLA_ASSIGN_OR_RETURN(body, DivideState(*loop->while_body(), state));
    is_settled = FollowBody(*body->root_instruction(), state);
  }
  --loop_depth_;
  // What was tried is not called by anything, and is removed in the end.
  if (!is_settled || !IsDivided(state)) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(HloComputation * condition, DivideState(*loop->while_condition(), state));
  XLA_ASSIGN_OR_RETURN(HloInstruction * result, ShardsOf(body->root_instruction(), state));
  body->set_root_instruction(result);
  XLA_ASSIGN_OR_RETURN(HloInstruction * begin, ShardsOf(init, state));
  HloInstruction* divided =
      loop->parent()->AddInstruction(loop->CloneWithNewOperands(begin->shape(), {begin}));
  divided->set_called_computation(0, body);
  divided->set_called_computation(1, condition);
  return ReplaceByDivided(loop, divided, state);
}

bool Partitioner::FollowBody(const HloInstruction& root, State& state) {
  bool is_settled = true;
  for (size_t i = 0; i < state.size(); ++i) {
    StateElement& element = state[i];
    HloInstruction* result = root.operands()[i];
    std::optional<Tiles> made = TilesAtHand(result);
    if (element.tiles.has_value() && !element.tiles->sums.empty() &&
        AddendOf(result, *element.tiles) != nullptr) {
      made = element.tiles;
    }
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

absl::Status Partitioner::DivideConditional(HloInstruction* conditional) {
  if (branch_depth_ == kMaxBranchDepth || !conditional->shape().IsTuple() ||
      HasControlDependencies(*conditional) || differing_.contains(conditional)) {
    return absl::OkStatus();
  }
  const size_t count = conditional->called_computations().size();
  std::vector<State> given(count);  // empty: the operand as it is
  bool may_divide = false;
  for (size_t b = 0; b < count; ++b) {
    const HloInstruction* operand = conditional->operand(static_cast<int64_t>(b + 1));
    HloComputation* branch = conditional->called_computations()[b];
    if (branch->root_instruction()->opcode() != HloOpcode::kTuple) return absl::OkStatus();
    if (operand->opcode() == HloOpcode::kTuple &&
        HasOnlyElements(*branch->parameter_instruction(0))) {
      given[b] = StateOf(*operand);
    }
    may_divide = may_divide || IsDivided(given[b]) || MayDivide(branch);
  }
  if (!may_divide) return absl::OkStatus();
  ++branch_depth_;
  std::vector<HloComputation*> branches;
  State state(static_cast<size_t>(conditional->shape().tuple_shapes_size()));  // of the results
  for (size_t b = 0; b < count; ++b) {
    XLA_ASSIGN_OR_RETURN(HloComputation * branch,
                         DivideState(*conditional->called_computations()[b], given[b]));
    branches.push_back(branch);
    const State made = StateOf(*branch->root_instruction());
    for (size_t i = 0; i < state.size(); ++i) {
      if (!state[i].tiles.has_value()) state[i].tiles = made[i].tiles;
    }
  }
  --branch_depth_;
  Instructions operands = {conditional->mutable_operand(0)};
  for (size_t b = 0; b < count; ++b) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, ShardsOf(branches[b]->root_instruction(), state));
    branches[b]->set_root_instruction(result);
    HloInstruction* operand = conditional->mutable_operand(static_cast<int64_t>(b + 1));
    if (IsDivided(given[b])) {
      XLA_ASSIGN_OR_RETURN(operand, ShardsOf(operand, given[b]));
    }
    operands.push_back(operand);
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(conditional->shape(), state));
  HloInstruction* divided =
      conditional->parent()->AddInstruction(conditional->CloneWithNewOperands(shape, operands));
  for (size_t b = 0; b < count; ++b) {
    divided->set_called_computation(static_cast<int64_t>(b), branches[b]);
  }
  return ReplaceByDivided(conditional, divided, state);
}

}  // namespace xla::pjrt
