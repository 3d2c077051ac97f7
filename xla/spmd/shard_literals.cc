// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/shard_literals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {
namespace {

// Where the shard of a partition begins, and how much of it is within the array.
struct Extent {
  std::vector<int64_t> start, size;
};

Extent ExtentOf(const Shape& full, const Shape& shard, const ShardLayout& layout,
                int64_t partition) {
  Extent extent;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    const int64_t all = full.dimensions(static_cast<int>(d));
    const int64_t size = shard.dimensions(static_cast<int>(d));
    const int64_t start = std::min(layout.Position(partition, d) * size, all);
    extent.start.push_back(start);
    extent.size.push_back(std::min(size, all - start));
  }
  return extent;
}

// Dimensions of sizes that are known at run time are not divided.
void CopyDynamicSizes(const LiteralSlice& from, Literal& to) {
  for (int d = 0; d < to.shape().rank(); ++d) {
    if (to.shape().is_dynamic_dimension(d)) to.SetDynamicSize(d, from.GetDynamicSize(d));
  }
}

// Whether the partition has the value of an unreduced array.
bool HasPartialValue(const ShardLayout& layout, int64_t partition) {
  ShardLayout parts;
  parts.mesh = layout.partial_groups.mesh;
  parts.axes = {layout.partial_groups.axes};
  return parts.Position(partition, 0) == 0;
}

absl::StatusOr<Literal> Identity(const Shape& shape, UnreducedKind reduction) {
  if (reduction == UnreducedKind::kSum) return Literal::CreateFromShape(shape);
  const PrimitiveType type = shape.element_type();
  return (reduction == UnreducedKind::kMax ? LiteralUtil::MinValue(type)
                                           : LiteralUtil::MaxValue(type))
      .Broadcast(shape, {});
}

absl::StatusOr<Literal> ShardOfArray(const LiteralSlice& full, const HloSharding& sharding,
                                     int64_t partition, int64_t partitions) {
  const Shape& shape = full.shape();
  if (!shape.IsArray()) return full.Clone();
  XLA_ASSIGN_OR_RETURN(const ShardLayout layout, ShardLayoutOf(sharding, shape, partitions));
  if (layout.IsReplicated()) return full.Clone();
  XLA_ASSIGN_OR_RETURN(const Shape shard_shape, ShardShape(shape, layout));
  if (!HasPartialValue(layout, partition)) {
    XLA_ASSIGN_OR_RETURN(Literal identity, Identity(shard_shape, layout.reduction));
    CopyDynamicSizes(full, identity);
    return identity;
  }
  XLA_ASSIGN_OR_RETURN(Literal shard, Literal::Make(shard_shape));
  const Extent extent = ExtentOf(shape, shard_shape, layout, partition);
  const std::vector<int64_t> origin(extent.start.size(), 0);
  XLA_RETURN_IF_ERROR(shard.CopySliceFrom(full, extent.start, origin, extent.size));
  CopyDynamicSizes(full, shard);
  return shard;
}

}  // namespace

absl::StatusOr<Literal> ShardOfLiteral(const LiteralSlice& full, const HloSharding& sharding,
                                       int64_t partition, int64_t partitions) {
  if (!full.shape().IsTuple()) return ShardOfArray(full, sharding, partition, partitions);
  const auto leaves = ShapeUtil::GetLeafShapes(full.shape());
  std::vector<Literal> shards;
  Shape shape = full.shape();
  for (size_t i = 0; i < leaves.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        Literal shard, ShardOfArray(LiteralSlice(full, leaves[i].index), LeafSharding(sharding, i),
                                    partition, partitions));
    *ShapeUtil::GetMutableSubshape(&shape, leaves[i].index) = shard.shape();
    shards.push_back(std::move(shard));
  }
  XLA_ASSIGN_OR_RETURN(Literal tuple, Literal::Make(shape));
  for (size_t i = 0; i < leaves.size(); ++i) {
    XLA_RETURN_IF_ERROR(tuple.MoveFrom(std::move(shards[i]), leaves[i].index));
  }
  return tuple;
}

absl::StatusOr<Literal> FullLiteral(absl::Span<const LiteralSlice> shards,
                                    const HloSharding& sharding, const Shape& shape) {
  if (!shape.IsArray()) return shards[0].Clone();
  const auto partitions = static_cast<int64_t>(shards.size());
  XLA_ASSIGN_OR_RETURN(const ShardLayout layout, ShardLayoutOf(sharding, shape, partitions));
  if (layout.IsReplicated()) return shards[0].Clone();
  if (!layout.partial_groups.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("the full value of an array of the sharding ", sharding.ToString()));
  }
  XLA_ASSIGN_OR_RETURN(Literal full, Literal::Make(shape));
  for (int64_t p = 0; p < partitions; ++p) {
    const LiteralSlice& shard = shards[static_cast<size_t>(p)];
    const Extent extent = ExtentOf(shape, shard.shape(), layout, p);
    const std::vector<int64_t> origin(extent.start.size(), 0);
    XLA_RETURN_IF_ERROR(full.CopySliceFrom(shard, origin, extent.start, extent.size));
  }
  CopyDynamicSizes(shards[0], full);
  return full;
}

absl::StatusOr<Literal> FullResult(absl::Span<const Literal> results,
                                   absl::Span<const HloSharding> shardings, const Shape& shape) {
  const auto leaves = ShapeUtil::GetLeafShapes(shape);
  XLA_ASSIGN_OR_RETURN(Literal full, Literal::Make(shape));
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::vector<LiteralSlice> shards;
    for (const Literal& result : results) shards.emplace_back(result, leaves[i].index);
    XLA_ASSIGN_OR_RETURN(Literal leaf, FullLiteral(shards, shardings[i], leaves[i].shape));
    XLA_RETURN_IF_ERROR(full.MoveFrom(std::move(leaf), leaves[i].index));
  }
  return full;
}

}  // namespace xla::spmd
