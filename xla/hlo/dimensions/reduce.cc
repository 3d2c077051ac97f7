// SPDX-License-Identifier: Apache-2.0
// Dimension relations of reductions and scans.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {

Relations RelateReduce(const RelationInput& in) {
  const auto& reduced = in.attributes<DimensionListAttributes>().dimensions;
  const size_t count = in.operands.size() / 2;
  RelationBuilder builder(in);
  int64_t out = 0;
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    const bool is_reduced = Contains(reduced, d);
    builder.Add(Dims(count, d), Dims(in.results.size(), is_reduced ? kNoDim : out++),
                {.size = in.operand(0).dimensions(static_cast<int>(d)),
                 .kind = is_reduced ? FactorKind::kReduction : FactorKind::kPassThrough});
  }
  return std::move(builder).Build();
}

// What the function does with the other dimensions is not known, but where it is elementwise the
// shapes of inputs, carries and results agree in them.
Relations RelateScan(const RelationInput& in) {
  const auto& attributes = in.attributes<ScanAttributes>();
  const int64_t along = attributes.dimensions[0];
  const size_t carries = static_cast<size_t>(attributes.num_carries);
  const size_t inputs = in.operands.size() - carries, outputs = in.results.size() - carries;
  RelationBuilder builder(in);
  Dims operands(inputs, along), results(outputs, along);
  builder.Add(operands, results,
              {.size = in.operand(0).dimensions(static_cast<int>(along)),
               .kind = FactorKind::kNeedReplication});
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    if (d == along) continue;
    const int64_t size = in.operand(0).dimensions(static_cast<int>(d));
    const auto dim_of = [&](const Shape& shape, bool is_carry) {
      const int64_t dim = is_carry && d > along ? d - 1 : d;
      return shape.IsArray() && dim < shape.rank() &&
                     shape.dimensions(static_cast<int>(dim)) == size
                 ? dim
                 : kNoDim;
    };
    operands.clear();
    results.clear();
    for (size_t i = 0; i < in.operands.size(); ++i) {
      operands.push_back(dim_of(in.operand(i), i >= inputs));
    }
    for (size_t i = 0; i < in.results.size(); ++i) {
      results.push_back(dim_of(in.result(i), i >= outputs));
    }
    builder.Add(operands, results, {.size = size, .kind = FactorKind::kNeedReplication});
  }
  return std::move(builder).Build();
}

}  // namespace xla::dimensions
