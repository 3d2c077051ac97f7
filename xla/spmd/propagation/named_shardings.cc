// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/propagation/named_shardings.h"

#include <utility>
#include <vector>

namespace xla::propagation {

ArraySharding FromNamed(const NamedSharding& named, size_t rank) {
  const Mesh& mesh = named.mesh();
  const auto without_ones = [&](const std::vector<AxisRef>& axes) {
    Axes result;
    for (const AxisRef& axis : axes) {
      if (axis.size(mesh) != 1) result.push_back(axis);
    }
    return result;
  };
  ArraySharding sharding;
  for (const auto& dimension : named.dim_shardings()) {
    sharding.dimensions.push_back({.axes = without_ones(dimension.axes()),
                                   .is_closed = dimension.is_closed(),
                                   .priority = dimension.priority_or_default()});
  }
  // Replicated, whatever the rank.
  while (sharding.dimensions.size() < rank)
    sharding.dimensions.push_back({.axes = {}, .is_closed = true});
  sharding.replicated = without_ones(named.replicated_axes());
  sharding.unreduced = without_ones(named.unreduced_axes());
  sharding.unreduced_kind = named.unreduced_kind();
  return sharding;
}

absl::StatusOr<NamedSharding> ToNamed(const ArraySharding& sharding, const Axes& manual,
                                      const Mesh& mesh) {
  if (mesh.IsMaximal()) return NamedSharding(mesh);
  std::vector<NamedSharding::DimensionSharding> dimensions;
  for (const ArraySharding::Dimension& dimension : sharding.dimensions) {
    dimensions.emplace_back(dimension.axes, dimension.is_closed);
  }
  Axes replicated = sharding.replicated;
  SortAndMergeAxes(replicated, mesh);
  // A mesh without axes may be stated where axes of another one are manual.
  const Axes of_mesh = mesh.num_axes() == 0 ? Axes() : manual;
  return NamedSharding::Create(mesh, std::move(dimensions), std::move(replicated),
                               sharding.unreduced, of_mesh, sharding.unreduced_kind);
}

bool StatesResults(const HloInstruction& root) {
  return root.opcode() == HloOpcode::kTuple || (root.opcode() == HloOpcode::kGetTupleElement &&
                                                root.operand(0)->opcode() == HloOpcode::kTuple);
}

}  // namespace xla::propagation
