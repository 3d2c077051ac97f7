// SPDX-License-Identifier: Apache-2.0
// How the factors of one operation get the axes that its operands and results have of them.
#ifndef XLA_SPMD_PROPAGATION_FACTOR_PROPAGATION_H_
#define XLA_SPMD_PROPAGATION_FACTOR_PROPAGATION_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/spmd/propagation/factor_sharding.h"

namespace xla::propagation {

// From which side axes may come. A set: forward and backward are both of kBoth.
enum class Direction : uint8_t { kNone = 0, kForward = 1, kBackward = 2, kBoth = 3 };
inline Direction operator|(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
inline Direction operator&(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}

// Shardy's strategies. kBasic gives a factor the longest list of axes that all arrays agree on, and
// that no array uses for another factor. kAggressive decides for each array, and where two factors
// want the same axis, prefers the one that comes from the larger array, then from the first array,
// then the first factor.
enum class Strategy : uint8_t { kBasic, kAggressive };

struct FactorPropagation {
  Strategy strategy = Strategy::kBasic;
  bool is_elementwise = false;   // of the operation
  bool is_conservative = false;  // axes are not cut
};

// Expands the shardings of the projection, and returns for each array whether its sharding changed.
std::vector<bool> PropagateFactors(const FactorPropagation& options,
                                   absl::FunctionRef<Direction(int64_t factor)> direction,
                                   const DimensionRelations& relations, const Mesh& mesh,
                                   ShardingProjection* projection);

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_FACTOR_PROPAGATION_H_
