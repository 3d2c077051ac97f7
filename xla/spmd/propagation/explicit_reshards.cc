// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/propagation/explicit_reshards.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/spmd/propagation/common_axes.h"
#include "xla/spmd/propagation/module_graph.h"
#include "xla/spmd/propagation/named_shardings.h"
#include "xla/util.h"

namespace xla::propagation {
namespace {

// The arrays of a node, and what their shardings are.
struct NodeArrays {
  std::vector<ValueId> values;  // operands, then results
  std::vector<ArraySharding> shardings;
  std::vector<MeshId> meshes;
  std::vector<int64_t> sizes;
};

NodeArrays ArraysOf(const Graph& graph, const Node& node) {
  NodeArrays arrays;
  arrays.values = node.operands;
  arrays.values.insert(arrays.values.end(), node.results.begin(), node.results.end());
  for (const ValueId id : arrays.values) {
    const Value& value = graph.holder(id);
    ArraySharding sharding =
        value.sharding.has_value() ? *value.sharding : ArraySharding::Open(value.sizes.size());
    for (ArraySharding::Dimension& dimension : sharding.dimensions) {
      dimension.is_closed = true;
      dimension.priority = 0;
    }
    sharding.replicated.clear();
    arrays.shardings.push_back(std::move(sharding));
    arrays.meshes.push_back(value.sharding.has_value() ? value.mesh : 0);
    arrays.sizes.push_back(Product(value.sizes));
  }
  return arrays;
}

// The mesh that most arrays are divided over; none if none is divided, or their meshes have
// different axes.
std::optional<MeshId> MeshOfArrays(const Graph& graph, const NodeArrays& arrays) {
  std::vector<int64_t> uses(graph.meshes.size(), 0);
  MeshId common = 0;
  for (size_t i = 0; i < arrays.values.size(); ++i) {
    if (arrays.shardings[i].IsEmpty()) continue;
    const MeshId mesh = arrays.meshes[i];
    if (common != 0 && (graph.meshes[mesh].axis_names() != graph.meshes[common].axis_names() ||
                        graph.meshes[mesh].axis_sizes() != graph.meshes[common].axis_sizes())) {
      return std::nullopt;
    }
    if (++uses[mesh] > uses[common] || common == 0) common = mesh;
  }
  if (common == 0 || graph.meshes[common].IsMaximal()) return std::nullopt;
  return common;
}

// Operands are summed along axes that the results are not unreduced along.
void SumOperands(size_t num_operands, const Mesh& mesh, NodeArrays& arrays) {
  if (arrays.shardings.size() == num_operands) return;
  const Axes& kept = arrays.shardings[num_operands].unreduced;
  for (size_t i = 0; i < num_operands; ++i) {
    Axes& unreduced = arrays.shardings[i].unreduced;
    unreduced = AxesWithout(unreduced, AxesWithout(unreduced, kept, mesh), mesh);
  }
}

class Planner {
 public:
  explicit Planner(const ModuleGraph& module_graph) : graph_(module_graph.graph) {}

  // Nothing if the node needs nothing.
  absl::StatusOr<std::optional<OperationReshards>> Plan(const Node& node) const {
    const DimensionRelations& relations = node.relations;
    if (node.is_edge || node.boundary != Node::Boundary::kNone || relations.is_custom ||
        node.node_class == NodeClass::kBarrier || relations.num_arrays() == 0 ||
        relations.operands.size() != node.operands.size() ||
        relations.results.size() != node.results.size()) {
      return std::nullopt;
    }
    NodeArrays arrays = ArraysOf(graph_, node);
    const std::optional<MeshId> mesh_id = MeshOfArrays(graph_, arrays);
    if (!mesh_id.has_value()) return std::nullopt;
    const Mesh& mesh = graph_.meshes[*mesh_id];
    const std::vector<ArraySharding> given = arrays.shardings;
    SumOperands(node.operands.size(), mesh, arrays);
    std::vector<const ArraySharding*> pointers;
    for (const ArraySharding& sharding : arrays.shardings) pointers.push_back(&sharding);
    ShardingProjection projection = ShardingProjection::Make(pointers, relations, mesh);
    const std::vector<Axes> common = CommonAxes(projection, relations, arrays.sizes, mesh);
    OperationReshards reshards;
    for (size_t i = 0; i < arrays.values.size(); ++i) {
      const ArraySharding wanted =
          WantedSharding(projection.arrays[i], relations.array(i), common, relations, mesh);
      const bool is_moved = !given[i].IsEmpty() && arrays.meshes[i] != *mesh_id &&
                            !graph_.meshes[arrays.meshes[i]].DeviceAssignmentEquals(mesh);
      std::vector<std::optional<NamedSharding>>& list =
          i < node.operands.size() ? reshards.operands : reshards.results;
      list.emplace_back();
      if (wanted == given[i] && !is_moved) continue;
      const Axes& manual = graph_.values[arrays.values[i]].manual;
      XLA_ASSIGN_OR_RETURN(list.back(), ToNamed(wanted, manual, mesh));
    }
    AddReducedAxes(node, relations, common, given, mesh, &reshards);
    if (reshards.IsEmpty()) return std::nullopt;
    return reshards;
  }

 private:
  static ArraySharding WantedSharding(ArrayFactorShardings& projected, const ArrayFactors& factors,
                                      const std::vector<Axes>& common,
                                      const DimensionRelations& relations, const Mesh& mesh) {
    // Factors behind axes that overflow have no entry.
    for (const DimensionFactors& dimension : factors) {
      for (const int64_t factor : dimension) {
        const auto place =
            std::lower_bound(projected.factors.begin(), projected.factors.end(), factor,
                             [](const auto& entry, int64_t other) { return entry.first < other; });
        if (place == projected.factors.end() || place->first != factor)
          projected.factors.insert(place, {factor, FactorSharding()});
      }
    }
    for (auto& [factor, sharding] : projected.factors) {
      sharding.axes = common[static_cast<size_t>(factor)];
      sharding.overflow.clear();
    }
    ArraySharding wanted = projected.ToArraySharding(factors, relations.factors, mesh);
    for (ArraySharding::Dimension& dimension : wanted.dimensions) dimension.is_closed = true;
    return wanted;
  }

  void AddReducedAxes(const Node& node, const DimensionRelations& relations,
                      const std::vector<Axes>& common, const std::vector<ArraySharding>& given,
                      const Mesh& mesh, OperationReshards* reshards) const {
    if (node.results.empty()) return;
    Axes reduced;
    for (size_t f = 0; f < common.size(); ++f) {
      if (relations.factors[f].kind != FactorKind::kReduction) continue;
      reduced.insert(reduced.end(), common[f].begin(), common[f].end());
    }
    reduced = AxesWithout(reduced, given[node.operands.size()].unreduced, mesh);
    SortAndMergeAxes(reduced, mesh);
    reshards->reduced_axes = std::move(reduced);
    reshards->mesh = mesh;
  }

  const Graph& graph_;
};

}  // namespace

absl::StatusOr<ModuleReshards> PlanExplicitReshards(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(const ModuleGraph module_graph,
                       MakeModuleGraph(module, /*is_conservative=*/false));
  const Graph& graph = module_graph.graph;
  const Planner planner(module_graph);
  std::vector<std::optional<OperationReshards>> of_nodes;
  for (const Node& node : graph.nodes) {
    XLA_ASSIGN_OR_RETURN(of_nodes.emplace_back(), planner.Plan(node));
  }
  ModuleReshards reshards;
  for (const auto& [instruction, leaves] : module_graph.leaves) {
    const bool is_annotation = instruction->opcode() == HloOpcode::kCustomCall &&
                               instruction->custom_call_target() == kShardingTarget;
    if (leaves.empty() || instruction->opcode() == HloOpcode::kTuple || is_annotation) continue;
    const NodeId node = graph.values[leaves[0]].node;
    if (node >= 0 && of_nodes[node].has_value()) reshards.emplace(instruction, *of_nodes[node]);
  }
  return reshards;
}

}  // namespace xla::propagation
