// SPDX-License-Identifier: Apache-2.0
// Construction of the graph of propagation.
#include "xla/spmd/propagation/graph.h"

#include <algorithm>

namespace xla::propagation {

ArraySharding Node::Inside(ArraySharding outside) const {
  const auto erase = [&](Axes& axes) {
    std::erase_if(axes, [&](const AxisRef& axis) {
      return std::any_of(all_manual.begin(), all_manual.end(),
                         [&](const AxisRef& manual) { return manual.Contains(axis); });
    });
  };
  for (ArraySharding::Dimension& dimension : outside.dimensions) erase(dimension.axes);
  erase(outside.replicated);
  erase(outside.unreduced);
  return outside;
}

ArraySharding Node::Outside(ArraySharding inside) const {
  for (size_t d = 0; d < inside.dimensions.size(); ++d) {
    Axes& axes = inside.dimensions[d].axes;
    axes.insert(axes.begin(), manual_axes[d].begin(), manual_axes[d].end());
  }
  inside.replicated.insert(inside.replicated.end(), manual_replicated.begin(),
                           manual_replicated.end());
  std::sort(inside.replicated.begin(), inside.replicated.end());
  if (!manual_unreduced.empty()) {
    inside.unreduced.insert(inside.unreduced.end(), manual_unreduced.begin(),
                            manual_unreduced.end());
    std::sort(inside.unreduced.begin(), inside.unreduced.end());
    inside.unreduced_kind = unreduced_kind;
  }
  return inside;
}

MeshId Graph::AddMesh(const Mesh& mesh) {
  const auto found = std::find(meshes.begin(), meshes.end(), mesh);
  if (found != meshes.end()) return static_cast<MeshId>(found - meshes.begin());
  meshes.push_back(mesh);
  return static_cast<MeshId>(meshes.size() - 1);
}

ValueId Graph::AddValue(std::vector<int64_t> sizes) {
  const auto id = static_cast<ValueId>(values.size());
  Value& value = values.emplace_back();
  value.sizes = std::move(sizes);
  value.holder = id;
  return id;
}

NodeId Graph::AddNode(Node node) {
  const auto id = static_cast<NodeId>(nodes.size());
  for (const ValueId operand : node.operands) {
    values[operand].uses.push_back(id);
    ++values[operand].num_uses;
  }
  for (const ValueId result : node.results) values[result].node = id;
  nodes.push_back(std::move(node));
  return id;
}

void Graph::ReplaceUses(ValueId from, ValueId to, bool and_results,
                        absl::FunctionRef<bool(NodeId)> which) {
  std::vector<NodeId> kept;
  for (const NodeId use : values[from].uses) {
    if (!which(use)) {
      kept.push_back(use);
      continue;
    }
    std::vector<ValueId>& operands = nodes[use].operands;
    *std::find(operands.begin(), operands.end(), from) = to;
    values[to].uses.push_back(use);
    ++values[to].num_uses;
    --values[from].num_uses;
  }
  values[from].uses = std::move(kept);
  for (auto& [value, result] : results) {
    if (!and_results || value != from) continue;
    value = to;
    ++values[to].num_uses;
    --values[from].num_uses;
  }
}

ValueId Graph::InsertConstraint(ValueId value, ArraySharding sharding, MeshId mesh) {
  const ValueId result = AddValue(std::vector<int64_t>(values[value].sizes));
  values[result].sharding = std::move(sharding);
  values[result].mesh = mesh;
  Node node;
  node.relations = IdentityRelations(values[value].sizes, 1, 1);
  node.operands = {value};
  node.results = {result};
  node.node_class = NodeClass::kPassThrough;
  node.is_elementwise = true;
  const NodeId id = AddNode(std::move(node));
  ReplaceUses(value, result, /*and_results=*/true, [&](NodeId use) { return use != id; });
  return result;
}

}  // namespace xla::propagation
