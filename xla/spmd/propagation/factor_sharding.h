// SPDX-License-Identifier: Apache-2.0
// Shardings of arrays seen as shardings of the factors of an operation (dimension_relations.h).
#ifndef XLA_SPMD_PROPAGATION_FACTOR_SHARDING_H_
#define XLA_SPMD_PROPAGATION_FACTOR_SHARDING_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/hlo/ir/named_sharding.h"

namespace xla::propagation {

using Axes = std::vector<AxisRef>;

// What propagation knows and decides of an array, over a mesh that is known from elsewhere. As
// NamedSharding, which is checked whenever it is made.
struct ArraySharding {
  struct Dimension {
    Axes axes;
    bool is_closed = false;
    int64_t priority = 0;
    bool operator==(const Dimension&) const = default;
  };
  std::vector<Dimension> dimensions;
  Axes replicated, unreduced;
  UnreducedKind unreduced_kind = UnreducedKind::kSum;
  bool operator==(const ArraySharding&) const = default;

  static ArraySharding Open(size_t rank) {
    ArraySharding sharding;
    sharding.dimensions.resize(rank);
    return sharding;
  }
  // Whether no axis is named.
  bool IsEmpty() const;
  bool IsFullyClosed() const;
};

struct FactorSharding {
  Axes axes;
  bool is_closed = false;
  bool is_minor_most = false;  // of its dimension
  // Axes of the dimension that do not divide the factor, nor what is left of it: all that follow.
  Axes overflow;
  bool operator==(const FactorSharding&) const = default;
};

// An array's sharding by its factors.
struct ArrayFactorShardings {
  // Sorted by factor.
  std::vector<std::pair<int64_t, FactorSharding>> factors;
  Axes replicated, unreduced;
  UnreducedKind unreduced_kind = UnreducedKind::kSum;

  FactorSharding* Find(int64_t factor);
  const FactorSharding* Find(int64_t factor) const {
    return const_cast<ArrayFactorShardings*>(this)->Find(factor);
  }
  // Replaces the axes of the factor if they are a strict prefix of these. Returns whether.
  bool Expand(int64_t factor, absl::Span<const AxisRef> axes);
  // The sharding of the dimensions. A dimension ends where a factor is not divided fully: beyond,
  // its shards would be strided.
  ArraySharding ToArraySharding(const ArrayFactors& array,
                                absl::Span<const DimensionFactor> factor_sizes,
                                const Mesh& mesh) const;
};

enum class PrefixStatus : uint8_t { kEqual, kStrictPrefix, kNotAPrefix };
PrefixStatus ComparePrefix(absl::Span<const AxisRef> first, absl::Span<const AxisRef> second);

// The factor shardings of the operands, then of the results.
struct ShardingProjection {
  std::vector<ArrayFactorShardings> arrays;
  size_t num_operands = 0;

  // Null: nothing is known of the array, every dimension is open.
  static ShardingProjection Make(absl::Span<const ArraySharding* const> shardings,
                                 const DimensionRelations& relations, const Mesh& mesh);
  absl::Span<ArrayFactorShardings> operands() { return absl::MakeSpan(arrays).first(num_operands); }
  absl::Span<ArrayFactorShardings> results() {
    return absl::MakeSpan(arrays).subspan(num_operands);
  }
  absl::Span<const ArrayFactorShardings> operands() const {
    return absl::MakeConstSpan(arrays).first(num_operands);
  }
  absl::Span<const ArrayFactorShardings> results() const {
    return absl::MakeConstSpan(arrays).subspan(num_operands);
  }
};

}  // namespace xla::propagation

#endif  // XLA_SPMD_PROPAGATION_FACTOR_SHARDING_H_
