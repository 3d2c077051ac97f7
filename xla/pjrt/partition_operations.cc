// SPDX-License-Identifier: Apache-2.0
// Instructions on shards: each as the rules of shard_rules.h say, annotations as they ask.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/pjrt/batch_rules.h"
#include "xla/pjrt/custom_partitioner.h"
#include "xla/pjrt/divisions.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"
#include "xla/pjrt/program.h"
#include "xla/pjrt/python.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

absl::StatusOr<Shape> ShardShapeOf(const HloInstruction& instruction, const ShardForm& form) {
  const auto shard_of = [&](const Shape& whole, const Tiles& tiles) -> absl::StatusOr<Shape> {
    XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(whole, tiles));
    // Code outside relies on the layouts that it asked for.
    if (instruction.opcode() == HloOpcode::kCustomCall && whole.has_layout()) {
      *shard.mutable_layout() = whole.layout();
    }
    return shard;
  };
  if (form.elements.empty()) return shard_of(instruction.shape(), form.result);
  std::vector<Shape> shapes;
  for (size_t i = 0; i < form.elements.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(
        Shape shard,
        shard_of(instruction.shape().tuple_shapes(static_cast<int>(i)), form.elements[i]));
    shapes.push_back(std::move(shard));
  }
  return ShapeUtil::MakeTupleShape(shapes);
}

}  // namespace

absl::Status Partitioner::DivideOperations(HloComputation* computation) {
  for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
    if (instruction->IsDead()) continue;
    XLA_RETURN_IF_ERROR(DivideInstruction(instruction));
    XLA_RETURN_IF_ERROR(DivideAlike(instruction));
  }
  return absl::OkStatus();
}

absl::Status Partitioner::DivideInstruction(HloInstruction* instruction) {
  if (instruction->opcode() == HloOpcode::kWhile) return DivideLoop(instruction);
  if (instruction->opcode() == HloOpcode::kConditional) return DivideConditional(instruction);
  if (IsCall(*instruction, "Sharding")) return DivideAnnotation(instruction);
  if (IsCall(*instruction, "control_dep") && ShapeUtil::IsEmptyTuple(instruction->shape())) {
    // An order of whole values means nothing to shards.
    return instruction->parent()->ReplaceInstruction(
        instruction, Zero(instruction->parent(), instruction->shape()));
  }
  if (HasPartitioner(*instruction)) return DivideCustomCall(instruction);
  if (IsCall(*instruction, kPartitionedPythonCallback)) return CallWithShards(instruction);
  if (instruction->opcode() == HloOpcode::kGetTupleElement) {
    if (instruction->operand(0)->opcode() == HloOpcode::kTuple && !instruction->IsRoot()) {
      return instruction->ReplaceAllUsesWith(
          instruction->mutable_operand(0)->mutable_operand(instruction->tuple_index()));
    }
    return DivideElement(instruction);
  }
  std::vector<const Tiles*> known;
  const HloSharding* sharding = nullptr;  // of the first that is divided
  for (const HloInstruction* operand : instruction->operands()) {
    const auto found = divided_.find(operand);
    // Of sums, only some operations are the sum of results.
    const bool is_known = found != divided_.end() && found->second.tiles.sums.empty();
    known.push_back(is_known ? &found->second.tiles : nullptr);
    if (is_known && sharding == nullptr) sharding = &found->second.sharding;
  }
  if (sharding == nullptr) return absl::OkStatus();
  const std::optional<ShardForm> form = FormOnShards(*instruction, known, partitions_);
  if (!form.has_value()) return absl::OkStatus();
  HloSharding result_sharding = *sharding;
  if (!instruction->info().Has(op_traits::kElementwiseTrait)) {
    XLA_ASSIGN_OR_RETURN(result_sharding, ShardingOfTiles(form->result));
  }
  return DivideOperation(instruction, *form, std::move(result_sharding));
}

absl::Status Partitioner::DivideAlike(HloInstruction* value) {
  const std::string* group = GroupOf(*value);
  if (group == nullptr || !value->shape().IsArray()) return absl::OkStatus();
  const Divided* known = FindDivided(value);
  if (known != nullptr) {
    if (known->tiles.sums.empty()) groups_.emplace(*group, Alike{known->tiles, known->sharding});
    return absl::OkStatus();
  }
  const Alike* alike = AlikeOf(*value);
  if (alike == nullptr) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(value, alike->tiles));
  divided_[value] = Divided{shard, alike->tiles, alike->sharding};
  return absl::OkStatus();
}

const Partitioner::Alike* Partitioner::AlikeOf(const HloInstruction& value) const {
  const std::string* group = GroupOf(value);
  if (group == nullptr || !value.shape().IsArray()) return nullptr;
  const auto found = groups_.find(*group);
  const bool is_known =
      found != groups_.end() && ShardShape(value.shape(), found->second.tiles).ok();
  return is_known ? &found->second : nullptr;
}

absl::Status Partitioner::DivideOperation(HloInstruction* instruction, const ShardForm& form,
                                          HloSharding sharding) {
  Instructions operands;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    HloInstruction* operand = instruction->mutable_operand(static_cast<int64_t>(i));
    if (form.operands[i].has_value()) {
      XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, *form.operands[i]));
    }
    operands.push_back(operand);
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShapeOf(*instruction, form));
  HloInstruction* shard =
      instruction->parent()->AddInstruction(instruction->CloneWithNewOperands(shape, operands));
  FitToShards(shard);
  if (!form.elements.empty()) {
    divided_tuples_[instruction] = DividedTuple{shard, form.elements};
    return absl::OkStatus();
  }
  if (!form.partial.empty()) shard = CombinePartial(instruction, shard, form);
  if (!form.result.AreUndivided()) {
    divided_[instruction] = Divided{shard, form.result, std::move(sharding)};
    return absl::OkStatus();
  }
  // The whole result, of less work.
  return instruction->ReplaceAllUsesWith(shard);
}

// What a combiner makes of two values, if a sharding can state it.
std::optional<UnreducedKind> Partitioner::ReductionOf(const HloComputation& combiner) {
  switch (combiner.root_instruction()->opcode()) {
    case HloOpcode::kAdd:
      return UnreducedKind::kSum;
    case HloOpcode::kMaximum:
      return UnreducedKind::kMax;
    case HloOpcode::kMinimum:
      return UnreducedKind::kMin;
    default:
      return std::nullopt;
  }
}

HloInstruction* Partitioner::CombinePartial(HloInstruction* instruction, HloInstruction* part,
                                            const ShardForm& form) {
  HloComputation* combiner =
      instruction->opcode() == HloOpcode::kReduce
          ? instruction->to_apply()
          : emit_.Combiner(part->shape().element_type(), UnreducedKind::kSum);
  HloInstruction* result = emit_.Combine(part, form.partial, combiner);
  if (const auto reduction = ReductionOf(*combiner)) {
    Tiles addends = form.result;
    addends.sums = form.partial;
    addends.reduction = *reduction;
    addends_.insert_or_assign(instruction, Made{part, addends});
    addends_.insert_or_assign(result, Made{part, std::move(addends)});
  }
  return result;
}

absl::Status Partitioner::DivideElement(HloInstruction* element) {
  const auto tuple = divided_tuples_.find(element->operand(0));
  if (tuple == divided_tuples_.end()) return absl::OkStatus();
  const Tiles& tiles = tuple->second.elements[static_cast<size_t>(element->tuple_index())];
  HloInstruction* shard = Element(tuple->second.shard, element->tuple_index());
  if (tiles.AreUndivided()) return element->ReplaceAllUsesWith(shard);
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, ShardingOfTiles(tiles));
  divided_[element] = Divided{shard, tiles, std::move(sharding)};
  return absl::OkStatus();
}

Tiles Partitioner::WithOpenDimensions(const HloInstruction& annotation, Tiles tiles,
                                      const Tiles& operand) const {
  Divisions divisions = DivisionsOf(tiles);
  const Divisions given = DivisionsOf(operand);
  for (const int64_t d : UnspecifiedDims(annotation)) {
    const auto i = static_cast<size_t>(d);
    if (i < divisions.size() && divisions[i].count == 1) divisions[i] = given[i];
  }
  // An axis of the mesh may be in use elsewhere now.
  std::optional<Tiles> open = TilesFrom(divisions, partitions_);
  return open.has_value() && ShardShape(annotation.shape(), *open).ok() ? *std::move(open)
                                                                        : std::move(tiles);
}

absl::Status Partitioner::DivideAnnotation(HloInstruction* annotation) {
  HloInstruction* operand = annotation->mutable_operand(0);
  const auto known = divided_.find(operand);
  if (annotation->shape().IsArray()) {
    const HloSharding sharding = ShardingOf(*annotation);
    const absl::StatusOr<Tiles> tiles = TilesOf(sharding, annotation->shape(), partitions_);
    if (tiles.ok() && !tiles->AreUndivided() && tiles->sums.empty() &&
        ShardShape(annotation->shape(), *tiles).ok()) {
      Tiles open = *tiles;
      if (known != divided_.end() && known->second.tiles.sums.empty()) {
        open = WithOpenDimensions(*annotation, *tiles, known->second.tiles);
      }
      HloSharding made = sharding;
      if (open != *tiles) {
        XLA_ASSIGN_OR_RETURN(made, ShardingOfTiles(open));
        annotation->mutable_extras().sharding = made;  // that of the result, if this is the root
      }
      XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(operand, open));
      divided_[annotation] = Divided{shard, std::move(open), std::move(made)};
      return absl::OkStatus();
    }
  }
  if (known != divided_.end()) divided_.emplace(annotation, Divided(known->second));
  return absl::OkStatus();
}

}  // namespace xla::pjrt
