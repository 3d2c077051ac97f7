// SPDX-License-Identifier: Apache-2.0
// The axes along which an operation can be divided: one list for each factor, for all arrays that
// hold it.
#ifndef XLA_SPMD_PROPAGATION_COMMON_AXES_H_
#define XLA_SPMD_PROPAGATION_COMMON_AXES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/spmd/propagation/factor_sharding.h"

namespace xla::propagation {

// Whether every array that has dimensions holds the factor.
bool IsInAllArrays(const DimensionRelations& relations, int64_t factor);
// Whether a dimension has several factors.
bool HasCompoundDimensions(const DimensionRelations& relations);

// The axes of each factor, by Shardy's preferences: those that all arrays agree on; of two arrays
// those of the larger one; else greedily the axes whose arrays have the most elements, that pass
// through before those that are reduced. Factors that need replication have none: their axes go to
// factors that all arrays hold, where they divide these. A factor is divided only if the factors
// before it in its dimensions are divided fully. `sizes`: the number of elements of each array of
// the projection.
std::vector<Axes> CommonAxes(const ShardingProjection& projection,
                             const DimensionRelations& relations, absl::Span<const int64_t> sizes,
                             const Mesh& mesh);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_COMMON_AXES_H_
