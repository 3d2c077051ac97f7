// SPDX-License-Identifier: Apache-2.0
// The schedule of propagation. The order in which nodes are visited is that of MLIR's greedy
// rewriter, so that conflicts end as in Shardy: a stack, at first with the program's first
// node on top; what a change concerns is pushed, unless it is on the stack.
#include "xla/spmd/propagation/propagate.h"

#include <algorithm>
#include <map>
#include <utility>

namespace xla::propagation {
namespace {

constexpr int kNumRounds = 5;

// The values of a group get the sharding that some have. Where these differ, all may have any: each
// value keeps its own, and its readers read an open constraint, which is in the group instead.
void UnifyGroups(Graph* graph) {
  const auto says_nothing = [](const ArraySharding& sharding) {
    return sharding.IsEmpty() &&
           std::none_of(sharding.dimensions.begin(), sharding.dimensions.end(),
                        [](const auto& dimension) { return dimension.is_closed; });
  };
  for (size_t g = 0; g < graph->groups.size(); ++g) {
    const Value* first = nullptr;
    bool differs = false;
    for (const ValueId member : graph->groups[g]) {
      const Value& holder = graph->holder(member);
      if (!holder.sharding.has_value() || says_nothing(*holder.sharding)) continue;
      if (first == nullptr) first = &holder;
      differs = differs || holder.mesh != first->mesh || !(*holder.sharding == *first->sharding);
    }
    if (first == nullptr) continue;
    const ArraySharding sharding = *first->sharding;
    const MeshId mesh = first->mesh;
    for (ValueId& member : graph->groups[g]) {
      if (!differs) {
        graph->holder(member).sharding = sharding;
        graph->holder(member).mesh = mesh;
        continue;
      }
      graph->holder(member).group = -1;
      --graph->values[member].num_uses;
      member =
          graph->InsertConstraint(member, ArraySharding::Open(sharding.dimensions.size()), mesh);
      graph->values[member].group = static_cast<int64_t>(g);
      ++graph->values[member].num_uses;
    }
  }
}

class Propagator {
 public:
  Propagator(const PropagateOptions& options, Graph* graph) : options_(options), graph_(*graph) {
    is_removed_.resize(graph_.nodes.size());
    is_queued_.resize(graph_.nodes.size());
  }

  void Run() {
    std::map<int64_t, std::vector<std::pair<ValueId, ArraySharding>>> later;
    if (options_.uses_user_priorities) later = HoldBackPriorities();
    RunRounds();
    for (const auto& [priority, values] : later) {
      for (const auto& [value, sharding] : values) Release(value, sharding, priority);
      RunRounds();
    }
  }

 private:
  // --- user priorities

  // Dimensions of other priorities than 0 are closed and without axes for now; their axes are
  // replicated, so that nothing else takes them.
  std::map<int64_t, std::vector<std::pair<ValueId, ArraySharding>>> HoldBackPriorities() {
    std::map<int64_t, std::vector<std::pair<ValueId, ArraySharding>>> later;
    for (size_t i = 0; i < graph_.values.size(); ++i) {
      Value& value = graph_.values[i];
      if (!value.sharding.has_value()) continue;
      const ArraySharding original = *value.sharding;
      std::vector<int64_t> priorities;
      for (ArraySharding::Dimension& dimension : value.sharding->dimensions) {
        if (dimension.priority == 0) continue;
        priorities.push_back(dimension.priority);
        Axes& replicated = value.sharding->replicated;
        replicated.insert(replicated.end(), dimension.axes.begin(), dimension.axes.end());
        dimension = {.axes = {}, .is_closed = true};
      }
      if (priorities.empty()) continue;
      std::sort(value.sharding->replicated.begin(), value.sharding->replicated.end());
      std::sort(priorities.begin(), priorities.end());
      priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
      for (const int64_t priority : priorities) {
        later[priority].emplace_back(static_cast<ValueId>(i), original);
      }
    }
    return later;
  }

  void Release(ValueId id, const ArraySharding& original, int64_t priority) {
    ArraySharding& sharding = *graph_.values[id].sharding;
    Axes released;
    for (size_t d = 0; d < original.dimensions.size(); ++d) {
      if (original.dimensions[d].priority != priority) continue;
      sharding.dimensions[d] = original.dimensions[d];
      sharding.dimensions[d].priority = 0;
      released.insert(released.end(), original.dimensions[d].axes.begin(),
                      original.dimensions[d].axes.end());
    }
    std::erase_if(sharding.replicated, [&](const AxisRef& axis) {
      return std::find(released.begin(), released.end(), axis) != released.end();
    });
  }

  // --- rounds

  void RunRounds() {
    for (int round = options_.uses_rounds ? 0 : kNumRounds - 1; round < kNumRounds; ++round) {
      round_ = round;
      if (options_.uses_basic) RunToFixedPoint(Strategy::kBasic);
      if (options_.uses_aggressive) RunToFixedPoint(Strategy::kAggressive);
    }
  }

  void RunToFixedPoint(Strategy strategy) {
    strategy_ = strategy;
    PropagateResults();
    for (auto id = static_cast<NodeId>(graph_.nodes.size()) - 1; id >= 0; --id) Push(id);
    while (!stack_.empty()) {
      const NodeId id = stack_.back();
      stack_.pop_back();
      is_queued_[id] = false;
      if (IsDead(id)) {
        Remove(id);
      } else {
        PropagateNode(id);
      }
    }
    PropagateResults();
  }

  void Push(NodeId id) {
    if (id < 0 || is_queued_[id] || is_removed_[id]) return;
    is_queued_[id] = true;
    stack_.push_back(id);
  }

  bool IsDead(NodeId id) const {
    const Node& node = graph_.nodes[id];
    return node.is_pure && std::all_of(node.results.begin(), node.results.end(),
                                       [&](ValueId r) { return graph_.values[r].num_uses == 0; });
  }
  void Remove(NodeId id) {
    is_removed_[id] = true;
    for (const ValueId operand : graph_.nodes[id].operands) {
      Value& value = graph_.values[operand];
      value.uses.erase(std::find(value.uses.begin(), value.uses.end(), id));
      --value.num_uses;
      Push(value.node);
    }
  }

  // --- one node

  Direction DirectionOf(const Node& node, int64_t factor) const {
    const DimensionFactor& f = node.relations.factors[factor];
    if (f.is_blocked) return Direction::kNone;
    if (node.node_class == NodeClass::kBarrier) return node.allowed;
    const bool is_broadcast = node.node_class == NodeClass::kBroadcast;
    Direction direction = Direction::kNone;
    if (node.node_class == NodeClass::kPassThrough || node.node_class == NodeClass::kDynamicSlice) {
      if (round_ >= 1 || OperandsHaveOneUse(node)) {
        direction =
            node.node_class == NodeClass::kPassThrough ? Direction::kBoth : Direction::kForward;
      }
    }
    const Direction most = is_broadcast ? Direction::kBackward : Direction::kBoth;
    if (round_ >= 2 && f.kind == FactorKind::kPassThrough) direction = direction | most;
    if (round_ >= 3) direction = direction | most;
    if (round_ >= 4) direction = Direction::kBoth;
    return direction;
  }

  // Scalars, which cannot be divided, do not count.
  bool OperandsHaveOneUse(const Node& node) const {
    if (node.is_edge) return true;
    return std::all_of(node.operands.begin(), node.operands.end(), [&](ValueId operand) {
      return graph_.values[operand].sizes.empty() || graph_.values[operand].num_uses == 1;
    });
  }

  // The mesh that all arrays with a sharding have, or that none has axes of; nothing if they
  // differ, or there is no sharding.
  std::optional<MeshId> CommonMesh(absl::Span<const ValueId> values) const {
    std::optional<MeshId> mesh;
    for (const ValueId value : values) {
      const Value& holder = graph_.holder(value);
      if (!holder.sharding.has_value()) continue;
      if (!mesh.has_value() || *mesh == 0) {
        mesh = holder.mesh;
      } else if (holder.mesh != 0 && holder.mesh != *mesh) {
        return std::nullopt;
      }
    }
    if (mesh.has_value() && graph_.meshes[*mesh].IsMaximal()) return std::nullopt;
    return mesh;
  }

  void PropagateNode(NodeId id) {
    const Node& node = graph_.nodes[id];
    if (node.relations.factors.empty()) return;
    std::vector<ValueId> arrays = node.operands;
    arrays.insert(arrays.end(), node.results.begin(), node.results.end());
    const std::optional<MeshId> mesh = CommonMesh(arrays);
    if (!mesh.has_value()) return;
    std::vector<const ArraySharding*> shardings;
    for (const ValueId value : arrays) {
      const Value& holder = graph_.holder(value);
      shardings.push_back(holder.sharding.has_value() ? &*holder.sharding : nullptr);
    }
    const auto has_axes = [](const ArraySharding* sharding) {
      return sharding != nullptr &&
             std::any_of(sharding->dimensions.begin(), sharding->dimensions.end(),
                         [](const auto& dimension) { return !dimension.axes.empty(); });
    };
    if (std::none_of(shardings.begin(), shardings.end(), has_axes) && node.manual_axes.empty()) {
      return;
    }
    // The result of an edge is seen from where its sources are.
    ArraySharding of_result;
    if (node.boundary != Node::Boundary::kNone) {
      const ArraySharding own =
          shardings.back() != nullptr
              ? *shardings.back()
              : ArraySharding::Open(graph_.values[arrays.back()].sizes.size());
      of_result =
          node.boundary == Node::Boundary::kIntoManual ? node.Outside(own) : node.Inside(own);
      shardings.back() = &of_result;
    }
    ShardingProjection projection =
        ShardingProjection::Make(shardings, node.relations, graph_.meshes[*mesh]);
    const std::vector<bool> changed = PropagateFactors(
        {strategy_, node.is_elementwise, options_.is_conservative},
        [&](int64_t factor) { return DirectionOf(node, factor); }, node.relations,
        graph_.meshes[*mesh], &projection);
    // The old shardings are those from before any update: an operand may be there twice.
    std::vector<std::optional<ArraySharding>> updates(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (!changed[i]) continue;
      ArraySharding update = projection.arrays[i].ToArraySharding(
          node.relations.array(i), node.relations.factors, graph_.meshes[*mesh]);
      if (shardings[i] != nullptr ? update == *shardings[i] : update.IsEmpty()) continue;
      if (i + 1 == arrays.size() && node.boundary == Node::Boundary::kIntoManual) {
        update = node.Inside(std::move(update));
      } else if (i + 1 == arrays.size() && node.boundary == Node::Boundary::kOutOfManual) {
        update = node.Outside(std::move(update));
      }
      updates[i] = std::move(update);
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (updates[i].has_value()) Update(arrays[i], *mesh, *std::move(updates[i]), id);
    }
  }

  void Update(ValueId id, MeshId mesh, ArraySharding sharding, NodeId by) {
    const ValueId holder = graph_.values[id].holder;
    const int64_t group = graph_.values[holder].group;
    SetSharding(holder, mesh, sharding, by);
    if (group < 0) return;
    for (const ValueId member : graph_.groups[group]) {
      const ValueId other = graph_.values[member].holder;
      if (other != holder) SetSharding(other, mesh, sharding, by);
    }
  }

  void SetSharding(ValueId id, MeshId mesh, const ArraySharding& sharding, NodeId by) {
    Value& value = graph_.values[id];
    value.sharding = sharding;
    value.mesh = mesh;
    const auto notify_readers = [&](const Value& read) {
      // The last reader is pushed first, so that the first is visited first.
      for (auto use = read.uses.rbegin(); use != read.uses.rend(); ++use) {
        if (*use != by && !graph_.nodes[*use].is_into_call) Push(*use);
      }
    };
    if (value.node >= 0) {
      for (const ValueId target : graph_.nodes[value.node].other_targets) {
        notify_readers(graph_.values[target]);
      }
      if (value.node != by) Push(value.node);
    }
    notify_readers(value);
  }

  // --- results of the program

  void PropagateResults() {
    for (const auto& [value, result] : graph_.results) {
      const std::vector<ValueId> arrays = {value, result};
      const std::optional<MeshId> mesh = CommonMesh(arrays);
      if (!mesh.has_value()) continue;
      const DimensionRelations relations = IdentityRelations(graph_.values[value].sizes, 1, 1);
      std::vector<const ArraySharding*> shardings;
      for (const ValueId array : arrays) {
        const Value& holder = graph_.holder(array);
        shardings.push_back(holder.sharding.has_value() ? &*holder.sharding : nullptr);
      }
      ShardingProjection projection =
          ShardingProjection::Make(shardings, relations, graph_.meshes[*mesh]);
      const std::vector<bool> changed = PropagateFactors(
          {strategy_, /*is_elementwise=*/false, /*is_conservative=*/false},
          [](int64_t) { return Direction::kBoth; }, relations, graph_.meshes[*mesh], &projection);
      for (size_t i = 0; i < arrays.size(); ++i) {
        if (!changed[i]) continue;
        ArraySharding update = projection.arrays[i].ToArraySharding(
            relations.array(i), relations.factors, graph_.meshes[*mesh]);
        if (shardings[i] != nullptr ? update == *shardings[i] : update.IsEmpty()) continue;
        const ValueId holder = graph_.values[arrays[i]].holder;
        if (const int64_t group = graph_.values[holder].group; group >= 0) {
          for (const ValueId member : graph_.groups[group]) {
            graph_.holder(member).sharding = update;
            graph_.holder(member).mesh = *mesh;
          }
        }
        graph_.values[holder].sharding = std::move(update);
        graph_.values[holder].mesh = *mesh;
      }
    }
  }

  const PropagateOptions options_;
  Graph& graph_;
  Strategy strategy_ = Strategy::kBasic;
  int round_ = 0;
  std::vector<NodeId> stack_;
  std::vector<bool> is_removed_, is_queued_;
};

}  // namespace

void Propagate(const PropagateOptions& options, Graph* graph) {
  UnifyGroups(graph);
  Propagator(options, graph).Run();
}

}  // namespace xla::propagation
