// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/propagation/manual_boundary.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "xla/spmd/propagation/named_shardings.h"

namespace xla::propagation {

std::optional<Boundary> BoundaryOf(const NamedSharding* outside, const NamedSharding* inside) {
  if (outside == nullptr || inside == nullptr) return std::nullopt;
  return Boundary{outside,
                  AxesWithout(inside->manual_axes(), outside->manual_axes(), inside->mesh())};
}

Node MakeBoundaryNode(const Boundary& boundary, Node::Boundary kind,
                      absl::Span<const int64_t> outer, ArraySharding* of_result) {
  const bool is_into = kind == Node::Boundary::kIntoManual;
  const Mesh& mesh = boundary.outside->mesh();
  ArraySharding outside = FromNamed(*boundary.outside, outer.size());
  Node node;
  node.boundary = kind;
  node.all_manual = boundary.manual;
  const auto is_manual = [&](const AxisRef& axis) {
    return std::any_of(boundary.manual.begin(), boundary.manual.end(),
                       [&](const AxisRef& manual) { return manual.Contains(axis); });
  };
  ArraySharding inside = outside;
  for (ArraySharding::Dimension& dimension : inside.dimensions) {
    Axes& manual = node.manual_axes.emplace_back();
    std::copy_if(dimension.axes.begin(), dimension.axes.end(), std::back_inserter(manual),
                 is_manual);
    std::erase_if(dimension.axes, is_manual);
  }
  std::erase_if(inside.replicated, is_manual);
  std::erase_if(inside.unreduced, is_manual);
  // Manual axes that divide nothing are replicated: propagation must not use them.
  Axes used;
  for (const auto& dimension : outside.dimensions) {
    used.insert(used.end(), dimension.axes.begin(), dimension.axes.end());
  }
  used.insert(used.end(), outside.unreduced.begin(), outside.unreduced.end());
  node.manual_replicated = AxesWithout(boundary.manual, used, mesh);
  for (const AxisRef& axis : outside.unreduced) {
    const bool is_manual =
        std::any_of(boundary.manual.begin(), boundary.manual.end(),
                    [&](const AxisRef& manual) { return manual.Contains(axis); });
    if (is_manual) node.manual_unreduced.push_back(axis);
  }
  node.unreduced_kind = outside.unreduced_kind;
  if (!is_into) {
    outside.replicated = AxesWithout(outside.replicated, node.manual_replicated, mesh);
    outside.replicated.insert(outside.replicated.end(), node.manual_replicated.begin(),
                              node.manual_replicated.end());
    SortAndMergeAxes(outside.replicated, mesh);
  }
  *of_result = is_into ? std::move(inside) : std::move(outside);
  // The sizes of both sides differ by the manual axes; seen from outside, the factors have the
  // outer sizes.
  node.relations = IdentityRelations(outer, 1, 1);
  node.node_class = NodeClass::kPassThrough;
  node.is_edge = true;
  node.is_into_call = is_into;
  return node;
}

}  // namespace xla::propagation
