// SPDX-License-Identifier: Apache-2.0
// Construction of the graph of propagation.
#include "xla/spmd/propagation/graph.h"

#include <algorithm>

namespace xla::propagation {

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

}  // namespace xla::propagation
