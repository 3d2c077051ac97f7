// SPDX-License-Identifier: Apache-2.0
// What propagation sees of a program: values, which have shardings, and nodes that relate them.
// Regions, calls and tuples are gone; control flow has become edges.
#ifndef XLA_SPMD_PROPAGATION_GRAPH_H_
#define XLA_SPMD_PROPAGATION_GRAPH_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/spmd/propagation/factor_propagation.h"
#include "xla/spmd/propagation/factor_sharding.h"

namespace xla::propagation {

using ValueId = int32_t;
using NodeId = int32_t;
using MeshId = int32_t;

struct Value {
  std::vector<int64_t> sizes;
  // The value that has the sharding: this one, or the edge of which this is one of several targets.
  ValueId holder;
  // Of holders. Empty: nothing is known, all dimensions are open.
  std::optional<ArraySharding> sharding;
  MeshId mesh = 0;     // if there is a sharding
  NodeId node = -1;    // whose result it is
  Axes manual;         // the axes that are manual where it is
  int64_t group = -1;  // the values of one group have one sharding
  // The nodes that read it, in program order, one entry for each use; those of a result of the
  // program or of a region that nothing else stands for are not nodes, but count.
  std::vector<NodeId> uses;
  int64_t num_uses = 0;
};

// When Shardy's rounds of operations begin to propagate through a node (propagate.h).
enum class NodeClass : uint8_t {
  kOther,
  kPassThrough,   // elementwise, reshape, transpose, edges
  kDynamicSlice,  // and dynamic-update-slice: early, but forward only
  kBroadcast,     // backward before forward
  kBarrier,       // at any time, in the direction that it allows
};

struct Node {
  std::vector<ValueId> operands, results;
  DimensionRelations relations;
  NodeClass node_class = NodeClass::kOther;
  bool is_elementwise = false;
  // Without effect once nothing reads its results. Such a node takes no part, as if removed.
  bool is_pure = false;
  bool is_edge = false;
  // An edge into a call or manual computation. A change of its source does not make it visited
  // again: it is in the next round, as in Shardy.
  bool is_into_call = false;
  Direction allowed = Direction::kBoth;  // kBarrier

  // Edges into and out of manual computations. Axes of the result's dimensions outside, major to
  // those that the array inside has; nothing of others. Into: the operand is outside, the result
  // inside. Out of: the operand is inside, the result outside.
  enum class Boundary : uint8_t { kNone, kIntoManual, kOutOfManual };
  Boundary boundary = Boundary::kNone;
  std::vector<Axes> manual_axes;  // of each dimension, outside
  Axes manual_replicated, all_manual;
  // Those among them that are summed outside: stated, and never propagated.
  Axes manual_unreduced;
  UnreducedKind unreduced_kind = UnreducedKind::kSum;

  // What the axes that are manual inside leave of a sharding outside, and back.
  ArraySharding Inside(ArraySharding outside) const;
  ArraySharding Outside(ArraySharding inside) const;

  // An edge's targets besides its result.
  std::vector<ValueId> other_targets;
};

struct Graph {
  std::vector<Mesh> meshes;  // the first has no axes
  std::vector<Value> values;
  std::vector<Node> nodes;  // in program order
  // Values that the program returns, and the results, of which nothing else knows.
  std::vector<std::pair<ValueId, ValueId>> results;
  std::vector<std::vector<ValueId>> groups;

  Graph() { meshes.emplace_back(); }
  MeshId AddMesh(const Mesh& mesh);
  ValueId AddValue(std::vector<int64_t> sizes);
  // Registers the node as the definition of its results and a use of its operands.
  NodeId AddNode(Node node);

  // Uses of `from` by nodes that `which` is true of become uses of `to`; so do returns if
  // `and_results`.
  void ReplaceUses(ValueId from, ValueId to, bool and_results,
                   absl::FunctionRef<bool(NodeId)> which);
  // A constraint on the value, whose result has the sharding; all uses become uses of the result.
  ValueId InsertConstraint(ValueId value, ArraySharding sharding, MeshId mesh);

  const Value& holder(ValueId value) const { return values[values[value].holder]; }
  Value& holder(ValueId value) { return values[values[value].holder]; }
};

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_GRAPH_H_
