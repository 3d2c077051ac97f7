// SPDX-License-Identifier: Apache-2.0
// Dimension relations of sorting.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

// Where there is nothing but the sorted dimension to divide, propagating along it gains nothing.
Relations RelateSort(const RelationInput& in) {
  const int64_t along = in.attributes<SortAttributes>().dimensions[0];
  const Sizes sizes = in.operand(0).dimensions();
  bool is_alone = true;
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    is_alone = is_alone && (d == along || sizes[d] == 1);
  }
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    DimensionFactor factor{.size = sizes[d]};
    if (d == along) {
      factor.kind = FactorKind::kNeedReplication;
      factor.is_blocked = is_alone;
    }
    builder.AddEverywhere(d, factor);
  }
  return std::move(builder).Build();
}

Relations RelateTopK(const RelationInput& in) {
  RelationBuilder builder(in);
  builder.AddPointwise(in.operand(0).dimensions(), in.result().dimensions(),
                       FactorKind::kNeedReplication, /*is_mismatch_blocked=*/true);
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
