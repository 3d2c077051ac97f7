// SPDX-License-Identifier: Apache-2.0
// The shards of a value: at hand, made from shards of what it is computed from, or cut out.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

constexpr int kMaxShardDepth = 500;

bool AreAlike(const Tiles& a, const Tiles& b) {
  return a.counts == b.counts && a.tile_of == b.tile_of && a.reduction == b.reduction &&
         HaveSameGroups(a.sums, b.sums);
}

}  // namespace

absl::StatusOr<HloInstruction*> Partitioner::ShardOf(HloInstruction* whole, const Tiles& tiles) {
  const auto known = divided_.find(whole);
  if (known != divided_.end() && known->second.tiles == tiles) return known->second.shard;
  if (!tiles.sums.empty()) {
    HloInstruction* addend = AddendOf(whole, tiles);
    return addend != nullptr ? addend : emit_.Cut(whole, tiles);
  }
  if (tiles.AreUndivided() || !ShardShape(whole->shape(), tiles).ok()) {
    return emit_.Cut(whole, tiles);
  }
  if (known != divided_.end() && known->second.tiles.sums.empty()) {
    HloInstruction* moved = emit_.Permute(known->second.shard, known->second.tiles, tiles);
    if (moved != nullptr) return moved;
  }
  const auto made = made_.find(whole);
  if (made != made_.end() && made->second.tiles == tiles) return made->second.shard;
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard, MakeShard(whole, tiles));
  if (shard == nullptr) {
    XLA_ASSIGN_OR_RETURN(shard, emit_.Cut(whole, tiles));
  }
  made_.insert_or_assign(whole, Made{shard, tiles});
  return shard;
}

HloInstruction* Partitioner::AddendOf(HloInstruction* whole, const Tiles& tiles) {
  HloInstruction* value = WithoutAnnotations(whole);
  const auto addend = addends_.find(value);
  if (addend != addends_.end() && AreAlike(addend->second.tiles, tiles)) {
    return addend->second.shard;
  }
  const Divided* known = FindDivided(whole);
  if (known != nullptr && AreAlike(known->tiles, tiles)) return known->shard;
  if (HloInstruction* made = AddendFromOperands(value, tiles)) {
    addends_.insert_or_assign(value, Made{made, tiles});
    return made;
  }
  if (known == nullptr || !known->tiles.sums.empty() || !tiles.AreUndivided() ||
      tiles.reduction != UnreducedKind::kSum) {
    return nullptr;
  }
  for (const std::vector<int64_t>& group : tiles.sums) {
    std::vector<int64_t> numbers;
    for (const int64_t p : group) {
      numbers.push_back(known->tiles.tile_of[static_cast<size_t>(p)]);
    }
    std::sort(numbers.begin(), numbers.end());
    // Each tile once: as many as there are, all different.
    if (static_cast<int64_t>(numbers.size()) != known->tiles.size() ||
        std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) {
      return nullptr;
    }
  }
  return emit_.Place(known->shard, whole->shape(), known->tiles);
}

HloInstruction* Partitioner::AddendFromOperands(HloInstruction* value, const Tiles& tiles) {
  const UnreducedKind reduction = tiles.reduction;
  switch (value->opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kNegate:
      if (reduction != UnreducedKind::kSum) return nullptr;
      break;
    case HloOpcode::kMaximum:
      if (reduction != UnreducedKind::kMax) return nullptr;
      break;
    case HloOpcode::kMinimum:
      if (reduction != UnreducedKind::kMin) return nullptr;
      break;
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
      if (!tiles.AreUndivided()) return nullptr;
      break;
    default:
      return nullptr;
  }
  if (shard_depth_ == kMaxShardDepth) return nullptr;
  ++shard_depth_;
  Instructions operands;
  for (HloInstruction* operand : Instructions(value->operands().begin(), value->operands().end())) {
    Tiles of_operand = tiles;
    of_operand.counts.resize(static_cast<size_t>(operand->shape().rank()), 1);
    HloInstruction* addend = AddendOf(operand, of_operand);
    if (addend == nullptr) break;
    operands.push_back(addend);
  }
  --shard_depth_;
  if (operands.size() < static_cast<size_t>(value->operand_count())) return nullptr;
  const Shape& shape = tiles.AreUndivided() ? value->shape() : operands[0]->shape();
  return value->parent()->AddInstruction(value->CloneWithNewOperands(shape, operands));
}

absl::StatusOr<HloInstruction*> Partitioner::MakeShard(HloInstruction* whole, const Tiles& tiles) {
  HloComputation* computation = whole->parent();
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(whole->shape(), tiles));
  if (whole->opcode() == HloOpcode::kBroadcast && whole->operand(0)->shape().rank() == 0) {
    return computation->AddInstruction(
        whole->CloneWithNewOperands(shape, {whole->mutable_operand(0)}));
  }
  if (whole->opcode() == HloOpcode::kIota) return IotaOfTile(whole, shape, tiles);
  if (!whole->info().Has(op_traits::kElementwiseTrait) || whole->operand_count() == 0 ||
      shard_depth_ == kMaxShardDepth) {
    return nullptr;
  }
  ++shard_depth_;
  Instructions operands;
  for (HloInstruction* operand : Instructions(whole->operands().begin(), whole->operands().end())) {
    if (operand->shape().rank() == whole->shape().rank()) {
      XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, tiles));
    }
    operands.push_back(operand);
  }
  --shard_depth_;
  return computation->AddInstruction(whole->CloneWithNewOperands(shape, operands));
}

HloInstruction* Partitioner::IotaOfTile(HloInstruction* whole, const Shape& shape,
                                        const Tiles& tiles) {
  HloComputation* computation = whole->parent();
  const auto d = static_cast<size_t>(whole->attributes<IotaAttributes>().iota_dimension);
  const PrimitiveType type = shape.element_type();
  const bool is_divided = tiles.counts[d] > 1;
  // Numbers that the type cannot hold wrap around in both, but not those of few bits.
  if (is_divided &&
      (!primitive_util::IsIntegralType(type) || primitive_util::BitWidth(type) < 32)) {
    return nullptr;
  }
  HloInstruction* iota = computation->AddInstruction(whole->CloneWithNewOperands(shape, {}));
  if (!is_divided) return iota;
  HloInstruction* start = Add(computation, HloOpcode::kConvert, ShapeUtil::MakeShape(type, {}),
                              {emit_.TileStart(PartitionNumber(computation), shape, tiles, d)});
  HloInstruction* offset = Add(computation, HloOpcode::kBroadcast, shape, {start}, Dimensions({}));
  return Add(computation, HloOpcode::kAdd, shape, {iota, offset});
}

const Partitioner::Divided* Partitioner::FindDivided(HloInstruction* value) const {
  auto known = divided_.find(value);
  if (known == divided_.end()) known = divided_.find(WithoutAnnotations(value));
  return known == divided_.end() ? nullptr : &known->second;
}

std::optional<Tiles> Partitioner::TilesAtHand(HloInstruction* value) const {
  const Divided* known = FindDivided(value);
  if (known == nullptr || !known->tiles.sums.empty()) return std::nullopt;
  return known->tiles;
}

absl::StatusOr<HloInstruction*> Partitioner::ShardOfAnnotated(HloInstruction* value,
                                                              const Tiles& tiles) {
  const Divided* known = FindDivided(value);
  if (known != nullptr && known->tiles == tiles) return known->shard;
  if (!tiles.sums.empty()) {
    // An annotation may be all that divides the value.
    HloInstruction* addend = AddendOf(value, tiles);
    if (addend != nullptr) return addend;
  }
  return ShardOf(WithoutAnnotations(value), tiles);
}

absl::StatusOr<HloInstruction*> Partitioner::WholeOf(HloInstruction* shard, const Shape& whole,
                                                     const HloSharding& sharding) {
  XLA_ASSIGN_OR_RETURN(Tiles tiles, TilesOf(sharding, whole, partitions_));
  XLA_ASSIGN_OR_RETURN(const Shape expected, ShardShape(whole, tiles));
  if (!ShapeUtil::Compatible(shard->shape(), expected)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a partitioner's program returns ", ShapeUtil::HumanString(shard->shape()),
                     " where its sharding says ", ShapeUtil::HumanString(expected)));
  }
  if (tiles.IsOne()) return shard;
  HloInstruction* gathered = emit_.Gather(shard, whole, tiles);
  divided_.insert_or_assign(gathered, Divided{shard, std::move(tiles), sharding});
  return gathered;
}

}  // namespace xla::pjrt
