// SPDX-License-Identifier: Apache-2.0
// Dimension relations of batch normalization.
#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {
namespace {

// The arrays of the operand's rank have all its dimensions, the others its features only. Sums over
// the other dimensions need all of them.
Relations RelateBatchNorm(const RelationInput& in, FactorKind summed) {
  const int64_t feature = in.attributes<BatchNormAttributes>().feature_index;
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    // By position, since an operand of rank 1 has the rank of its features.
    const auto dims = [&](size_t count, auto is_whole) {
      Dims list;
      for (size_t i = 0; i < count; ++i) {
        list.push_back(is_whole(i) ? d : d == feature ? 0 : kNoDim);
      }
      return list;
    };
    const auto operand_is_whole = [](size_t i) { return i == 0 || i == 4; };
    const bool is_inference = in.instruction.opcode() == HloOpcode::kBatchNormInference;
    builder.Add(dims(in.operands.size(),
                     [&](size_t i) { return is_inference ? i == 0 : operand_is_whole(i); }),
                dims(in.results.size(), [](size_t i) { return i == 0; }),
                {.size = in.operand(0).dimensions(static_cast<int>(d)),
                 .kind = d == feature ? FactorKind::kPassThrough : summed});
  }
  return std::move(builder).Build();
}

}  // namespace

Relations RelateBatchNormInference(const RelationInput& in) {
  return RelateBatchNorm(in, FactorKind::kPassThrough);
}
Relations RelateBatchNormTraining(const RelationInput& in) {
  return RelateBatchNorm(in, FactorKind::kNeedReplication);
}
Relations RelateBatchNormGrad(const RelationInput& in) {
  return RelateBatchNorm(in, FactorKind::kNeedReplication);
}

}  // namespace xla::dimensions
