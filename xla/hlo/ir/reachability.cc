// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/reachability.h"

#include <algorithm>

#include "xla/base/status_macros.h"

namespace xla {
namespace {

template <class F>
void ForEachDependency(const HloInstruction* instruction, F function) {
  for (const HloInstruction* operand : instruction->operands()) function(operand);
  for (const HloInstruction* predecessor : instruction->control_predecessors()) {
    function(predecessor);
  }
}

template <class F>
void ForEachDependent(const HloInstruction* instruction, F function) {
  for (const HloInstruction* user : instruction->users()) function(user);
  for (const HloInstruction* successor : instruction->control_successors()) function(successor);
}

}  // namespace

absl::StatusOr<HloReachability> HloReachability::Build(const HloComputation& computation) {
  XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order, computation.PostOrder());
  HloReachability result;
  result.ranks_.reserve(order.size());
  for (size_t i = 0; i < order.size(); ++i) result.ranks_[order[i]] = static_cast<int64_t>(i);
  return result;
}

bool HloReachability::IsReachable(const HloInstruction* from, const HloInstruction* to) const {
  HloInstruction* const target = const_cast<HloInstruction*>(to);
  return AnyReachable(from, absl::MakeConstSpan(&target, 1));
}

bool HloReachability::AnyReachable(const HloInstruction* from, absl::Span<HloInstruction* const> to,
                                   const HloInstruction* except) const {
  const int64_t rank = ranks_.at(from);
  std::vector<const HloInstruction*> pending;
  absl::flat_hash_set<const HloInstruction*> seen;
  bool found = false;
  auto visit = [&](const HloInstruction* instruction) {
    if (instruction == except) return;
    if (instruction == from) {
      found = true;
    } else if (ranks_.at(instruction) > rank && seen.insert(instruction).second) {
      pending.push_back(instruction);
    }
  };
  for (const HloInstruction* target : to) visit(target);
  while (!found && !pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    ForEachDependency(instruction, visit);
  }
  return found;
}

void HloReachability::Update(const HloInstruction* instruction) {
  std::vector<const HloInstruction*> pending = {instruction};
  while (!pending.empty()) {
    const HloInstruction* next = pending.back();
    pending.pop_back();
    int64_t rank = 0;
    ForEachDependency(next, [&](const HloInstruction* dependency) {
      const auto it = ranks_.find(dependency);
      if (it != ranks_.end()) rank = std::max(rank, it->second + 1);
    });
    const auto [it, is_new] = ranks_.try_emplace(next, rank);
    if (!is_new && it->second >= rank) continue;
    it->second = rank;
    ForEachDependent(next, [&](const HloInstruction* dependent) {
      if (ranks_.contains(dependent)) pending.push_back(dependent);
    });
  }
}

}  // namespace xla
