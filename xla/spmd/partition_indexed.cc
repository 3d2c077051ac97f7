// SPDX-License-Identifier: Apache-2.0
// Slices and updates at indices along dimensions that are divided: each partition works on the rows
// that fall into its shard, and the parts are added.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// Dimensions of an operand that are divided and for which the predicate does not hold.
template <typename Predicate>
std::vector<int64_t> DividedUnless(const ShardLayout& layout, Predicate is_kept) {
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    if (layout.counts[d] > 1 && !is_kept(static_cast<int64_t>(d))) {
      dimensions.push_back(static_cast<int64_t>(d));
    }
  }
  return dimensions;
}

// What a dynamic slice has of this shard of its operand, of which dimension `d` is divided, at its
// place in the shape among zeros. Other dimensions that are divided are taken in full.
HloInstruction* RowsInShard(const HloInstruction& slice, HloInstruction* shard,
                            const ShardLayout& layout, int64_t d, const Shape& shape,
                            const ShardEmitter& emit) {
  HloComputation* computation = shard->parent();
  const Shape& full = slice.operand(0)->shape();
  const int dim = static_cast<int>(d);
  const int64_t rows = slice.shape().dimensions(dim), size = shard->shape().dimensions(dim);
  HloInstruction* start =
      Binary(HloOpcode::kSubtract,
             Clamped(slice.operands()[static_cast<size_t>(d) + 1], 0, full.dimensions(dim) - rows),
             ShardStart(computation, layout, static_cast<size_t>(d), size));
  HloInstruction* at =
      Clamped(Binary(HloOpcode::kAdd, start, ScalarS32(computation, rows)), 0, size + rows);
  Instructions operands = {Padded(shard, d, rows)};
  for (int64_t e = 0; e < full.rank(); ++e) {
    HloInstruction* other = slice.operands()[static_cast<size_t>(e) + 1];
    const bool is_divided = layout.counts[static_cast<size_t>(e)] > 1;
    if (e == d) {
      other = at;
    } else if (is_divided) {
      other = ScalarS32(computation, 0);
    } else {
      other = Clamped(
          other, 0,
          full.dimensions(static_cast<int>(e)) - slice.shape().dimensions(static_cast<int>(e)));
    }
    operands.push_back(other);
  }
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  HloInstruction* part =
      Add(computation, HloOpcode::kDynamicSlice, shape, operands, std::move(attributes));
  const Shape numbers = ShapeUtil::MakeShape(PrimitiveType::S32, shape.dimensions());
  HloInstruction* row =
      Binary(HloOpcode::kAdd,
             Add(computation, HloOpcode::kIota, numbers, {}, IotaAttributes{.iota_dimension = d}),
             Spread(start, shape));
  return emit.Masked(part, Within(row, size),
                     Zero(computation, ShapeUtil::MakeShape(shape.element_type(), {})));
}

}  // namespace

int64_t Partitioner::BytesOfFull(HloInstruction* value) const {
  Instructions parts = {value};
  switch (value->opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kPad:
      parts.assign(value->operands().begin(), value->operands().end());
      absl::c_sort(parts);
      parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
      break;
    default:
      break;
  }
  int64_t bytes = 0;
  for (HloInstruction* part : parts) {
    const Source source = SourceOf(part);
    if (source.shard == nullptr) continue;
    bytes += emit_.ReshardBytes(part->shape(), source.layout,
                                UndividedLayout(part->shape().rank(), partitions_));
  }
  return bytes;
}

absl::StatusOr<bool> Partitioner::PartitionDynamicSlice(HloInstruction* slice) {
  const Source source = SourceOf(slice->mutable_operand(0));
  const Shape& full = slice->operand(0)->shape();
  if (source.shard == nullptr) return false;
  const std::vector<int64_t> divided = DividedUnless(source.layout, [&](int64_t d) {
    return slice->shape().dimensions(static_cast<int>(d)) == full.dimensions(static_cast<int>(d));
  });
  if (divided.size() != 1 || ShapeUtil::IsZeroElementArray(slice->shape())) return false;
  const int64_t d = divided[0];
  const int dim = static_cast<int>(d);
  HloInstruction* index = slice->mutable_operand(d + 1);
  if (index->shape().rank() != 0 || !Holds(index->shape().element_type(), full.dimensions(dim))) {
    return false;
  }
  DimensionShardings kept = DimensionShardingsOf(source.layout);
  const DimensionShardings reduced = {std::exchange(kept[static_cast<size_t>(d)], {})};
  const auto layout = ShardLayoutFrom(kept, partitions_);
  const auto groups = PartialGroups(kept, reduced, partitions_);
  if (!layout.has_value() || !groups.has_value()) return false;
  ShardLayout parts = *layout;
  parts.partial_groups = *groups;
  const std::optional<ShardLayout> wanted = WantedLayout(*slice);
  const bool is_scattered =
      wanted.has_value() && emit_.CanReduceScatter(slice->shape(), parts, *wanted);
  const int64_t summed = BytesOfShard(slice->shape(), *layout) / groups->group_size() *
                         (groups->group_size() - 1) * (is_scattered ? 1 : 2);
  // Slices of most of an array may be cut out of all of it.
  if (BytesOfFull(slice->mutable_operand(0)) <= summed) return false;
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(slice->shape(), *layout));
  HloInstruction* part = RowsInShard(*slice, source.shard, source.layout, d, shape, emit_);
  HloInstruction* sum = emit_.CombineDisjoint(part, slice->shape(), std::move(parts),
                                              is_scattered ? &*wanted : nullptr);
  XLA_RETURN_IF_ERROR(SetResult(slice, sum, is_scattered ? *wanted : *layout));
  return true;
}

absl::StatusOr<bool> Partitioner::PartitionDynamicUpdateSlice(HloInstruction* update) {
  const Source source = SourceOf(update->mutable_operand(0));
  const Shape& full = update->shape();
  const Shape& part = update->operand(1)->shape();
  if (source.shard == nullptr) return false;
  const std::vector<int64_t> divided = DividedUnless(source.layout, [&](int64_t d) {
    return part.dimensions(static_cast<int>(d)) == full.dimensions(static_cast<int>(d));
  });
  if (divided.empty() || ShapeUtil::IsZeroElementArray(part)) return false;
  DimensionShardings kept = DimensionShardingsOf(source.layout);
  for (const int64_t d : divided) {
    const PrimitiveType type = update->operand(d + 2)->shape().element_type();
    if (!Holds(type, full.dimensions(static_cast<int>(d)))) return false;
    kept[static_cast<size_t>(d)] = {};
  }
  const auto layout = ShardLayoutFrom(kept, partitions_);
  if (!layout.has_value()) return false;
  XLA_ASSIGN_OR_RETURN(HloInstruction * rows, ShardOf(update->mutable_operand(1), *layout));
  HloComputation* computation = update->parent();
  HloInstruction* padded = source.shard;
  Instructions operands = {nullptr, rows};
  SliceAttributes inner;
  for (int64_t e = 0; e < full.rank(); ++e) {
    const int i = static_cast<int>(e);
    HloInstruction* index = update->mutable_operand(e + 2);
    const int64_t size = source.shard->shape().dimensions(i), count = part.dimensions(i);
    inner.slice.push_back({0, size, 1});
    if (absl::c_linear_search(divided, e)) {
      HloInstruction* start =
          Binary(HloOpcode::kSubtract, Clamped(index, 0, full.dimensions(i) - count),
                 ShardStart(computation, source.layout, static_cast<size_t>(e), size));
      // What falls beside the shard is put into padding.
      index =
          Clamped(Binary(HloOpcode::kAdd, start, ScalarS32(computation, count)), 0, size + count);
      padded = Padded(padded, e, count);
      inner.slice.back() = {count, count + size, 1};
    } else if (source.layout.counts[static_cast<size_t>(e)] > 1) {
      index = ScalarS32(computation, 0);
    } else {
      index = Clamped(index, 0, full.dimensions(i) - count);
    }
    operands.push_back(index);
  }
  operands[0] = padded;
  HloInstruction* updated =
      Add(computation, HloOpcode::kDynamicUpdateSlice, padded->shape(), operands);
  SetShard(update,
           Add(computation, HloOpcode::kSlice, source.shard->shape(), {updated}, std::move(inner)),
           source.layout);
  return true;
}

}  // namespace xla::spmd
