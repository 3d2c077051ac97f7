// SPDX-License-Identifier: Apache-2.0
// The rules of dimension relations, and what they are written with. Internal to this folder.
//
// A rule may assume a verified instruction without unbounded dimensions; of custom calls it may
// assume nothing.
#ifndef XLA_HLO_DIMENSIONS_RULES_H_
#define XLA_HLO_DIMENSIONS_RULES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla::dimensions {

using Relations = std::optional<DimensionRelations>;
using Sizes = absl::Span<const int64_t>;

struct RelationInput {
  RelationInput(const HloInstruction& of, bool conservative)
      : instruction(of), is_conservative(conservative) {}

  const HloInstruction& instruction;
  bool is_conservative;
  // The leaves of the operands' shapes in order, and of the result's.
  std::vector<const Shape*> operands, results;

  const Shape& operand(size_t i) const { return *operands[i]; }
  const Shape& result(size_t i = 0) const { return *results[i]; }
  template <class T>
  const T& attributes() const {
    return instruction.attributes<T>();
  }
};

using Rule = Relations (*)(const RelationInput&);

// The rule of each operation, RelateStem for HLO_OP(Stem, ...), in the file of its family.
#define HLO_OP(stem, ...) Relations Relate##stem(const RelationInput& in);
#include "xla/hlo/ir/opcodes.def"

// Rules that several operations share.
Relations RelateElementwise(const RelationInput& in);      // elementwise.cc
Relations RelateNothing(const RelationInput& in);          // instruction_relations.cc
Relations RelateCollectiveStart(const RelationInput& in);  // collective.cc

inline constexpr int64_t kNoDim = -1;  // the array does not have the factor
using Dims = absl::InlinedVector<int64_t, 6>;

bool Contains(Sizes dims, int64_t dim);

// Adds factors one at a time. Where a dimension has several factors they are added major to minor.
class RelationBuilder {
 public:
  explicit RelationBuilder(const RelationInput& in);
  RelationBuilder(absl::Span<const Shape* const> operands, absl::Span<const Shape* const> results);

  // The dimension of each operand and of each result that has the factor.
  void Add(Sizes operand_dims, Sizes result_dims, const DimensionFactor& factor);
  // Of the arrays that are no scalars, the same dimension.
  void AddEverywhere(int64_t dim, const DimensionFactor& factor);
  void AddToOperands(int64_t dim, const DimensionFactor& factor);
  void AddToResults(int64_t dim, const DimensionFactor& factor);
  // A factor for each size, in the same dimension everywhere.
  void AddPointwise(Sizes sizes);
  // The same; where the sizes of the two differ, a factor of this kind and the size in `sizes`.
  void AddPointwise(Sizes sizes, Sizes other, FactorKind mismatch, bool is_mismatch_blocked);

  // Adds a factor of size 1 to each dimension without factors.
  DimensionRelations Build() &&;

 private:
  int64_t NewFactor(const DimensionFactor& factor);
  DimensionRelations relations_;
};

// Whether each leaf is a scalar, a token or has the rank of the first result.
bool HasOneRank(const RelationInput& in);
// Whether the dimensions of all arrays are equal.
bool HaveSameDimensions(absl::Span<const Shape* const> shapes);

}  // namespace xla::dimensions

#endif  // XLA_HLO_DIMENSIONS_RULES_H_
