// SPDX-License-Identifier: Apache-2.0
// Propagation of shardings through a graph, in Shardy's order: for each priority that users gave
// dimensions, in five rounds of operations, aggressively (or basic, or basic first), until nothing
// changes.
//
// The rounds, each with what the ones before propagate:
//   1. pass-through operations and edges; dynamic slices forward. Not through operations of which
//      an operand has other readers
//   2. through those, too
//   3. the factors of all operations that pass through; broadcasts backward
//   4. all factors; broadcasts backward
//   5. all
#ifndef XLA_SPMD_PROPAGATION_PROPAGATE_H_
#define XLA_SPMD_PROPAGATION_PROPAGATE_H_

#include "xla/spmd/propagation/graph.h"

namespace xla::propagation {

struct PropagateOptions {
  bool uses_user_priorities = true;
  bool uses_rounds = true;
  bool uses_basic = false, uses_aggressive = true;  // of each round
  bool is_conservative = false;
};

// Shardings of values in one group are made one first: where they differ, the first of the group.
void Propagate(const PropagateOptions& options, Graph* graph);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_PROPAGATE_H_
