// SPDX-License-Identifier: Apache-2.0
// Dimension relations of operations that order others.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

// The first operand, once the second is there.
Relations RelateAddDependency(const RelationInput& in) {
  if (!in.result().IsArray() || in.results.size() != 1) return std::nullopt;
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.result().rank(); ++d) {
    builder.Add({d}, {d}, {.size = in.result().dimensions(static_cast<int>(d))});
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
