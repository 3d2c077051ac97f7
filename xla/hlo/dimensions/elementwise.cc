// SPDX-License-Identifier: Apache-2.0
// Dimension relations of elementwise operations.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

// Dimension i of all arrays; scalars (bounds of clamp, the predicate of select) have none.
Relations RelateElementwise(const RelationInput& in) {
  if (in.results.size() != 1 || !in.result().IsArray() || !HasOneRank(in)) return std::nullopt;
  RelationBuilder builder(in);
  builder.AddPointwise(in.result().dimensions());
  return std::move(builder).Build();
}

// Of element types of different widths, the array with the narrower one has a minor dimension
// besides.
Relations RelateBitcastConvert(const RelationInput& in) {
  const Sizes operand = in.operand(0).dimensions(), result = in.result().dimensions();
  RelationBuilder builder(in);
  builder.AddPointwise(operand.size() < result.size() ? operand : result);
  const auto add_minor = [&](Sizes sizes, bool is_operand) {
    const int64_t dim = static_cast<int64_t>(sizes.size()) - 1;
    builder.Add({is_operand ? dim : kNoDim}, {is_operand ? kNoDim : dim},
                {.size = sizes.back(), .kind = FactorKind::kNeedReplication});
  };
  if (operand.size() < result.size()) add_minor(result, /*is_operand=*/false);
  if (operand.size() > result.size()) add_minor(operand, /*is_operand=*/true);
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
