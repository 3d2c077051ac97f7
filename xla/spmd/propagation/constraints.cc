// SPDX-License-Identifier: Apache-2.0
// Constraints become shardings of the values that they constrain, as Shardy's import does it.
#include "xla/spmd/propagation/constraints.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/hlo/dimensions/dimension_relations.h"

namespace xla::propagation {
namespace {

class Applier {
 public:
  Applier(const std::vector<Constraint>& constraints, Graph* graph)
      : constraints_(constraints), graph_(*graph) {
    for (const Constraint& constraint : constraints) at_.emplace(constraint.node, &constraint);
  }

  void Run() {
    for (const Constraint& constraint : constraints_) {
      const NodeId node = constraint.node;
      if (constraint.is_constraint) {
        if (const NodeId tail = TailOfChain(node); tail >= 0) {
          graph_.ReplaceUses(graph_.nodes[node].operands[0], graph_.nodes[tail].results[0],
                             /*and_results=*/false,
                             [&](NodeId use) { return use != node && use > tail; });
        }
      }
      const ValueId input = graph_.nodes[node].operands[0];
      Value& holder = graph_.holder(input);
      if (holder.sharding.has_value() || !constraint.sharding.IsFullyClosed()) continue;
      const auto differs = [&](NodeId use) {
        const Constraint* other = ConstraintAt(use);
        return other != nullptr &&
               (other->mesh != constraint.mesh || !(other->sharding == constraint.sharding));
      };
      const auto& uses = graph_.values[input].uses;
      if (std::any_of(uses.begin(), uses.end(), differs)) continue;
      const bool is_of_edge = holder.node >= 0 && graph_.nodes[holder.node].is_edge;
      if (!is_of_edge) {
        holder.sharding = constraint.sharding;
        holder.mesh = constraint.mesh;
      } else if (constraint.is_constraint) {
        graph_.ReplaceUses(input, graph_.nodes[node].results[0], /*and_results=*/true,
                           [&](NodeId use) { return use != node; });
      } else {
        graph_.InsertConstraint(input, constraint.sharding, constraint.mesh);
      }
      if (is_of_edge && !constraint.sharding.unreduced.empty()) {
        StateUnreduced(constraint, &graph_.holder(input));
      }
    }
  }

 private:
  const Constraint* ConstraintAt(NodeId node) const {
    const auto found = at_.find(node);
    return found == at_.end() ? nullptr : found->second;
  }
  bool IsUsedByConstraint(ValueId value, NodeId excluded) const {
    const auto& uses = graph_.values[value].uses;
    return std::any_of(uses.begin(), uses.end(),
                       [&](NodeId use) { return use != excluded && ConstraintAt(use) != nullptr; });
  }
  // Unreduced axes do not propagate: the edge's targets have them at once, and stay open.
  static void StateUnreduced(const Constraint& constraint, Value* holder) {
    ArraySharding sharding = ArraySharding::Open(holder->sizes.size());
    sharding.unreduced = constraint.sharding.unreduced;
    sharding.unreduced_kind = constraint.sharding.unreduced_kind;
    holder->sharding = std::move(sharding);
    holder->mesh = constraint.mesh;
  }
  // The last of the chain that begins here, or -1.
  NodeId TailOfChain(NodeId head) const {
    const ValueId input = graph_.nodes[head].operands[0];
    const NodeId before = graph_.values[input].node;
    const Constraint* other = before >= 0 ? ConstraintAt(before) : nullptr;
    if (other != nullptr && other->is_constraint) return -1;
    if (graph_.holder(input).sharding.has_value() || IsUsedByConstraint(input, head)) return -1;
    NodeId tail = head;
    while (true) {
      const Value& value = graph_.values[graph_.nodes[tail].results[0]];
      if (value.num_uses != 1 || value.uses.empty()) break;
      const Constraint* next = ConstraintAt(value.uses[0]);
      if (next == nullptr || !next->is_constraint) break;
      tail = value.uses[0];
    }
    if (tail == head || IsUsedByConstraint(graph_.nodes[tail].results[0], -1)) return -1;
    return tail;
  }

  const std::vector<Constraint>& constraints_;
  absl::flat_hash_map<NodeId, const Constraint*> at_;
  Graph& graph_;
};

}  // namespace

void ApplyConstraints(const std::vector<Constraint>& constraints, Graph* graph) {
  Applier(constraints, graph).Run();
}

}  // namespace xla::propagation
