// SPDX-License-Identifier: Apache-2.0
// Which dimensions of an instruction's operands and results belong together, as factors: an
// einsum-like notation in which each dimension is a product of factors, major to minor. Shardy's
// sharding rules, with their text:
//
//   dot      ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}
//   reshape  ([ij])->([i, j]) {i=2, j=4}
//
// A device that has a slice of a factor in all arrays that hold the factor can compute its slice of
// the results from its slices of the operands, as far as the kind of the factor says.
#ifndef XLA_HLO_DIMENSIONS_DIMENSION_RELATIONS_H_
#define XLA_HLO_DIMENSIONS_DIMENSION_RELATIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"

namespace xla {

enum class FactorKind : uint8_t {
  kPassThrough,      // slices are independent of each other
  kReduction,        // results of slices must be reduced
  kNeedReplication,  // every device needs the whole factor
  kPermutation,      // slices exchange elements with others (halo, shift, reversal)
};
// "pass_through", "reduction", "need_replication", "permutation": Shardy's words.
std::string_view FactorKindName(FactorKind kind);

struct DimensionFactor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPassThrough;
  // Shardings are not propagated along this factor.
  bool is_blocked = false;
  bool operator==(const DimensionFactor&) const = default;
};

// The factors of each dimension of an array, by their index, major to minor. Never empty: a
// dimension that is related to nothing has a factor of its own.
using DimensionFactors = std::vector<int64_t>;
using ArrayFactors = std::vector<DimensionFactors>;

struct DimensionRelations {
  std::vector<DimensionFactor> factors;
  // One entry for each leaf of the operands' and the result's shapes; tokens have no dimensions.
  std::vector<ArrayFactors> operands, results;
  bool is_custom = false;  // given by the user
  bool operator==(const DimensionRelations&) const = default;

  int64_t num_factors() const { return static_cast<int64_t>(factors.size()); }
  // Operands, then results.
  const ArrayFactors& array(size_t i) const {
    return i < operands.size() ? operands[i] : results[i - operands.size()];
  }
  size_t num_arrays() const { return operands.size() + results.size(); }

  // As Shardy prints it, without "#sdy.op_sharding_rule<" and ">".
  std::string ToString() const;
};

// The name of a factor: i, ..., z, z_1, z_2, ...
std::string FactorName(int64_t factor);

// Reads what ToString prints, with or without "#sdy.op_sharding_rule<" and ">" around it.
// InvalidArgument for other texts, with the place; for factors without a size, of a size below 0,
// or named twice.
absl::StatusOr<DimensionRelations> ParseDimensionRelations(std::string_view text);

// The relations of `operands` arrays and `results` arrays of the same sizes whose dimensions
// correspond to each other.
DimensionRelations IdentityRelations(absl::Span<const int64_t> sizes, size_t operands,
                                     size_t results);

}  // namespace xla

#endif  // XLA_HLO_DIMENSIONS_DIMENSION_RELATIONS_H_
