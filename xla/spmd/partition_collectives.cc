// SPDX-License-Identifier: Apache-2.0
// Collectives of the program on shards: partitions that exchange data exchange the parts that they
// have of what other dimensions divide.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/passes/collective_group.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

constexpr int64_t kNoDimension = -1;

// The dimension whose parts a collective brings to other partitions, kNoDimension if each element
// keeps its place. None for what does not work on shards.
std::optional<int64_t> ExchangedDimension(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectiveBroadcast:
      return kNoDimension;
    case HloOpcode::kAllGather:
      return instruction.attributes<AllGatherAttributes>().dimensions[0];
    case HloOpcode::kReduceScatter:
      return instruction.attributes<ReduceScatterAttributes>().dimensions[0];
    case HloOpcode::kAllToAll: {
      const auto& dimensions = instruction.attributes<AllToAllAttributes>().dimensions;
      return dimensions.has_value() ? std::optional((*dimensions)[0]) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// Whether partitions that exchange data have the same part of an array that is divided so: they may
// exchange the parts.
bool ExchangesSamePositions(const HloInstruction& collective, const ShardLayout& layout) {
  const int64_t partitions = layout.mesh.num_devices();
  std::vector<std::pair<int64_t, int64_t>> pairs;  // that must have the same
  std::vector<bool> is_seen(static_cast<size_t>(partitions), false);
  for (int64_t p = 0; p < partitions; ++p) {
    if (is_seen[static_cast<size_t>(p)]) continue;
    const absl::StatusOr<DeviceGroup> found = FindGroup(collective, {1, partitions, 0, p});
    if (!found.ok()) return false;  // of other replicas, which a run has or misses
    const DeviceGroup& group = *found;
    if (collective.opcode() == HloOpcode::kCollectivePermute) {
      pairs = group.pairs;
      break;
    }
    for (const int64_t device : group.devices) {
      is_seen[static_cast<size_t>(device)] = true;
      pairs.emplace_back(p, device);
    }
  }
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    if (layout.counts[d] == 1) continue;
    const std::vector<int64_t> positions = layout.Positions(d);
    for (const auto& [a, b] : pairs) {
      if (positions[static_cast<size_t>(a)] != positions[static_cast<size_t>(b)]) return false;
    }
  }
  return true;
}

// The layout without the axes of a dimension, if all partitions that exchange data have the same
// part then; else the undivided one.
ShardLayout LayoutToExchange(const HloInstruction& collective, const ShardLayout& layout,
                             int64_t dimension, int64_t partitions) {
  std::vector<int64_t> whole;
  if (dimension != kNoDimension) whole.push_back(dimension);
  ShardLayout kept = LayoutWithWhole(layout, whole, partitions);
  if (ExchangesSamePositions(collective, kept)) return kept;
  return UndividedLayout(static_cast<int64_t>(layout.counts.size()), partitions);
}

}  // namespace

absl::StatusOr<bool> Partitioner::PartitionCollective(HloInstruction* collective) {
  const std::optional<int64_t> dimension = ExchangedDimension(*collective);
  if (!dimension.has_value()) return false;
  const bool is_tuple = collective->shape().IsTuple();
  std::vector<ShardLayout> layouts;
  bool is_divided = false;
  for (HloInstruction* operand : collective->operands()) {
    if (!operand->shape().IsArray()) return false;
    const Source source = SourceOf(operand);
    layouts.push_back(source.shard == nullptr
                          ? UndividedLayout(operand->shape().rank(), partitions_)
                          : LayoutToExchange(*collective, source.layout, *dimension, partitions_));
    is_divided = is_divided || !layouts.back().IsUndivided();
  }
  if (!is_divided || (is_tuple ? collective->shape().tuple_shapes_size() : 1) !=
                         static_cast<int>(layouts.size())) {
    return false;
  }
  std::vector<HloInstruction*> shards;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < layouts.size(); ++i) {
    HloInstruction* shard = collective->mutable_operand(static_cast<int64_t>(i));
    if (!layouts[i].IsUndivided()) {
      XLA_ASSIGN_OR_RETURN(shard, ShardOf(shard, layouts[i]));
    }
    shards.push_back(shard);
    const Shape& full =
        is_tuple ? collective->shape().tuple_shapes(static_cast<int>(i)) : collective->shape();
    XLA_ASSIGN_OR_RETURN(Shape shape, ShardShape(full, layouts[i]));
    shapes.push_back(std::move(shape));
  }
  const Shape shape = is_tuple ? ShapeUtil::MakeTupleShape(shapes) : shapes[0];
  HloInstruction* exchanged =
      collective->parent()->AddInstruction(collective->CloneWithNewOperands(shape, shards));
  if (is_tuple) {
    sharded_tuples_[collective] = ShardedTuple{exchanged, std::move(layouts)};
  } else {
    SetShard(collective, exchanged, layouts[0]);
  }
  return true;
}

}  // namespace xla::spmd
