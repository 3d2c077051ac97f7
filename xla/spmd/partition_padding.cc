// SPDX-License-Identifier: Apache-2.0
// Shards of sizes that do not divide evenly: each ends in padding of any value, which must not
// reach what is computed from them.
#include <vector>

#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/reduction_start.h"

namespace xla::spmd {
HloInstruction* Partitioner::FillPadding(HloInstruction* shard, const Shape& full,
                                         const ShardLayout& layout,
                                         absl::Span<const int64_t> dimensions,
                                         HloInstruction* fill) {
  for (const int64_t d : dimensions) {
    const auto dim = static_cast<size_t>(d);
    const int64_t size = full.dimensions(static_cast<int>(d));
    if (size % layout.counts[dim] == 0) continue;
    const int64_t rows = shard->shape().dimensions(static_cast<int>(d));
    HloInstruction* start = ShardStart(shard->parent(), layout, dim, rows);
    shard = emit_.Masked(shard, emit_.ValidRows(shard->shape(), d, start, size), fill);
  }
  return shard;
}

HloInstruction* Partitioner::WithoutPaddingFor(const HloInstruction& user, size_t operand,
                                               HloInstruction* shard, const ShardLayout& layout) {
  const HloInstruction& full = *user.operand(static_cast<int64_t>(operand));
  if (IsEven(full.shape(), layout)) return shard;
  std::vector<int64_t> dimensions;
  switch (user.opcode()) {
    case HloOpcode::kReduce: {
      const auto& reduced = user.attributes<DimensionListAttributes>().dimensions;
      return FillPadding(shard, full.shape(), layout, {reduced.data(), reduced.size()},
                         NeutralElement(user, operand));
    }
    case HloOpcode::kDot: {
      const auto& numbers = user.attributes<DotAttributes>();
      const auto& contracted =
          operand == 0 ? numbers.lhs_contracting_dims : numbers.rhs_contracting_dims;
      dimensions.assign(contracted.begin(), contracted.end());
      break;
    }
    case HloOpcode::kConvolution: {
      const ConvDims& dims = user.attributes<ConvolutionAttributes>().dim_labels;
      dimensions = {operand == 0 ? dims.input_feature : dims.kernel_input_feature};
      break;
    }
    case HloOpcode::kCustomCall:  // code that is not ours gets no values that nobody computed
      for (int64_t d = 0; d < full.shape().rank(); ++d) dimensions.push_back(d);
      break;
    default:
      return shard;
  }
  HloInstruction* zero =
      Zero(shard->parent(), ShapeUtil::MakeShape(shard->shape().element_type(), {}));
  return FillPadding(shard, full.shape(), layout, dimensions, zero);
}

}  // namespace xla::spmd
