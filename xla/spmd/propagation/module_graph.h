// SPDX-License-Identifier: Apache-2.0
// The graph of propagation of an HLO module, and the module's shardings from it.
#ifndef XLA_SPMD_PROPAGATION_MODULE_GRAPH_H_
#define XLA_SPMD_PROPAGATION_MODULE_GRAPH_H_

#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/spmd/propagation/graph.h"

namespace xla::propagation {

// The custom calls that stand for Shardy's operations, under XLA's names.
inline constexpr char kShardingTarget[] = "Sharding";  // sharding_constraint
inline constexpr char kFullToShardTarget[] = "SPMDFullToShardShape";
inline constexpr char kShardToFullTarget[] = "SPMDShardToFullShape";
inline constexpr char kPropagationBarrierTarget[] = "xla.sdy.PropagationBarrier";
inline constexpr char kAllowedDirectionAttribute[] = "xla.sdy.allowed_direction";
// On the instruction whose result is in the group.
inline constexpr char kShardingGroupFrontendAttribute[] = "xla.sdy.sharding_group_id";

struct ModuleGraph {
  Graph graph;
  // The values of the leaves of each instruction's result.
  absl::node_hash_map<const HloInstruction*, std::vector<ValueId>> leaves;
  // The annotations of operands of manual computations: the edge into the computation, and a value
  // that takes no part, whose sharding follows from the edge's.
  std::vector<std::pair<NodeId, ValueId>> manual_operands;
};

// Of a module in which each computation is called from one place at most (FlattenCalls). Reads
// named shardings; of those by tiles nothing is known. InvalidArgument: shardings that do not fit
// their values, groups of values of different shapes, sharding rules that do not parse.
absl::StatusOr<ModuleGraph> MakeModuleGraph(const HloModule& module, bool is_conservative);

// Of the leaves of the program's result; Unknown where there is none.
absl::StatusOr<std::vector<HloSharding>> ResultShardings(const Graph& graph);

// Gives every instruction the sharding that its values have in the graph.
absl::Status SetModuleShardings(const ModuleGraph& module_graph, HloModule* module);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_MODULE_GRAPH_H_
