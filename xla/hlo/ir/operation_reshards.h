// SPDX-License-Identifier: Apache-2.0
// What an operation that works on shards needs around it: reshards of operands and results, and
// sums of its results.
#ifndef XLA_HLO_IR_OPERATION_RESHARDS_H_
#define XLA_HLO_IR_OPERATION_RESHARDS_H_

#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/hlo/ir/named_sharding.h"

namespace xla {

struct OperationReshards {
  // Of the leaves of operands, as the operation takes them, and of results, as it makes them; none
  // where that is the sharding that the value has.
  std::vector<std::optional<NamedSharding>> operands, results;
  // Axes over which the results must be summed (or reduced otherwise), in the order of the mesh.
  std::vector<AxisRef> reduced_axes;
  // The mesh of these, if there is any.
  Mesh mesh;

  bool IsEmpty() const {
    const auto any = [](const std::vector<std::optional<NamedSharding>>& shardings) {
      for (const auto& sharding : shardings) {
        if (sharding.has_value()) return true;
      }
      return false;
    };
    return reduced_axes.empty() && !any(operands) && !any(results);
  }
};

// By instruction; those of an operation of several results also by their elements.
using ModuleReshards = absl::node_hash_map<const HloInstruction*, OperationReshards>;

}  // namespace xla

#endif  // XLA_HLO_IR_OPERATION_RESHARDS_H_
