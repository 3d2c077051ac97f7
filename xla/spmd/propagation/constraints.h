// SPDX-License-Identifier: Apache-2.0
// Sharding constraints before propagation: what they mean for the values that they constrain.
#ifndef XLA_SPMD_PROPAGATION_CONSTRAINTS_H_
#define XLA_SPMD_PROPAGATION_CONSTRAINTS_H_

#include <vector>

#include "xla/spmd/propagation/graph.h"

namespace xla::propagation {

struct Constraint {
  NodeId node;
  ArraySharding sharding;
  MeshId mesh;
  bool is_constraint = false;  // else an edge into a manual computation, which states its operand
};

// In program order. A closed constraint holds for the value itself, unless that has a sharding or
// another constraint. For a value that an edge gives, it holds for its readers instead. A chain of
// constraints, each but the last read by the next alone, on a value that has no sharding and no
// other constraint, constrains what comes after it to its last.
void ApplyConstraints(const std::vector<Constraint>& constraints, Graph* graph);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_CONSTRAINTS_H_
