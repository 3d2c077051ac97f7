// SPDX-License-Identifier: Apache-2.0
// ShardLayout cut out, gathered, placed and exchanged.
#include "xla/spmd/shard_emitter.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/clone.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/passes/collective_group.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// What leaves the others as they are when it is combined with them.
HloInstruction* Identity(HloComputation* computation, const Shape& shape, UnreducedKind reduction) {
  if (reduction == UnreducedKind::kSum) return Zero(computation, shape);
  const PrimitiveType type = shape.element_type();
  HloInstruction* bound = computation->AddInstruction(HloInstruction::CreateConstant(
      reduction == UnreducedKind::kMax ? LiteralUtil::MinValue(type)
                                       : LiteralUtil::MaxValue(type)));
  return Add(computation, HloOpcode::kBroadcast, shape, {bound}, Dimensions({}));
}

}  // namespace

HloInstruction* ShardEmitter::ShardStart(HloInstruction* number, const Shape& shard,
                                         const ShardLayout& layout, size_t dimension) const {
  HloComputation* computation = number->parent();
  std::vector<int32_t> starts;
  for (int64_t p = 0; p < partitions_; ++p) {
    starts.push_back(static_cast<int32_t>(layout.Position(p, dimension) *
                                          shard.dimensions(static_cast<int>(dimension))));
  }
  HloInstruction* table = computation->AddInstruction(
      HloInstruction::CreateConstant(LiteralUtil::CreateR1<int32_t>(starts)));
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes = {1};
  HloInstruction* start = Add(computation, HloOpcode::kDynamicSlice, ShapeUtil::MakeShape(S32, {1}),
                              {table, number}, attributes);
  return Reshape(start, {});
}

absl::StatusOr<HloInstruction*> ShardEmitter::ShardAt(HloInstruction* full,
                                                      const ShardLayout& layout) {
  if (layout.IsUndivided()) return full;
  HloComputation* computation = full->parent();
  XLA_ASSIGN_OR_RETURN(const Shape shard, ShardShape(full->shape(), layout));
  Instructions operands = {WithPadding(full, PaddedShape(full->shape(), layout))};
  HloInstruction* number = PartitionNumber(computation);
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    operands.push_back(ShardStart(number, shard, layout, d));
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
  Literal is_first = Literal::CreateFromShape(ShapeUtil::MakeShape(PRED, {partitions_}));
  for (const std::vector<int64_t>& group : layout.partial_groups)
    is_first.Set<bool>({group[0]}, true);
  HloInstruction* table =
      computation->AddInstruction(HloInstruction::CreateConstant(std::move(is_first)));
  DynamicSliceAttributes attributes;
  attributes.dynamic_slice_sizes = {1};
  HloInstruction* mine = Add(computation, HloOpcode::kDynamicSlice, ShapeUtil::MakeShape(PRED, {1}),
                             {table, PartitionNumber(computation)}, attributes);
  HloInstruction* mask = Add(computation, HloOpcode::kBroadcast,
                             ShapeUtil::MakeShape(PRED, shard->shape().dimensions()),
                             {Reshape(mine, {})}, Dimensions({}));
  return Add(computation, HloOpcode::kSelect, shard->shape(),
             {mask, shard, Identity(computation, shard->shape(), layout.reduction)});
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

HloInstruction* ShardEmitter::WithCause(HloInstruction* collective) const {
  collective->set_metadata(cause_);
  return collective;
}

HloInstruction* ShardEmitter::Combine(HloInstruction* part,
                                      const std::vector<std::vector<int64_t>>& groups,
                                      HloComputation* combiner) {
  AllReduceAttributes attributes;
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  attributes.replica_groups.groups = groups;
  return WithCause(part->parent()->AddInstruction(HloInstruction::Create(
      HloOpcode::kAllReduce, part->shape(), {part}, std::move(attributes), {combiner})));
}

Instructions ShardEmitter::CombineAll(absl::Span<HloInstruction* const> parts,
                                      const std::vector<std::vector<int64_t>>& groups,
                                      HloComputation* combiner) {
  if (parts.size() == 1) return {Combine(parts[0], groups, combiner)};
  AllReduceAttributes attributes;
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  attributes.replica_groups.groups = groups;
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
  if (!layout.partial_groups.empty()) {
    shard = Combine(shard, layout.partial_groups,
                    Combiner(shard->shape().element_type(), layout.reduction));
  }
  if (layout.IsUndivided()) return shard;
  HloComputation* computation = shard->parent();
  const absl::Span<const int64_t> part = shard->shape().dimensions();
  const PrimitiveType type = shard->shape().element_type();
  std::vector<int64_t> row(part.begin(), part.end());
  row.insert(row.begin(), 1);
  std::vector<int64_t> rows = row;
  rows[0] = layout.size();
  AllGatherAttributes attributes;
  attributes.dimensions = {0};
  attributes.channel_id = next_channel_++;
  attributes.use_global_device_ids = true;
  attributes.replica_groups.groups = layout.groups;
  HloInstruction* all = Add(computation, HloOpcode::kAllGather, ShapeUtil::MakeShape(type, rows),
                            {Reshape(shard, row)}, attributes);
  // [t0, t1, .., s0, s1, ..] to [t0, s0, t1, s1, ..], and these pairs joined.
  std::vector<int64_t> separate(layout.counts);
  separate.insert(separate.end(), part.begin(), part.end());
  std::vector<int64_t> order, interleaved;
  for (size_t d = 0; d < part.size(); ++d) {
    order.push_back(static_cast<int64_t>(d));
    order.push_back(static_cast<int64_t>(d + part.size()));
    interleaved.push_back(layout.counts[d]);
    interleaved.push_back(part[d]);
  }
  HloInstruction* moved =
      Add(computation, HloOpcode::kTranspose, ShapeUtil::MakeShape(type, interleaved),
          {Reshape(all, separate)}, Dimensions(order));
  return WithoutPadding(Reshape(moved, PaddedShape(full, layout).dimensions()),
                        ShapeUtil::MakeShape(type, full.dimensions()));
}

HloInstruction* ShardEmitter::Place(HloInstruction* shard, const Shape& full,
                                    const ShardLayout& layout) {
  HloComputation* computation = shard->parent();
  const Shape padded = PaddedShape(full, layout);
  Instructions operands = {Zero(computation, padded), shard};
  HloInstruction* number = PartitionNumber(computation);
  for (size_t d = 0; d < layout.counts.size(); ++d) {
    operands.push_back(ShardStart(number, shard->shape(), layout, d));
  }
  return WithoutPadding(Add(computation, HloOpcode::kDynamicUpdateSlice, padded, operands), full);
}

HloInstruction* ShardEmitter::CollectivePermute(HloInstruction* shard, const ShardLayout& from,
                                                const ShardLayout& to) {
  if (from.counts != to.counts || from.groups.size() != to.groups.size()) return nullptr;
  CollectivePermuteAttributes attributes;
  for (size_t g = 0; g < from.groups.size(); ++g) {
    // Arrays of other groups may differ.
    if (!std::is_permutation(from.groups[g].begin(), from.groups[g].end(), to.groups[g].begin(),
                             to.groups[g].end())) {
      return nullptr;
    }
    for (size_t i = 0; i < from.groups[g].size(); ++i) {
      attributes.source_target_pairs.emplace_back(from.groups[g][i], to.groups[g][i]);
    }
  }
  attributes.channel_id = next_channel_++;
  return WithCause(Add(shard->parent(), HloOpcode::kCollectivePermute, shard->shape(), {shard},
                       std::move(attributes)));
}

}  // namespace xla::spmd
