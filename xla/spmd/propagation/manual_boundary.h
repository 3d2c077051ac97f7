// SPDX-License-Identifier: Apache-2.0
// Where values enter and leave manual computations.
#ifndef XLA_SPMD_PROPAGATION_MANUAL_BOUNDARY_H_
#define XLA_SPMD_PROPAGATION_MANUAL_BOUNDARY_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/spmd/propagation/graph.h"

namespace xla::propagation {

// The sharding outside, and the axes that are manual inside but not outside.
struct Boundary {
  const NamedSharding* outside = nullptr;
  Axes manual;
};

// None if one of the shardings is not known (null).
std::optional<Boundary> BoundaryOf(const NamedSharding* outside, const NamedSharding* inside);

// The edge that stands for the boundary, without operand and result, and the sharding that its
// result begins with. `outer` are the sizes of the array outside.
Node MakeBoundaryNode(const Boundary& boundary, Node::Boundary kind,
                      absl::Span<const int64_t> outer, ArraySharding* of_result);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_MANUAL_BOUNDARY_H_
