// SPDX-License-Identifier: Apache-2.0
// Dimension relations of operations without operands.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

namespace {

Relations RelateResultDimensions(const RelationInput& in) {
  RelationBuilder builder(in);
  builder.AddPointwise(in.result().dimensions());
  return std::move(builder).Build();
}

}  // namespace

Relations RelateConstant(const RelationInput& in) {
  return in.results.size() == 1 && in.result().IsArray() ? RelateResultDimensions(in)
                                                         : std::nullopt;
}
Relations RelateIota(const RelationInput& in) { return RelateResultDimensions(in); }

}  // namespace xla::dimensions
