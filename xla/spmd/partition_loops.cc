// SPDX-License-Identifier: Apache-2.0
// Loops on shards: the state as propagation divides it. What that leaves open is as the body makes
// it, tried until it does not change. Conditionals on shards: each branch gets what its operand
// has, and all give what propagation says, or what the first of them makes.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
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

// The instructions that a result is computed of.
Instructions ValuesNeeded(HloInstruction& result) {
  Instructions needed = {&result};
  absl::flat_hash_set<const HloInstruction*> seen = {&result};
  for (size_t i = 0; i < needed.size(); ++i) {
    for (HloInstruction* operand : needed[i]->operands()) {
      if (seen.insert(operand).second) needed.push_back(operand);
    }
  }
  return needed;
}

}  // namespace

absl::Status Partitioner::PartitionLoop(HloInstruction* loop) {
  HloInstruction* init = loop->mutable_operand(0);
  if (loop_depth_ == kMaxLoopDepth || init->opcode() != HloOpcode::kTuple ||
      !HasOnlyElements(*loop->while_body()->parameter_instruction(0)) ||
      !HasOnlyElements(*loop->while_condition()->parameter_instruction(0)) ||
      loop->while_body()->root_instruction()->opcode() != HloOpcode::kTuple ||
      HasControlDependencies(*loop)) {
    return absl::OkStatus();
  }
  State state = StateOf(*init);
  FixElements(*loop, state);
  if (!IsSharded(state) && !MayPartition(loop->while_body())) return absl::OkStatus();
  const State begin_state = state;
  ++loop_depth_;
  HloComputation* body = nullptr;
  bool is_settled = false;
  for (int attempt = 0; attempt < kMaxLoopAttempts && !is_settled; ++attempt) {
    XLA_ASSIGN_OR_RETURN(body, PartitionState(*loop->while_body(), state));
    const HloInstruction& full = *body->root_instruction();
    if (!FollowBody(full, state)) continue;
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, ShardsOf(body->root_instruction(), state));
    body->set_root_instruction(result);
    // Not in the last attempts, so that these settle the state.
    is_settled = attempt >= kMaxLoopAttempts / 2 || !LeaveFull(begin_state, full, *body, state);
  }
  --loop_depth_;
  // What was tried is not called by anything, and is removed in the end.
  if (!is_settled || !IsSharded(state)) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(HloComputation * condition, PartitionState(*loop->while_condition(), state));
  XLA_ASSIGN_OR_RETURN(HloInstruction * begin, ShardsOf(init, state));
  HloInstruction* divided =
      loop->parent()->AddInstruction(loop->CloneWithNewOperands(begin->shape(), {begin}));
  divided->set_called_computation(0, body);
  divided->set_called_computation(1, condition);
  return ReplaceBySharded(loop, divided, state);
}

bool Partitioner::FollowBody(const HloInstruction& root, State& state) {
  bool is_settled = true;
  for (size_t i = 0; i < state.size(); ++i) {
    StateElement& element = state[i];
    HloInstruction* result = root.operands()[i];
    std::optional<ShardLayout> made = KnownLayout(result);
    // What each partition makes in full need not be gathered for the next round.
    if (element.is_fixed && made.has_value()) continue;
    if (element.layout.has_value() && !element.layout->partial_groups.empty() &&
        PartialOf(result, *element.layout) != nullptr) {
      made = element.layout;
    }
    if (made.has_value() == element.layout.has_value() && (!made || *made == *element.layout)) {
      continue;
    }
    if (!element.layout.has_value() && element.changes > 0) continue;  // made in full_sharding
    element.layout = element.changes == 0 ? made : std::nullopt;
    ++element.changes;
    is_settled = false;
  }
  return is_settled;
}

bool Partitioner::LeaveFull(const State& begin, const HloInstruction& full,
                            const HloComputation& body, State& state) const {
  bool changes = false;
  for (const HloInstruction* instruction : ValuesNeeded(*body.root_instruction())) {
    const auto known = sharded_.find(instruction);
    if (known == sharded_.end()) continue;
    const HloInstruction& shard = *known->second.shard;
    if (&shard == instruction || shard.opcode() != HloOpcode::kGetTupleElement ||
        shard.operand(0) != body.parameter_instruction(0)) {
      continue;
    }
    const auto i = static_cast<size_t>(shard.tuple_index());
    if (begin[i].layout.has_value() || state[i].is_fixed || !state[i].layout.has_value() ||
        !gathered_.contains(full.operands()[i])) {
      continue;
    }
    state[i].layout.reset();
    ++state[i].changes;
    changes = true;
  }
  return changes;
}

absl::Status Partitioner::PartitionConditional(HloInstruction* conditional) {
  if (branch_depth_ == kMaxBranchDepth || !conditional->shape().IsTuple() ||
      HasControlDependencies(*conditional) || divergent_.contains(conditional)) {
    return absl::OkStatus();
  }
  const size_t count = conditional->called_computations().size();
  std::vector<State> given(count);  // empty: the operand as it is
  bool may_shard = false;
  for (size_t b = 0; b < count; ++b) {
    const HloInstruction* operand = conditional->operand(static_cast<int64_t>(b + 1));
    HloComputation* branch = conditional->called_computations()[b];
    if (branch->root_instruction()->opcode() != HloOpcode::kTuple) return absl::OkStatus();
    if (operand->opcode() == HloOpcode::kTuple &&
        HasOnlyElements(*branch->parameter_instruction(0))) {
      given[b] = StateOf(*operand);
    }
    may_shard = may_shard || IsSharded(given[b]) || MayPartition(branch);
  }
  if (!may_shard) return absl::OkStatus();
  ++branch_depth_;
  std::vector<HloComputation*> branches;
  State state(static_cast<size_t>(conditional->shape().tuple_shapes_size()));  // of the results
  FixElements(*conditional, state);
  for (size_t b = 0; b < count; ++b) {
    XLA_ASSIGN_OR_RETURN(HloComputation * branch,
                         PartitionState(*conditional->called_computations()[b], given[b]));
    branches.push_back(branch);
    const State made = StateOf(*branch->root_instruction());
    for (size_t i = 0; i < state.size(); ++i) {
      if (!state[i].layout.has_value()) state[i].layout = made[i].layout;
    }
  }
  --branch_depth_;
  Instructions operands = {conditional->mutable_operand(0)};
  for (size_t b = 0; b < count; ++b) {
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, ShardsOf(branches[b]->root_instruction(), state));
    branches[b]->set_root_instruction(result);
    HloInstruction* operand = conditional->mutable_operand(static_cast<int64_t>(b + 1));
    if (IsSharded(given[b])) {
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
  return ReplaceBySharded(conditional, divided, state);
}

}  // namespace xla::spmd
