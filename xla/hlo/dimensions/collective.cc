// SPDX-License-Identifier: Apache-2.0
// Dimension relations of collectives: those of manual computations, whose other axes are free.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {
namespace {

// Operand i and result i have the same dimensions.
Relations RelatePairs(const RelationInput& in, absl::Span<const Shape* const> results) {
  if (results.size() > in.operands.size()) return std::nullopt;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!in.operand(i).IsArray() || !results[i]->IsArray() ||
        in.operand(i).dimensions() != results[i]->dimensions()) {
      return std::nullopt;
    }
  }
  RelationBuilder builder(in);
  if (HaveSameDimensions(in.operands)) {
    builder.AddPointwise(in.operand(0).dimensions());
    return std::move(builder).Build();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    for (int64_t d = 0; d < results[i]->rank(); ++d) {
      Dims operands(in.operands.size(), kNoDim), outputs(results.size(), kNoDim);
      operands[i] = outputs[i] = d;
      builder.Add(operands, outputs, {.size = results[i]->dimensions(static_cast<int>(d))});
    }
  }
  return std::move(builder).Build();
}

// The same, but for a dimension that is gathered or scattered.
Relations RelateAllBut(const RelationInput& in, int64_t dim) {
  if (!HaveSameDimensions(in.operands) || !HaveSameDimensions(in.results)) return std::nullopt;
  const Sizes from = in.operand(0).dimensions(), to = in.result().dimensions();
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    if (d != dim) builder.AddEverywhere(d, {.size = from[d]});
  }
  builder.AddToOperands(dim, {.size = from[dim], .kind = FactorKind::kNeedReplication});
  builder.AddToResults(dim, {.size = to[dim], .kind = FactorKind::kNeedReplication});
  return std::move(builder).Build();
}

}  // namespace

Relations RelateAllGather(const RelationInput& in) {
  return RelateAllBut(in, in.attributes<AllGatherAttributes>().dimensions[0]);
}
Relations RelateReduceScatter(const RelationInput& in) {
  return RelateAllBut(in, in.attributes<ReduceScatterAttributes>().dimensions[0]);
}

// With a dimension, parts of it are exchanged; without, operands are.
Relations RelateAllToAll(const RelationInput& in) {
  const auto& dimensions = in.attributes<AllToAllAttributes>().dimensions;
  if (!dimensions.has_value()) return RelatePairs(in, in.results);
  return RelateAllBut(in, (*dimensions)[0]);
}

Relations RelateAllReduce(const RelationInput& in) { return RelatePairs(in, in.results); }
Relations RelateCollectiveBroadcast(const RelationInput& in) { return RelatePairs(in, in.results); }
Relations RelateCollectivePermute(const RelationInput& in) { return RelatePairs(in, in.results); }

// What starts has the relations of the whole operation, if its result has that operation's shape.
Relations RelateCollectiveStart(const RelationInput& in) {
  if (in.instruction.opcode() == HloOpcode::kAllReduceStart) return RelatePairs(in, in.results);
  return std::nullopt;
}

}  // namespace xla::dimensions
