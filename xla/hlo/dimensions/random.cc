// SPDX-License-Identifier: Apache-2.0
// Dimension relations of random numbers: each depends on its position only.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

// The parameters of the distribution are scalars.
Relations RelateRng(const RelationInput& in) {
  RelationBuilder builder(in);
  builder.AddPointwise(in.result().dimensions());
  return std::move(builder).Build();
}

// Every device needs the whole state, and has the whole new one.
Relations RelateRngBitGenerator(const RelationInput& in) {
  if (in.results.size() != 2) return std::nullopt;
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    builder.Add({d}, {d, kNoDim},
                {.size = in.operand(0).dimensions(static_cast<int>(d)),
                 .kind = FactorKind::kNeedReplication,
                 .is_blocked = true});
  }
  for (int64_t d = 0; d < in.result(1).rank(); ++d) {
    builder.Add({kNoDim}, {kNoDim, d}, {.size = in.result(1).dimensions(static_cast<int>(d))});
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
