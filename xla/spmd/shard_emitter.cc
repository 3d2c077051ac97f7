// SPDX-License-Identifier: Apache-2.0
// ShardLayout cut out, gathered, placed and exchanged.
#include "xla/spmd/shard_emitter.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/clone.h"
#include "xla/literal_util.h"
#include "xla/passes/collective_group.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

}  // namespace

HloInstruction* NeutralValue(HloComputation* computation, const Shape& shape,
                             UnreducedKind reduction) {
  if (reduction == UnreducedKind::kSum) return Zero(computation, shape);
  const PrimitiveType type = shape.element_type();
  HloInstruction* bound = computation->AddInstruction(HloInstruction::CreateConstant(
      reduction == UnreducedKind::kMax ? LiteralUtil::MinValue(type)
                                       : LiteralUtil::MaxValue(type)));
  return Add(computation, HloOpcode::kBroadcast, shape, {bound}, Dimensions({}));
}

HloInstruction* ShardStart(HloComputation* computation, const ShardLayout& layout, size_t dimension,
                           int64_t size) {
  if (layout.counts[dimension] == 1) return ScalarS32(computation, 0);
  HloInstruction* position = PositionAlong(layout.mesh, layout.axes[dimension], computation);
  if (size == 1) return position;
  return Add(computation, HloOpcode::kMultiply, position->shape(),
             {position, ScalarS32(computation, size)});
}

HloInstruction* ValueAtPosition(HloComputation* computation, const ShardLayout& layout,
                                size_t dimension, absl::Span<const int64_t> values) {
  const int64_t step = values.size() > 1 ? values[1] - values[0] : 0;
  bool is_linear = true;
  for (size_t q = 0; q < values.size(); ++q) {
    is_linear = is_linear && values[q] == values[0] + static_cast<int64_t>(q) * step;
  }
  if (is_linear && step == 0) return ScalarS32(computation, values[0]);
  if (!is_linear) {
    const std::vector<int32_t> table(values.begin(), values.end());
    return TableEntry(computation, table,
                      PositionAlong(layout.mesh, layout.axes[dimension], computation));
  }
  HloInstruction* start = ShardStart(computation, layout, dimension, step);
  if (values[0] == 0) return start;
  return Add(computation, HloOpcode::kAdd, start->shape(),
             {start, ScalarS32(computation, values[0])});
}

absl::StatusOr<HloInstruction*> ShardEmitter::ShardAt(HloInstruction* full,
                                                      const ShardLayout& layout) {
  if (layout.IsUndivided()) return full;
  HloComputation* computation = full->parent();
  XLA_ASSIGN_OR_RETURN(const Shape shard, ShardShape(full->shape(), layout));
  Instructions operands = {WithPadding(full, PaddedShape(full->shape(), layout))};
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    operands.push_back(ShardStart(computation, layout, d, shard.dimensions(static_cast<int>(d))));
  }
  DynamicSliceAttributes attributes;
  const absl::Span<const int64_t> sizes = shard.dimensions();
  attributes.dynamic_slice_sizes.assign(sizes.begin(), sizes.end());
  return Add(computation, HloOpcode::kDynamicSlice, shard, operands, attributes);
}

absl::StatusOr<HloInstruction*> ShardEmitter::Cut(HloInstruction* full, const ShardLayout& layout) {
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardAt(full, layout));
  return layout.partial_groups.empty() ? shard : KeepFirst(shard, layout);
}

HloInstruction* ShardEmitter::KeepFirst(HloInstruction* shard, const ShardLayout& layout) {
  HloComputation* computation = shard->parent();
  HloInstruction* position =
      PositionAlong(layout.partial_groups.mesh, layout.partial_groups.axes, computation);
  HloInstruction* is_first = Add(computation, HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, {}),
                                 {position, ScalarS32(computation, 0)},
                                 CompareAttributes{.direction = ComparisonDirection::kEq});
  HloInstruction* mask =
      Add(computation, HloOpcode::kBroadcast,
          ShapeUtil::MakeShape(PRED, shard->shape().dimensions()), {is_first}, Dimensions({}));
  return Add(computation, HloOpcode::kSelect, shard->shape(),
             {mask, shard, NeutralValue(computation, shard->shape(), layout.reduction)});
}

HloComputation* ShardEmitter::Combiner(PrimitiveType type, UnreducedKind reduction) {
  const bool is_sum = reduction == UnreducedKind::kSum;
  const bool is_max = reduction == UnreducedKind::kMax;
  const HloOpcode opcode = is_sum   ? HloOpcode::kAdd
                           : is_max ? HloOpcode::kMaximum
                                    : HloOpcode::kMinimum;
  const Shape scalar = ShapeUtil::MakeShape(type, {});
  HloComputation* combiner = module_.AddComputation(is_sum ? "sum" : is_max ? "max" : "min");
  HloInstruction* left =
      combiner->AddInstruction(HloInstruction::CreateParameter(0, scalar, "left"));
  HloInstruction* right =
      combiner->AddInstruction(HloInstruction::CreateParameter(1, scalar, "right"));
  combiner->set_root_instruction(Add(combiner, opcode, scalar, {left, right}));
  return combiner;
}

void ShardEmitter::set_cause(const HloInstruction& cause) {
  cause_ = cause.metadata();
  if (cause_.op_name().empty()) {
    cause_.set_op_name(absl::StrCat(HloOpcodeString(cause.opcode()).data(), " ", cause.name()));
  }
}

HloInstruction* ShardEmitter::WithCause(HloInstruction* collective) {
  added_.push_back(collective);
  if (!cause_.op_name().empty()) collective->set_metadata(cause_);
  return collective;
}

HloInstruction* ShardEmitter::Combine(HloInstruction* part, const PartitionGroups& groups,
                                      HloComputation* combiner) {
  AllReduceAttributes attributes;
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  attributes.replica_groups = GroupsAlong(groups.mesh, groups.axes);
  return WithCause(part->parent()->AddInstruction(HloInstruction::Create(
      HloOpcode::kAllReduce, part->shape(), {part}, std::move(attributes), {combiner})));
}

Instructions ShardEmitter::CombineAll(absl::Span<HloInstruction* const> parts,
                                      const PartitionGroups& groups, HloComputation* combiner) {
  if (parts.size() == 1) return {Combine(parts[0], groups, combiner)};
  AllReduceAttributes attributes;
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  attributes.replica_groups = GroupsAlong(groups.mesh, groups.axes);
  std::vector<Shape> shapes;
  for (const HloInstruction* part : parts) shapes.push_back(part->shape());
  HloInstruction* all = WithCause(parts[0]->parent()->AddInstruction(
      HloInstruction::Create(HloOpcode::kAllReduce, ShapeUtil::MakeTupleShape(shapes), parts,
                             std::move(attributes), {combiner})));
  Instructions results;
  for (size_t i = 0; i < parts.size(); ++i) {
    results.push_back(Element(all, static_cast<int64_t>(i)));
  }
  return results;
}

absl::StatusOr<HloInstruction*> ShardEmitter::Inline(const HloModule& program,
                                                     HloComputation* computation,
                                                     absl::Span<HloInstruction* const> operands) {
  const HloComputation& entry = *program.entry_computation();
  CloneMap map;
  for (size_t i = 0; i < operands.size(); ++i) {
    const HloInstruction* parameter = entry.parameter_instruction(static_cast<int64_t>(i));
    if (!ShapeUtil::Compatible(parameter->shape(), operands[i]->shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("a partitioner's program takes ", ShapeUtil::HumanString(parameter->shape()),
                       " where its sharding says ", ShapeUtil::HumanString(operands[i]->shape())));
    }
    map.instructions[parameter] = operands[i];
  }
  for (const HloInstruction* instruction : entry.instructions()) {
    for (const HloComputation* called : instruction->called_computations()) {
      if (map.Find(called) == nullptr) CloneComputation(*called, &module_, &map);
    }
  }
  HloInstruction* result = CloneInstructionsInto(entry, computation, &map);
  std::map<int64_t, int64_t> channels;
  for (const HloComputation* original : program.computations()) {
    for (const HloInstruction* instruction : original->instructions()) {
      HloInstruction* copy = map.Find(instruction);
      if (copy == nullptr || instruction->opcode() == HloOpcode::kParameter) continue;
      const std::optional<int64_t> channel = ChannelOf(*copy);
      if (!channel.has_value()) continue;
      const auto [own, is_new] = channels.emplace(*channel, next_channel_);
      if (is_new) ++next_channel_;
      copy->set_channel_id(own->second);
    }
  }
  return result;
}

HloInstruction* ShardEmitter::Gather(HloInstruction* shard, const Shape& full,
                                     const ShardLayout& layout) {
  ShardLayout complete = layout;
  complete.partial_groups.clear();
  if (!layout.partial_groups.empty()) {
    shard = Combine(shard, layout.partial_groups,
                    Combiner(shard->shape().element_type(), layout.reduction));
  }
  // A gather is there for its users: who they are is known when all others are removed (report.h).
  InstructionMetadata cause = std::exchange(cause_, {});
  HloInstruction* gathered =
      Reshard(shard, full, complete, UndividedLayout(full.rank(), partitions_));
  cause_ = std::move(cause);
  XLA_CHECK(gathered != nullptr) << full.ToString();  // there always is a chain
  return gathered;
}

HloInstruction* ShardEmitter::Place(HloInstruction* shard, const Shape& full,
                                    const ShardLayout& layout) {
  HloComputation* computation = shard->parent();
  const Shape padded = PaddedShape(full, layout);
  Instructions operands = {Zero(computation, padded), shard};
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    operands.push_back(
        ShardStart(computation, layout, d, shard->shape().dimensions(static_cast<int>(d))));
  }
  return WithoutPadding(Add(computation, HloOpcode::kDynamicUpdateSlice, padded, operands), full);
}

HloInstruction* ShardEmitter::CollectivePermute(HloInstruction* shard, const ShardLayout& from,
                                                const ShardLayout& to) {
  if (from.counts != to.counts) return nullptr;
  const std::vector<std::vector<int64_t>> sources = from.Groups().Lists();
  const std::vector<std::vector<int64_t>> targets = to.Groups().Lists();
  std::vector<size_t> group_of(static_cast<size_t>(partitions_));
  for (size_t g = 0; g < sources.size(); ++g) {
    for (const int64_t p : sources[g]) group_of[static_cast<size_t>(p)] = g;
  }
  CollectivePermuteAttributes attributes;
  for (const std::vector<int64_t>& target : targets) {
    const size_t group = group_of[static_cast<size_t>(target[0])];
    for (size_t i = 0; i < target.size(); ++i) {
      // Arrays of other groups may differ.
      if (group_of[static_cast<size_t>(target[i])] != group) return nullptr;
      attributes.source_target_pairs.emplace_back(sources[group][i], target[i]);
    }
  }
  attributes.channel_id = next_channel_++;
  return WithCause(Add(shard->parent(), HloOpcode::kCollectivePermute, shard->shape(), {shard},
                       std::move(attributes)));
}

}  // namespace xla::spmd
