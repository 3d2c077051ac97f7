// SPDX-License-Identifier: Apache-2.0
// Shards of sizes that do not divide evenly: each ends in padding of any value, which must not
// reach what is computed from them.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

// The sizes that shards of both layouts divide evenly, where the rows of each are at the same
// places in both.
struct CommonSizes {
  Shape shape;
  std::vector<size_t> misaligned;  // dimensions that have no such size
};

CommonSizes CommonSizesOf(const Shape& full, const ShardLayout& from, const ShardLayout& to) {
  CommonSizes common{full, {}};
  for (size_t d = 0; d < from.counts.size(); ++d) {
    const auto dimension = static_cast<int>(d);
    const int64_t size = full.dimensions(dimension);
    const int64_t before = RoundUpTo(size, from.counts[d]);
    const int64_t after = RoundUpTo(size, to.counts[d]);
    if (from.counts[d] != 1 && to.counts[d] != 1 && before != after) common.misaligned.push_back(d);
    common.shape.set_dimensions(dimension, std::max(before, after));
  }
  return common;
}

}  // namespace

std::optional<ShardLayout> Partitioner::WithoutDimensions(
    const ShardLayout& layout, absl::Span<const size_t> dimensions) const {
  DimensionShardings shardings = DimensionShardingsOf(layout);
  for (const size_t d : dimensions) shardings[d] = {};
  return ShardLayoutFrom(shardings, partitions_);
}

HloInstruction* Partitioner::Reshard(HloInstruction* shard, const Shape& full,
                                     const ShardLayout& from, const ShardLayout& to) {
  if (from == to) return shard;
  if (IsEven(full, from) && IsEven(full, to)) return emit_.Reshard(shard, full, from, to);
  const CommonSizes common = CommonSizesOf(full, from, to);
  if (!common.misaligned.empty()) {
    const auto between = WithoutDimensions(from, common.misaligned);
    if (!between.has_value()) return nullptr;
    HloInstruction* joined = Reshard(shard, full, from, *between);
    return joined == nullptr ? nullptr : Reshard(joined, full, *between, to);
  }
  Shape given = shard->shape(), result = shard->shape();
  for (size_t d = 0; d < from.counts.size(); ++d) {
    const auto dimension = static_cast<int>(d);
    const int64_t size = common.shape.dimensions(dimension);
    given.set_dimensions(dimension, size / from.counts[d]);
    result.set_dimensions(
        dimension, to.counts[d] == 1 ? full.dimensions(dimension) : size / to.counts[d]);
  }
  HloInstruction* moved = emit_.Reshard(WithPadding(shard, given), common.shape, from, to);
  return moved == nullptr ? nullptr : WithoutPadding(moved, result);
}

int64_t Partitioner::ReshardBytes(const Shape& full, const ShardLayout& from,
                                  const ShardLayout& to) const {
  const CommonSizes common = CommonSizesOf(full, from, to);
  if (common.misaligned.empty()) return emit_.ReshardBytes(common.shape, from, to);
  const auto between = WithoutDimensions(from, common.misaligned);
  if (!between.has_value()) return ShapeUtil::ByteSizeOf(PaddedShape(full, from));
  return ReshardBytes(full, from, *between) + ReshardBytes(full, *between, to);
}

HloInstruction* Partitioner::ReduceScatter(HloInstruction* part, const Shape& full,
                                           const ShardLayout& from, const ShardLayout& to) {
  return CanReduceScatter(full, from, to) ? emit_.ReduceScatter(part, from, to) : nullptr;
}

bool Partitioner::CanReduceScatter(const Shape& full, const ShardLayout& from,
                                   const ShardLayout& to) {
  return CommonSizesOf(full, from, to).misaligned.empty() &&
         ShardEmitter::CanReduceScatter(from, to);
}

HloInstruction* Partitioner::FillPadding(HloInstruction* shard, const Shape& full,
                                         const ShardLayout& layout,
                                         absl::Span<const int64_t> dimensions,
                                         HloInstruction* fill) {
  for (const int64_t d : dimensions) {
    const auto dim = static_cast<size_t>(d);
    const int64_t size = full.dimensions(static_cast<int>(d));
    if (size % layout.counts[dim] == 0) continue;
    const int64_t rows = shard->shape().dimensions(static_cast<int>(d));
    std::vector<int64_t> starts;
    for (int64_t p = 0; p < partitions_; ++p) starts.push_back(layout.Position(p, dim) * rows);
    shard = emit_.Masked(shard, emit_.ValidRows(shard->shape(), d, starts, size, shard->parent()),
                         fill);
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
      const auto inputs = static_cast<int64_t>(user.operand_count()) / 2;
      const auto& reduced = user.attributes<DimensionListAttributes>().dimensions;
      HloInstruction* initial = user.operands()[static_cast<size_t>(inputs) + operand];
      return FillPadding(shard, full.shape(), layout, {reduced.data(), reduced.size()}, initial);
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
